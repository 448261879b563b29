"""What a plan of the `encoder` policy may say: texts read off the question and the passages, each with where it is from."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.terms import content_terms, term_set
from remit.repair.decompose import Parts, parts_of
from remit.repair.planner import State
from remit.retrieve.retriever import Hit

MOST_NAMES, MOST_LINKS = 4, 8
_READ: Final = 5
"""Passages in use that are read for names to follow."""
_LONGEST: Final = 60
_NAME: Final = re.compile(
    r"[^\W\d_a-z][\w.\u2019'-]*(?:[ -](?:(?:of|the|de|von|van|der|la|le|du|da|al|bin|ibn|and|&|for) )?[^\W\d_a-z][\w.\u2019'-]*)*"
)
_LEADS: Final = re.compile(
    r"\b(?:directed|written|produced|composed|performed|recorded|sung|founded|created|developed|published|owned|by|director|author"
    r"|composer|singer|son|daughter|father|mother|wife|husband|married|member|led|starring|named after|of)"
    r"(?:\s+(?:by|of|to|the|a|an|and|was|is|artist|singer|filmmaker|director))*\s*$",
    re.IGNORECASE,
)
_OPENING: Final = frozenset(
    """
    a an the in on at it its he she his her they their this that these those when where who what which how is was are were
    did does do has have had by for from of to with after before during and but or as if both also since while although
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


class Link(NamedTuple):
    """A name in the passages in use that the question does not have: what a second search may be about.

    `passage` and `sentence` are where it first stands, by number; `shared` is the share of the question's words that its
    passage's title and its sentence have, `seen` in how many passages it stands, `titled` whether it is one's title. `led` says
    that it stands behind words that lead to it ("directed by"), `near` that its passage's title stands in the question.
    """

    text: str
    passage: int
    sentence: int
    shared: float
    seen: int
    titled: bool
    quoted: bool
    led: bool
    near: bool


class Arguments(NamedTuple):
    """The question's parts, the names in it and the names to follow, best first."""

    parts: Parts | None
    names: tuple[str, ...]
    links: tuple[Link, ...]


def arguments_of(state: State) -> Arguments:
    """Return what a plan for this state may say."""
    contract = state.contract
    parts = parts_of(contract.claim) if contract.language == "en" else None
    return Arguments(parts, _names(contract.claim), _links(state))


def _names(question: str) -> tuple[str, ...]:
    """Return the runs of capitalised words in a question, longest first; what opens the sentence is left out."""
    found = [name for match in _NAME.finditer(question) if (name := _trimmed(match.group()))]
    return tuple(sorted(dict.fromkeys(found), key=lambda name: -len(name)))[:MOST_NAMES]


def _trimmed(name: str) -> str:
    """Return a name without function words that only a sentence's start or a title made large."""
    words = name.strip(" .'\u2019-").split()
    while words and words[0].casefold() in _OPENING:
        words = words[1:]
    text = " ".join(words)
    text = text.removesuffix("'s").removesuffix("\u2019s")
    return text if len(text) > 2 and len(text) <= _LONGEST else ""  # noqa: PLR2004 -- two letters name nothing


def _links(state: State) -> tuple[Link, ...]:
    wanted = {term.term for term in content_terms(state.contract.claim, state.contract.language)}
    asked = term_set(state.contract.claim, state.contract.language)
    hits = state.ranking.hits[:_READ]
    titles = {hit.source.title.casefold() for hit in state.ranking.hits}
    quotes = {citation.passage: citation.start for citation in state.draft.citations}
    found: dict[str, Link] = {}
    for number, hit in enumerate(hits):
        for link in _of_passage(hit, number, wanted, asked, titles, quotes):
            known = found.get(link.text.casefold())
            if known is None:
                found[link.text.casefold()] = link
            else:
                best = max(known, link, key=lambda one: one.shared)
                found[link.text.casefold()] = best._replace(seen=known.seen + (known.passage != number))
    ordered = sorted(found.values(), key=lambda link: (-_promise(link), link.passage, link.sentence, link.text))
    # The best of each of two things that the question names comes first: a comparison needs both.
    heads = {link.passage: link for link in reversed(ordered) if link.led and link.near}
    first = [link for link in ordered if heads.get(link.passage) is link]
    return tuple((first + [link for link in ordered if link not in first])[:MOST_LINKS])


def _promise(link: Link) -> float:
    """Return how promising a name looks before anything is learned: near to what is asked, high in the ranking."""
    place = -0.12 * link.passage - 0.03 * link.sentence
    return link.shared + place + 0.3 * link.quoted + 0.1 * (" " in link.text) + 0.6 * link.led + 0.4 * link.near


def _of_passage(
    hit: Hit, number: int, wanted: set[str], asked: frozenset[str], titles: set[str], quotes: dict[str, int]
) -> list[Link]:
    links, heading = [], term_set(hit.source.title, hit.source.language)
    named = bool(heading) and len(heading & asked) * 2 > len(heading)
    for sentence, span in enumerate(hit.passage.sentences):
        text = hit.passage.quote(span)
        here = heading | term_set(text, hit.source.language)
        shared = len(wanted & here) / max(1, len(wanted))
        quoted = quotes.get(hit.passage.id) == span.start
        for match in _NAME.finditer(text):
            name = _trimmed(match.group())
            if not name or (match.start() == 0 and " " not in name) or term_set(name) <= asked | heading:
                continue
            led = _LEADS.search(text[: match.start()]) is not None
            links.append(Link(name, number, sentence, shared, 1, name.casefold() in titles, quoted, led, named))
    return links
