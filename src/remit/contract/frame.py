"""From a question to a contract, by rules. What the caller gives explicitly wins over what the words suggest."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from datetime import date
from itertools import accumulate
from typing import Final, NamedTuple

from remit.contract.budget import Limits
from remit.contract.catalogue import Catalogue
from remit.contract.compare import comparisons, unit_wanted
from remit.contract.contract import Contract, RequiredFact, RevisionWanted
from remit.contract.forms import Asked, asked
from remit.contract.parameters import label, qualifiers
from remit.contract.parts import parts
from remit.contract.party import kinds, party
from remit.contract.places import occurrences
from remit.contract.quantity import dates, quantities
from remit.contract.relations import verb_asked
from remit.contract.source import CAPITALS, SOURCE, without_source
from remit.contract.stopwords import GENERIC
from remit.contract.terms import STOPWORDS, codes, terms
from remit.contract.units import unit

FRAMING: Final = "rules/5"
_LETTERS: Final = 0x2E80
"""Code points from which one character can be a word of its own (CJK)."""
_SHORTEST, _NAMED = 3, 4
"""Words that a claim keeps at least, and dimensions that are still worth naming one by one."""
_AS_OF: Final = re.compile(
    r"\b(?:as (?:of|at)|back (?:in|on)|(?:effective|in force|applicable|valid|current)(?: (?:on|in|at))?|per|stand vom"
    r"|am stichtag|gültig am|en vigueur (?:le|au|en))\s+$",
    re.IGNORECASE,
)
_REVISION: Final = re.compile(r"\brev(?:ision|\.)?\s+(?P<named>[\w.]+)", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<![.!?:]\s)(?<!^)(?<![\w¿¡-])[A-Z][a-zà-ÿ]{2,}(?![\w/-]*\d)\b")
_DETERMINED: Final = re.compile(
    r"(?:\b(?:of|for|on|at|in|from|with|does|do|did|can|must|should|will)|(?:^|[.,;:]\s)(?:is|are|was|has))"
    r"\s+(?:(?:the|an?|our|my|your)\s+(?:[a-z]+\s+)??)?(?P<noun>[^\W\d_]{3,})\s+\Z",
    re.IGNORECASE,
)
"""What stands before a noun that says what the code behind it is; "the reason P-101 stopped" is none."""
_NEAR: Final = 100
"""Characters before a code in which that stands."""
_YEAR: Final = re.compile(r"(?P<year>(?:19|20)\d{2})\b(?![-/.]\d)")
_CALENDAR: Final = frozenset(
    """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday christmas easter english german french
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_FILLER: Final = frozenset(
    """
    please tell show say know done do doing exact exactly currently current now today right latest ok hello hi thanks quick question
    need want have got get put putting yesterday someone somebody people nobody thing bit back then summarise summarize
    go goes going come comes set near look again supposed many much long often fast tight frequently hot warm cold rev
    revision max min maximum minimum most least highest lowest allowed permitted supposed required let touch roughly about approximately tonight stand walk past happen happens mean means
    quickly slowly soon whatever sit sits there off just another actually really please anyone who everybody
    """.split()  # noqa: SIM905 - a list of words reads better as words
)


class Given(NamedTuple):
    """What the caller says besides the question; all of it wins over the question's words.

    `collections` and `revision` narrow as if the question named them; `reply_in` is the language of what the asker is told.
    """

    today: date
    as_of: date | None = None
    parameters: Mapping[str, str] = {}
    limits: Limits = Limits()
    language: str | None = None
    collections: tuple[str, ...] = ()
    revision: str | None = None
    reply_in: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields of the contract that the caller filled."""
        filled = {
            "parameters": bool(self.parameters),
            "wanted": self.as_of is not None or self.revision is not None,
            "collections": bool(self.collections),
            "language": self.language is not None,
            "reply_in": self.reply_in is not None,
        }
        return tuple(name for name, is_given in filled.items() if is_given)


def frame(question: str, given: Given, catalogue: Catalogue, document: Callable[[str], str | None]) -> Contract:
    """Return the contract of a question.

    `catalogue` and `document` are what the asker may know of (`corpus.known`); `document` gives the id of the document that
    a code names. A code is required to be mentioned by the evidence whether it names a document or not. A collection that
    the caller names is taken as it is: one that is not there for the asker opens nothing, like one that does not exist.
    """
    collections, claim = _collections(question, catalogue)
    collections = given.collections or collections
    places = {code: found[0] for code in codes(question) if (found := occurrences(code, question))}
    typed = {code: question[start:end] for code, (start, end) in places.items()}
    typed |= {found.casefold(): found for found in CAPITALS.findall(question)}
    named = {code: id for code, written in typed.items() if (id := document(written)) is not None}
    claim = without_source(claim, named)
    asks = interrogative(claim)
    wants, language, measured = asked(asks), given.language or language_of(claim), unit_wanted(question)
    wants = wants if measured is None else wants.measured_in(measured)
    return Contract(
        framing=FRAMING,
        question=question,
        claim=claim,
        facts=(*_facts(claim, asks, wants, language), *_given(given.parameters)),
        parameters=tuple(sorted(given.parameters.items())),
        stated=tuple(qualifiers(without_source(question, named))),
        comparisons=comparisons(question),
        unit=measured,
        collections=collections,
        documents=tuple(dict.fromkeys(named.values())),
        wanted=_wanted(question, given, named=bool(named)),
        form=wants.form,
        language=language,
        reply_in=given.reply_in or language,
        origins=tuple((name, "caller") for name in given.fields),
        limits=given.limits,
    )


def language_of(text: str) -> str:
    """Return the language whose function words a text uses most; English where none stands out."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    counts = {language: sum(word in stop for word in words) for language, stop in STOPWORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > counts["en"] else "en"


def _collections(question: str, catalogue: Catalogue) -> tuple[tuple[str, ...], str]:
    """Return the collections that the question names as its source, and the question without those words."""
    named, claim = [], question
    for collection in catalogue.collections:
        for alias in sorted({collection.title, *collection.aliases, collection.name} - {""}, key=len, reverse=True):
            found = re.search(rf"\b{SOURCE}{re.escape(alias)}(?![\w-])", claim, re.IGNORECASE)
            if found is not None:
                named.append(collection.name)
                lead = re.match(r"\s*,?\s*", claim[found.end() :])
                rest = claim[: found.start()] + " " + claim[found.end() + (lead.end() if lead else 0) :]
                claim = rest.strip() if len(rest.split()) >= _SHORTEST else claim
                break
    return tuple(named), claim


def _wanted(question: str, given: Given, *, named: bool) -> RevisionWanted:
    if given.as_of is not None or given.revision is not None:
        at = given.as_of or given.today
        return RevisionWanted(at=at, named=given.revision, historical=at != given.today)
    revision = _REVISION.search(question)
    if named and revision is not None:
        return RevisionWanted(at=given.today, named=revision["named"].rstrip("."))
    for found in dates(question):
        if _AS_OF.search(question[: found.start]):
            return RevisionWanted(at=found.day, historical=found.day != given.today)
    for year in _YEAR.finditer(
        question
    ):  # the last day of it that there has been; "in 2024" alone says when a thing happened
        if _AS_OF.search(question[: year.start()]):
            last = date(int(year["year"]), 12, 31)
            at = given.today if last.year == given.today.year else last
            return RevisionWanted(at=at, historical=at != given.today)
    return RevisionWanted(at=given.today)


def interrogative(claim: str) -> str:
    """Return the sentence that asks, where others only set the scene; the whole where there is one or none asks."""
    sentences = [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])", claim.strip()) if part]
    asking = [part for part in sentences if part.rstrip().endswith("?")] or sentences[-1:]
    return asking[-1] if len(sentences) > 1 and asking else claim


def _facts(claim: str, asks: str, wants: Asked, language: str) -> tuple[RequiredFact, ...]:
    """Return what must be established: each code as it is, the topic, what is asked of it, a value of the form.

    The topic is that of the sentence that asks; what sets the scene joins it only where that says too little.
    """
    exact = list(codes(claim))
    facts = [RequiredFact(kind="entity", name=code, terms=(code,), sort=_sort(code, claim, language)) for code in exact]
    facts += [_thing(key, value) for key, value in qualifiers(claim)] + _names(claim, language) + _party(asks, language)
    topic, whole = _content(asks, language, exact), _content(claim, language, exact)
    apart = {word.casefold() for fact in facts for word in fact.words} | {
        fact.qualifier[0] for fact in facts if fact.qualifier
    }
    topic = [pair for pair in topic if pair[1] not in apart] or topic
    if wants.form == "name":
        topic = [pair for pair in topic if not wants.names_dimension(pair[1])]
    topic = topic if len(topic) > 1 else whole
    if wants.form == "number":  # the value itself says that it is a pressure
        topic = [pair for pair in topic if not wants.names_dimension(pair[1])] or topic
    if topic:
        facts.append(_fact("topic", topic, scene=tuple(term for term, _ in whole if (term, _) not in topic)))
    for phrase, optional in ((wants.focus, False), (wants.action, True)):
        named = [] if phrase is None else _content(phrase, language, [])
        named = [pair for pair in named if pair in whole and not wants.names_dimension(pair[1])]
        if named:
            facts.append(_fact("focus", named[-2:], optional=optional))
    facts += _relation(asks, language)
    apart_from = [(part, _content(part, language, exact)) for part in (parts(asks) if language == "en" else ())]
    facts += [_fact("focus", held, name=part, role="part") for part, held in apart_from if held]
    return (*facts, value) if (value := _value(wants)) is not None else tuple(facts)


def _sort(code: str, claim: str, language: str) -> str:
    """Return the noun before a code that says what it stands for; none where it could be a verb, or says nothing."""
    starts = [start for start, end in occurrences(code, claim) if claim[end : end + 1] != "-"]
    before = (_DETERMINED.search(claim, max(0, start - _NEAR), start) for start in starts)
    found = next(filter(None, before), None)
    word = found["noun"].casefold() if found is not None and language == "en" else ""
    return "" if word in GENERIC | STOPWORDS["en"] | _FILLER or word.endswith("ing") else word


def _given(parameters: Mapping[str, str]) -> list[RequiredFact]:
    """Return the parameters that the caller fixes: evidence that does not say it is for them is not enough."""
    return [_thing(label(key).split()[-1], value) for key, value in sorted(parameters.items()) if label(key)]


def _thing(key: str, value: str) -> RequiredFact:
    return RequiredFact(kind="entity", name=f"{key} {value}".casefold(), qualifier=(key.casefold(), value.casefold()))


def _names(claim: str, language: str) -> list[RequiredFact]:
    """Return the proper names of a question: capitalised words inside a sentence, months and days left out."""
    if language == "de":  # where every noun is capitalised
        return []
    found = []
    for match in _NAME.finditer(claim):
        word = match.group()
        if word.casefold() not in _CALENDAR | STOPWORDS["en"] | STOPWORDS.get(language, frozenset()) and not any(
            c.isdigit() for c in word
        ):
            found.append(RequiredFact(kind="entity", name=word.casefold(), terms=_stems(word, language), words=(word,)))
    return list({fact.name: fact for fact in found if fact.terms}.values())


def _party(asks: str, language: str) -> list[RequiredFact]:
    """Return for whom something is asked, as a fact that evidence has to name."""
    named = party(asks) if language == "en" else None
    if named is None:
        return []
    words = tuple(named.split())
    stems = tuple(stem for word in kinds(words) for stem in _stems(word, language))
    return [RequiredFact(kind="entity", name=named, terms=stems, words=words, role="party")] if stems else []


def _relation(asks: str, language: str) -> list[RequiredFact]:
    """Return what somebody is asked for doing, as a fact that evidence has to state: "replaces" of "Who replaces Lee?"."""
    verb = verb_asked(asks) if language == "en" else None
    if verb is None:
        return []
    return [RequiredFact(kind="focus", name=verb, terms=_stems(verb, language), words=(verb,), role="relation")]


def _stems(word: str, language: str) -> tuple[str, ...]:
    return tuple(term.term for term in terms(word, language))[:1]


def _value(wants: Asked) -> RequiredFact | None:
    if wants.dimensions == ("reason",):
        return RequiredFact(kind="value", name="a reason", dimensions=wants.dimensions)
    if wants.form == "text":
        return None
    what = "number" if len(wants.dimensions) > _NAMED else " or ".join(wants.dimensions)
    name = f"a {what}" if wants.form == "number" else f"a {wants.form}"
    counted = () if wants.counted is None else (wants.counted.casefold(),)
    return RequiredFact(kind="value", name=name, dimensions=wants.dimensions, words=counted)


def _fact(kind: str, pairs: list[tuple[str, str]], **more: object) -> RequiredFact:
    unique = dict(pairs)
    named = {"kind": kind, "name": " ".join(unique.values()), "terms": tuple(unique), "words": tuple(unique.values())}
    return RequiredFact.model_validate(named | more)


def _content(text: str, language: str, exact: list[str]) -> list[tuple[str, str]]:
    """Return the content terms of a text with the words they came from; function words and fillers are left out."""
    stop = STOPWORDS.get(language, STOPWORDS["en"]) | _FILLER
    skip = [place for code in exact for place in occurrences(code, text)]
    skip += [(found.start, found.end) for found in quantities(text) if found.dimension not in {"count", "number"}]
    firsts = [first for first, _ in sorted(skip)]
    reach = list(accumulate((other for _, other in sorted(skip)), max))
    pairs = []
    for term, start, end in terms(text, language):
        word = text[start:end]
        before = bisect_left(firsts, end)
        inside = before > 0 and start < reach[before - 1]
        folded = word.casefold()
        if not inside and folded not in stop and unit(word) is None and (len(word) > 1 or ord(word[0]) > _LETTERS):
            pairs.append((term, folded))
    parts = {part for _, word in pairs for part in word.split("-")}
    return [pair for pair in pairs if "-" not in pair[1] or not set(pair[1].split("-")) & parts - {pair[1]}]
