"""Rules that read off a question which form its answer has, which dimension a number must have, and what is asked."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.contract import AnswerForm
from remit.contract.quantity import UNITS

_ANY: Final = tuple(sorted({dimension for dimension, _ in UNITS.values()} | {"count", "number"}))
_DIMENSIONS: Final[dict[str, tuple[str, ...]]] = {
    word: dimensions
    for words, dimensions in (
        ("pressure", ("pressure",)),
        ("torque", ("torque",)),
        ("tight tightly", ("torque", "force")),
        ("tension", ("force", "pressure")),
        ("force load", ("force", "mass")),
        ("temperature hot warm cold heat", ("temperature",)),
        ("clearance offset runout gap diameter thickness width depth height distance radius", ("length",)),
        ("deep high wide thick far tall", ("length",)),
        ("speed fast quickly", ("speed", "rotation")),
        ("often frequently interval intervals frequency", ("duration", "count")),
        ("long duration period", ("duration", "length", "count")),
        ("old age notice", ("duration",)),
        ("cost costs price fee charge pay paid wage salary expensive", ("money",)),
        ("weigh weight heavy mass", ("mass",)),
        ("volume capacity", ("volume",)),
        ("limit level setpoint setting allowance maximum minimum value", _ANY),
    )
    for word in words.split()
}
_HOW: Final = re.compile(
    r"\bhow (?P<word>many|much|long|often|frequently|fast|tight|hot|warm|cold|deep|high|wide|thick"
    r"|far|old|heavy|big|large)\b(?P<rest>[^?.,;]*)",
    re.IGNORECASE,
)
_WHAT: Final = re.compile(r"\b(?:what(?:'s)?|which|whose)\b(?P<rest>[^?.;]*)", re.IGNORECASE)
_EXTREME: Final = re.compile(r"\b(?:max(?:imum)?|min(?:imum)?|highest|lowest|most|least|longest|shortest)\b", re.I)
_BOOLEAN: Final = re.compile(
    r"(?:^|[.,;:!?]\s*|\b(?:and|so|but|then)\s+)(?:can|could|may|must|should|shall|is|are|was|were|do|does|did|has|have"
    r"|will|would|am|darf|muss|ist|sind|kann|est-ce)\s+(?!you (?:tell|say|show|explain)\b)",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"\b(?:when|(?:what|which) (?:day|date|month|year)|how soon|wann|quand)\b", re.IGNORECASE)
_NAME: Final = re.compile(
    r"\b(?:who|whom|whose|wer|qui|(?:what|which) (?:part|model|brand|extension|number|code|type|grade|company|person"
    r"|role|tool|material|pump|valve|colou?r|phone|room|form|document)\b)",
    re.IGNORECASE,
)
_LIST: Final = re.compile(
    r"\b(?:list|name all|which (?:items|tools|documents|records|people|steps|parts|things)"
    r"|what (?:do|must|should|does) \w+ (?:need|have|bring|wear|put on)|what (?:ppe|equipment|documents|tools) )",
    re.IGNORECASE,
)
_TEXT: Final = re.compile(
    r"\b(?:why|how (?:do|does|did|should|can|is|are|come)|explain|describe|summari[sz]e|warum)\b", re.I
)
_PREPOSITIONS: Final = r"of|for|on|in|at|to|from|with|by|when|if|that|which|who|during|after|before|under|per|between"
_VERBS: Final = (
    r"is|are|was|were|be|do|does|did|has|have|had|can|may|must|should|shall|will|would|goes|go|comes|gets|get|need"
    r"|needs|applies|apply|i|we|you|they|he|she|it"
)


class Asked(NamedTuple):
    """What a question asks for: the form, the dimensions a number may have, and the words that name it."""

    form: AnswerForm
    dimensions: tuple[str, ...]
    focus: str | None


def asked(question: str) -> Asked:
    """Return form, dimensions and focus of a question, by rules; form "text" where no rule matches."""
    how = _HOW.search(question)
    focus = _focus(question)
    dimensions = _dimensions(how, focus)
    if _TEXT.search(question) and how is None:
        return Asked("text", (), focus)
    if how is not None:
        return Asked("number", dimensions or _ANY, None)
    if _DATE.search(question):
        return Asked("date", (), None)
    if _LIST.search(question):
        return Asked("list", (), None)
    if dimensions and (_WHAT.search(question) or _EXTREME.search(question)):
        return Asked("number", dimensions, focus)
    if _NAME.search(question):
        return Asked("name", (), focus)
    if _BOOLEAN.search(question) and not _WHAT.search(question):
        return Asked("boolean", (), None)
    return Asked("text", (), focus)


def _dimensions(how: re.Match[str] | None, focus: str | None) -> tuple[str, ...]:
    if how is not None:
        word, rest = how["word"].lower(), how["rest"].split()
        unit = rest[0].lower() if rest else ""
        if unit in UNITS:
            return (UNITS[unit][0],)
        named = tuple(d for w in rest[:3] for d in _DIMENSIONS.get(w.lower(), ()))
        if word == "many":
            return ("count", "number")
        if word == "much":
            money = any(w in {"cost", "costs", "pay", "paid", "get", "charge", "money"} for w in rest)
            return named or (("money", "duration", "share") if money else ())
        return _DIMENSIONS.get(word, ())
    words = re.findall(r"[\w°/·]+", (focus or "").lower())
    return tuple(dict.fromkeys(d for word in words for d in _DIMENSIONS.get(word, ())))


def _focus(question: str) -> str | None:
    """Return the noun phrase that names what is asked: "root cause" of "What was the root cause of the failure?"."""
    what = _WHAT.search(question)
    if what is None:
        extreme = _EXTREME.search(question)
        return question[extreme.end() :].strip(" ?.") if extreme else None
    rest = re.sub(rf"^\s*(?:{_VERBS})\b\s*", " ", what["rest"], flags=re.IGNORECASE)
    rest = re.sub(
        r"^\s*(?:the|a|an|our|my|your|their|its|most|max|maximum|minimum)\b\s*", " ", rest, flags=re.IGNORECASE
    )
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS})\b", rest, maxsplit=1, flags=re.IGNORECASE)[0]
    return phrase.strip(" ,'") or None
