"""Which relation a question asks about: who replaces a thing is not who answers for it, and when it opens not when it closes. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from remit.contract.irregular import IRREGULAR
from remit.contract.relation_words import GROUPS, LIGHT, LOOSE
from remit.contract.stopwords import STOPWORDS
from remit.contract.terms import Term, terms

_SUBORDINATE: Final = re.compile(
    r"(?<=\w)[\s,]+(?:before|after|when|if|while|until|once|because|since|where|that|which|who|so)\s(?!how|what|which)",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:how (?:often|long|soon|many|much|frequently)|when|what time)\b[^?]*?\b(?:is|are|was|were|do|does|did|must|should|may|can|will|has|have)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_IT: Final = re.compile(r"\b(?:it|its|they|them|these|this|those)\b", re.IGNORECASE)
_STANDS_IN: Final = re.compile(r"\b(?:stands?|stood|fills?|filled) in\b", re.IGNORECASE)
_BE: Final = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?)\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"\s*(?:it|them|one|this|that|these|those)\b", re.IGNORECASE)
_PASSIVE: Final = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_WHOSE_PLACE: Final = r"(?P<who>(?!(?:is|are|was|were|not|no|who|which|that|and|or|but)\b)[\w'-]+(?:\s(?!(?:is|are|was|were|not|no|who|which|that|and|or|but)\b)[\w'-]+){0,3}?)"
_BY: Final = re.compile(
    rf"[^.;]{{0,60}}?\bby\s+(?:(?:the|an?|our)\s+)?{_WHOSE_PLACE}(?=\s*(?:[.,;]|$|\b(?:of|for|on|in|at|to|from|with|before|after|every|each|daily|weekly|monthly|when|once|if|during|within)\b))",
    re.IGNORECASE,
)
_ACTOR: Final = re.compile(
    rf"(?:only\s+)?(?:(?:the|an?|our|each|every)\s+)?{_WHOSE_PLACE}\s+(?:(?:may|must|can|shall|will|has to|also|always|usually|normally|alone|only|is)\s+)*$",
    re.IGNORECASE,
)
_ARTICLES: Final = frozenset({"the", "a", "an", "our", "your", "my", "their", "its", "any", "all", "each", "every"})
_WHO: Final = re.compile(
    r"\bwho(?:m)?\s+(?:else\s+)?(?:(?:has|have|is|are|was)\s+(?:to|allowed to|authori[sz]ed to|permitted to|supposed to|entitled to|expected"
    r" to)\s+|(?:must|may|can|should|will|would|could|shall|does|do|did|usually|normally|also|always|then|actually)\s+)*"
    r"(?P<verb>[a-z]{3,})\b(?P<rest>[^?.,;]*)",
    re.IGNORECASE,
)
_ASKS_WHO: Final = re.compile(r"\bwho(?:m|'s)?\b", re.IGNORECASE)
_RESPONSIBLE: Final = re.compile(r"\bwho(?:'s| is| are| was| were)\s+(?:responsible|accountable)\b", re.IGNORECASE)
_ANYONE: Final = frozenset(
    {"someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "people", "staff", "again"}
)
_PREPOSITIONS: Final = frozenset("of for on in at to from with by when if during after before under per".split())  # noqa: SIM905 - a list of words reads better as words


_ENDS_NOUN: Final = (
    _PREPOSITIONS | STOPWORDS["en"] | _ANYONE | {"first", "next", "again", "last", "then", "later", "today"}
)


class _Group(NamedTuple):
    strong: frozenset[str]
    also: frozenset[str]


def _stems(words: str) -> frozenset[str]:
    made = {found.term for word in words.split() for found in terms(word)}
    return frozenset(made | {other for stem in made for other in IRREGULAR.get(stem, ())})


_READ: Final = tuple(_Group(_stems(strong), _stems(also)) for strong, also in GROUPS)
_CHARGES: Final = _stems(
    "responsible accountable approve approves authorise authorize inspect verify supervise oversee"
)
"""Words that say what somebody is in charge of, and hardly anything else."""


def verb_asked(question: str) -> str | None:
    """Return the verb of a question for somebody, as it stands: "replaces" of "Who replaces Dr Lee?"; None where any would do.

    >>> verb_asked("Who replaces Dr Lee?"), verb_asked("Who is the plant manager?")
    ('replaces', None)
    """
    if _RESPONSIBLE.search(question):
        return "responsible"
    found = _WHO.search(_STANDS_IN.sub("substitutes", question))
    verb = "" if found is None else found["verb"].casefold()
    told_in_other_words = verb in LOOSE or (verb.endswith("ed") and not _same(_stems(verb)))
    return None if told_in_other_words else verb or None


def alike(term: str) -> frozenset[str]:
    """Return the terms that may say the same relation as one, itself left out."""
    same = (group.strong | group.also for group in _READ if term in group.strong)
    return frozenset[str]().union(*same) - {term}


def main_clause(question: str) -> str:
    """Return the clause of a question that asks, without those that only say when or which: "before starting it"."""
    return _SUBORDINATE.split(question.strip(), maxsplit=1)[0]


def another_relation(question: str, text: str) -> bool:
    """Say whether a text states another relation than the one a question is about, and that one nowhere.

    >>> another_relation("When does the bank close?", "The bank opens at 07:30.")
    True
    >>> another_relation("When does the bank close?", "The bank opens at 07:30 and shuts at 16:00.")
    False
    """
    said = _words(text)
    verb = _main_verb(question)
    same = frozenset() if verb is None else verb.forms - (_words(question) - verb.stems)
    if verb is None or same & said:
        return False
    strong = (_CHARGES,) if verb.duty and not verb.thing else tuple(group.strong for group in _READ)
    return any(words & (said - _words(question)) for words in strong)


def thing_missed(question: str, text: str) -> frozenset[str]:
    """Return the terms of the last word of what the verb of a question is about, where a text has none of them and no pronoun.

    >>> thing_missed("How often are the pump filters replaced?", "The pump batteries are replaced every 2 years.")
    frozenset({'filter'})
    """
    verb = _main_verb(question)
    missed = frozenset[str]() if verb is None or verb.thing & _words(text) else verb.thing
    return frozenset() if _IT.search(text) else missed


class _Verb(NamedTuple):
    """The verb of a question: its terms, those that say the same, and those of the last word of what it is done to.

    `duty`: it is asked who does it, so that only what people are in charge of is another relation.
    """

    stems: frozenset[str]
    forms: frozenset[str]
    thing: frozenset[str]
    duty: bool = False


@lru_cache(maxsize=512)
def _main_verb(question: str) -> _Verb | None:
    clause = _STANDS_IN.sub("substitutes", main_clause(question))
    if (answers := _RESPONSIBLE.search(clause)) is not None:
        stems = _stems("responsible")
        return _Verb(stems, stems | _same(stems), _head(re.sub(r"^\s*for\b", "", clause[answers.end() :])))
    who = _WHO.search(clause)
    if who is not None:
        if who["verb"].casefold() in LIGHT:
            return None
        stems = _stems(who["verb"])
        known = verb_asked(clause) is not None
        return _Verb(stems, stems | _same(stems), _head(who["rest"]) if known else frozenset(), duty=True)
    asks = _ASKS.search(clause)
    words = [] if asks is None else [(found, _stems(found.group())) for found in _WORD.finditer(clause, asks.end())]
    stated = [(found, stems) for found, stems in words if any(group.strong & stems for group in _READ)]
    if asks is None or not stated:
        return None
    found, stems = stated[-1]
    subject, behind = clause[asks.end() : found.start()], clause[found.end() :]
    done_to = _BE.search(clause[asks.start() : found.start()]) is not None
    thing = _head(subject) if done_to or not _head(behind) else _head(behind)
    return _Verb(stems, stems | _same(stems), frozenset() if not done_to and _PRONOUN.match(behind) else thing)


def _same(stems: frozenset[str]) -> frozenset[str]:
    return frozenset[str]().union(*(group.strong | group.also for group in _READ if group.strong & stems))


def _head(phrase: str) -> frozenset[str]:
    """Return the terms of the last word of the noun phrase that a text begins with; none of a pronoun."""
    words = [found.group() for found in _WORD.finditer(phrase) if found.group().casefold() not in _ARTICLES]
    noun = list(takewhile(lambda word: word.casefold() not in _ENDS_NOUN and not word.endswith("ly"), words))
    return _stems(noun[-1]) if noun else frozenset()


def who_does(question: str, text: str) -> tuple[int, int] | None:
    """Return where a text names who does what a question for somebody asks, by the place beside its verb; None where it does not.

    >>> text = "The harbour master authorises departures."
    >>> text[slice(*who_does("Who authorises departures?", text))]
    'harbour master'
    """
    verb = _main_verb(question)
    if verb is None or _ASKS_WHO.search(question) is None:
        return None
    for found in terms(text):
        if found.term in verb.forms:
            by = _BY.match(text, found.end) if _PASSIVE.search(text[: found.start]) else None
            actor = by or _ACTOR.match(text[: found.start])
            if actor is not None and not _words(actor["who"]) <= _words(question):
                return actor.span("who")
    return None


def runs_backwards(question: str, text: str) -> bool:
    """Say whether a text has the verb of a question the wrong way round: who is asked to replace Lee, and Lee replaces Marsh."""
    asked = _WHO.search(question)
    verb = verb_asked(question)
    if asked is None or verb is None or verb == "responsible":
        return False
    whom = [
        found
        for found in re.findall(r"[^\W_][\w'-]*", asked["rest"])
        if found.casefold() not in {"the", "a", "an", "our", "your"}
    ]
    stems = {found.term for found in terms(verb)}
    acts = next((found for found in terms(text) if found.term in stems), None)
    if acts is None or not whom:
        return False
    return _before(text, whom, acts)


def _before(text: str, whom: list[str], acts: Term) -> bool:
    """Say whether what is acted on in the question stands right before the verb as who acts, and nowhere behind it."""
    phrase = list(takewhile(lambda word: word.casefold() not in _PREPOSITIONS, whom)) or whom[:1]
    last = phrase[-1]
    behind = re.search(rf"\b{re.escape(last)}\b", text[acts.end :], re.IGNORECASE)
    passive = _PASSIVE.search(text[: acts.start])
    right_before = re.search(
        rf"\b{re.escape(last)}\s+(?:\w+ly\s+|also\s+|always\s+|must\s+|may\s+|can\s+|shall\s+|will\s+)?$",
        text[: acts.start],
        re.IGNORECASE,
    )
    if passive is not None:
        return (
            re.search(rf"\bby\s+(?:(?:the|an?|our)\s+)?(?:\w+\s+)?{re.escape(last)}\b", text[acts.end :], re.IGNORECASE)
            is not None
        )
    return right_before is not None and behind is None


def _words(text: str) -> frozenset[str]:
    made = {found.term for found in terms(text)}
    return frozenset(made | {other for stem in made for other in IRREGULAR.get(stem, ())})
