"""English questions about something that is only described: first who or what that is, then the question about it.

``#1`` stands for the answer to the first question, as in the question sets that write decompositions down (BREAK, MuSiQue).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

BLANK: Final = re.compile(r"#([1-9])(?!\d)")
"""Where a question waits for the answer to an earlier one of the same decomposition."""

_APOSTROPHE: Final = "['\N{RIGHT SINGLE QUOTATION MARK}]"
_ROLES: Final = frozenset(
    """
    actor actress ambassador architect artist author band child coach commander company composer creator daughter
    designer developer director discoverer editor employer father founder governor head host husband inventor king
    leader lyricist manager manufacturer mayor mother musician namesake narrator owner performer photographer
    president producer protagonist publisher queen screenwriter secretary sibling singer son songwriter spouse star
    student successor teacher wife winner writer brother sister predecessor chairman ceo
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Nouns before "of" that describe somebody or something else than the thing named after it."""
_KIN: Final = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
}
_KINSHIP: Final = re.compile(
    rf"^Who\s+(?:is|was)\s+(?:the\s+(?P<role>{'|'.join(_KIN)})\s+of\s+(?P<of>.+)"
    rf"|(?P<owner>.+?){_APOSTROPHE}s\s+(?P<owned>{'|'.join(_KIN)}))$",
    re.IGNORECASE,
)
_ROLE_OF: Final = re.compile(
    r"(?:\b[Tt]he |(?<=\bof ))(?P<role>(?:(?!of )[a-z]+[ -]){0,2}?(?P<noun>[a-z]+)) of "
    r"(?=(?:the |[a-z]+ )?[\"'\u201c]?\W?[^\W_a-z])"
)
_OWNED: Final = re.compile(rf"(?<=\S){_APOSTROPHE}s (?P<role>(?:[a-z]+ )?(?P<noun>{'|'.join(sorted(_ROLES))}))\b")
_PARTICLES: Final = frozenset("al bin da de der di du el ibn la le of the van von y".split())  # noqa: SIM905 - as above
_ASKS: Final = frozenset("When Where Who What Which In Is Was Did Does Has How".split())  # noqa: SIM905 - as above
_TAIL: Final = re.compile(
    rf"\s+(?:was|is|were|are|did|does|has|had|die[sd]?|born|buried|from|work(?:s|ed)?|live[sd]?|graduate[sd]?|stud(?:y|ied)"
    rf"|receive[sd]?|win|won|serve[sd]?|play(?:s|ed)?|educated|located|based|headquartered|formed|founded|known|attended)\b[^A-Z]*$"
    rf"|\s+(?:was|is|has|had|attended|received|won|played|wrote|works?)\b.*\b(?:which|what|whom?)\b.*$"
    rf"|\s*{_APOSTROPHE}s\s+[a-z][^A-Z]*$"
)
_OPENS: Final = re.compile(
    r"^$|^(?:who|what|which)(?:\s+(?:is|was|are|were))?$|\b(?:as|becomes?|became|name of)$|^(?!wh).*\b(?:is|was)$",
    re.IGNORECASE,
)
"""What stands before a description that is itself what is asked for."""
_STILL_ASKS: Final = re.compile(r"\b(?:which|what|whom?)\b")


_WORK: Final = re.compile(r"^(?:film|movie|song|album|book|novel)s? (?=\W?[A-Z0-9])")
_ASKED_FOR: Final = {
    "director": "Who directed {}?",
    "composer": "Who composed the music of {}?",
    "performer": "Who performed {}?",
    "author": "Who wrote {}?",
    "writer": "Who wrote {}?",
    "producer": "Who produced {}?",
    "designer": "Who designed {}?",
    "founder": "Who founded {}?",
    "editor": "Who edited {}?",
}
"""Who did something is asked for by what they did: documents say so ("directed by"), and readers find it more often."""

_WORKS: Final = r"(?:the )?(?:films?|movies?|songs?|albums?|books?|novels?)"
_ROLE: Final = r"(?P<role>director|composer|performer|author|writer|producer)s?"
_MAKERS: Final = (
    re.compile(
        rf"^Which (?:film|movie|song|album|book|novel)\b[^,]*\b{_ROLE}\b[^,]*,\s*(?P<one>.+?),? or (?P<two>.+)$"
    ),
    re.compile(
        rf"^(?:Are|Do|Does|Did|Were|Is)\b.*?\b{_ROLE} of (?:{_WORKS} )?(?P<one>.+?) and (?:the )?(?:director|composer|performer|author"
        rf"|writer|producer) of (?:{_WORKS} )?(?P<two>.+?)(?: both| from| have| share| the same|$)"
    ),
    re.compile(
        rf"^(?:Are|Do|Does|Did|Were)\b\s*(?:both )?(?:{_WORKS}[:,]? )(?P<one>.+?),? and (?P<two>.+?),? (?:have|share|has|both)\b.*\b{_ROLE}\b"
    ),
    re.compile(
        rf"^(?:Do|Did|Are|Were) (?:both )?(?:the )?{_ROLE} of (?:both )?{_WORKS},? (?P<one>.+?) and (?P<two>.+?),? (?:have|share|both|from)\b"
    ),
    re.compile(rf"^(?:Do|Did) (?:both )?(?P<one>.+?) and (?P<two>.+?) {_WORKS} (?:have|share) the {_ROLE}\b"),
)


_LONGEST: Final = 300
"""Characters beyond which a question is a text: no form of a sentence is looked for in it."""


class Hop(NamedTuple):
    """The question for what is described, and the question about it with ``#1`` in its place."""

    first: str
    second: str


def hop_of(question: str) -> Hop | None:
    """Return the two questions that an English question asks one after the other, or None where its form shows but one.

    >>> hop_of("When did the director of film It Happened Out West die?")
    Hop(first='Who directed It Happened Out West?', second='When did #1 die?')
    """
    text = _plain(question)
    if text is None:
        return None
    return _kinship(text) or _owned(text) or _role_of(text)


def makers_of(question: str) -> tuple[str, ...]:
    """Return who made each of two works, as questions, where a question compares two works by their makers; else none.

    >>> makers_of("Which film has the director born later, Burma Convoy or Old St. Paul'S (Film)?")
    ('Who directed Burma Convoy?', "Who directed Old St. Paul'S (Film)?")
    """
    text = _plain(question)
    if text is None:
        return ()
    for form in _MAKERS:
        found = form.search(text)
        if found is not None:
            role = (found.groupdict().get("role") or "director").casefold()
            works = (found["one"].strip(" ,"), found["two"].strip(" ,"))
            return tuple(_who(role, work) for work in works)
    return ()


def _plain(question: str) -> str | None:
    """Return a question on one line without its mark; None where it is too long to be one, or holds a blank of its own."""
    text = " ".join(question.split()).rstrip(" ?.")
    return None if len(text) > _LONGEST or BLANK.search(text) else text


def _kinship(text: str) -> Hop | None:
    found = _KINSHIP.match(text)
    if found is None:
        return None
    first, second = _KIN[(found["role"] or found["owned"]).casefold()]
    return Hop(f"Who is the {first} of {found['of'] or found['owner']}?", f"Who is the {second} of #1?")


def _role_of(text: str) -> Hop | None:
    """Return the hop of the last "the ROLE of THING"."""
    for found in reversed(list(_ROLE_OF.finditer(text))):
        if found["noun"] not in _ROLES:
            continue
        rest = text[found.end() :]
        ends = _TAIL.search(rest)
        thing, tail = (rest[: ends.start()], rest[ends.start() :]) if ends else (rest, "")
        if hop := _hop(text[: found.start()], found["role"], thing, tail):
            return hop
    return None


def _owned(text: str) -> Hop | None:
    """Return the hop of "THING's ROLE": the thing is the run of capitalised words before it."""
    for found in _OWNED.finditer(text):
        words = text[: found.start()].split(" ")
        first = len(words)
        while first and (not words[first - 1][:1].islower() or words[first - 1] in _PARTICLES):
            first -= 1
        while first < len(words) and (words[first] in _ASKS or words[first][:1].islower()):
            first += 1
        return _hop(" ".join(words[:first]), found["role"], " ".join(words[first:]), text[found.end() :])
    return None


def _hop(before: str, role: str, thing: str, tail: str) -> Hop | None:
    before, tail = before.strip(), re.sub(rf"^\s+(?={_APOSTROPHE}s\b)", "", tail.rstrip())
    if not thing.strip() or _STILL_ASKS.search(thing) or (_OPENS.search(before) and not tail):
        return None
    return Hop(_who(role, thing.strip()), " ".join(f"{before} #1{tail}?".split()))


def _who(role: str, thing: str) -> str:
    """Return the question for who has a role in something."""
    asked = _ASKED_FOR.get(role)
    return f"Who is the {role} of {thing}?" if asked is None else asked.format(_WORK.sub("", thing))
