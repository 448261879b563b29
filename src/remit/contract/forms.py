"""Rules that read off a question which form its answer has, which dimension a number must have, and what is asked."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.contract import AnswerForm
from remit.contract.quantity import UNITS

_ANY: Final = tuple(sorted({dimension for dimension, _ in UNITS.values()} | {"count", "number"}))
"""Any dimension: the question does not say of what."""
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
        ("often frequently interval intervals frequency", ("duration", "cycle")),
        ("long duration period", ("duration", "length", "cycle")),
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
_EXTREME: Final = re.compile(
    r"\b(?:max(?:imum)?|min(?:imum)?|highest|lowest|most|least|longest|shortest)\b", re.IGNORECASE
)
_BOOLEAN: Final = re.compile(
    r"(?:^|[.,;:!?]\s*|\b(?:and|so|but|then)\s+)(?:can|could|may|must|should|shall|is|are|was|were|do|does|did|has|have"
    r"|will|would|am|darf|muss|ist|sind|kann|est-ce)\s+(?!you (?:tell|say|show|explain)\b)",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"(?:(?:^|[,.;:!]\s*|\b(?:and|since|by|until|so|but)\s+)when"
    r"|\b(?:what|which) (?:day|date|month|year)|\bhow soon|\bwann|\bquand)\b",
    re.IGNORECASE,
)
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
_MONEY: Final = re.compile(r"\b(?:cost|costs|price|pay|paid|charge|fee)\b", re.IGNORECASE)
_WHY: Final = re.compile(r"\b(?:why|how come|warum|pourquoi)\b", re.IGNORECASE)
_TEXT: Final = re.compile(
    r"\b(?:why|how (?:do|does|did|should|can|is|are|come)|explain|describe|summari[sz]e|warum)\b", re.I
)
_PREPOSITIONS: Final = r"of|for|on|in|at|to|from|with|by|when|if|that|which|who|during|after|before|under|per|between"
_VERBS: Final = (
    r"is|are|was|were|be|do|does|did|has|have|had|can|may|must|should|shall|will|would|goes|go|comes|gets|get|need"
    r"|needs|applies|apply|i|we|you|they|he|she|it"
)


_LABELS: Final = frozenset("part number code extension phone tag id serial model name person role reference".split())
"""Words for what a name is of, which the evidence need not repeat."""


class Asked(NamedTuple):
    """What a question asks for: the form, the dimensions a number may have, and the words that name it."""

    form: AnswerForm
    dimensions: tuple[str, ...]
    focus: str | None

    def names_dimension(self, word: str) -> bool:
        """Say whether a word only names what kind of span is wanted, as "pressure" and "part number" do."""
        if self.form == "name":
            return word in _LABELS
        return bool(self.dimensions) and word in _DIMENSIONS


def asked(question: str) -> Asked:
    """Return form, dimensions and focus of a question, by rules; form "text" where no rule matches."""
    how, what = _HOW.search(question), _WHAT.search(question)
    focus = _subject(how) if how is not None else _focus(question)
    dimensions = _dimensions(how, focus)
    if _TEXT.search(question) and how is None:
        return Asked("text", ("reason",) if _WHY.search(question) else (), focus)
    if how is not None:
        return Asked("number", dimensions or _ANY, focus)
    if _DATE.search(question):
        return Asked("date", (), None)
    if _LIST.search(question):
        return Asked("list", (), None)
    if what is not None and _MONEY.search(question) and not dimensions:
        return Asked("number", ("money", "share"), None)
    if dimensions and (what is not None or _EXTREME.search(question)):
        return Asked("number", dimensions, None)
    if _NAME.search(question):
        return Asked("name", (), focus)
    if _BOOLEAN.search(question) and what is None:
        return Asked("boolean", (), None)
    return Asked("text", (), focus)


def _dimensions(how: re.Match[str] | None, focus: str | None) -> tuple[str, ...]:
    """Return the dimensions a number may have: the unit or quantity after "how", else what the focus names."""
    if how is None:
        return _named(re.findall(r"[\w°/·]+", (focus or "").lower()))
    word, rest = how["word"].lower(), how["rest"].lower().split()
    if rest and rest[0] in UNITS:
        return (UNITS[rest[0]][0],)
    if word == "many":
        return ("count", "number")
    if word == "much":
        money = _MONEY.search(how["rest"]) is not None
        return _named(rest[:3]) or (("money", "duration", "share") if money else ())
    return _DIMENSIONS.get(word, ())


def _named(words: list[str]) -> tuple[str, ...]:
    """Return the dimensions that words name; a general word ("limit") adds none where another is specific."""
    found = [_DIMENSIONS[word] for word in words if word in _DIMENSIONS]
    specific = [dimensions for dimensions in found if dimensions != _ANY] or found
    return tuple(dict.fromkeys(dimension for dimensions in specific for dimension in dimensions))


def _subject(how: re.Match[str]) -> str | None:
    """Return what a "how" question is about: "warranty" of "How long is the warranty on the belt?"."""
    rest = how["rest"].strip()
    if how["word"].lower() in {"much", "many"}:
        first = rest.split(maxsplit=1)
        rest = rest if first and first[0].lower() not in UNITS else (first[1] if len(first) > 1 else "")
    rest = re.sub(rf"^(?:(?:{_VERBS}|the|a|an|our|my|your|someone|people)\b\s*)+", "", rest, flags=re.IGNORECASE)
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS}|the|a|an)\b", rest, maxsplit=1, flags=re.IGNORECASE)[0]
    return phrase.strip(" ,'") or None


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
