"""Rules that read off a question which form its answer has, which dimension a number must have, and what is asked."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.contract import AnswerForm
from remit.contract.quantity import UNITS

_ANY: Final = tuple(sorted({dimension for dimension, _ in UNITS.values()} | {"count", "number"}))
"""Any dimension: the question does not say of what."""
_MEASURED: Final = tuple(dimension for dimension in _ANY if dimension not in {"count", "number", "cycle"})
"""What "how much" of something may be: measured, not counted."""
_DIMENSIONS: Final[dict[str, tuple[str, ...]]] = {
    word: dimensions
    for words, dimensions in (
        ("pressure", ("pressure",)),
        ("torque", ("torque",)),
        ("tight tightly", ("torque", "force")),
        ("tension", ("force", "pressure")),
        ("force load", ("force", "mass")),
        ("temperature hot warm cold heat cool degrees grad", ("temperature",)),
        ("vibration", ("speed",)),
        ("clearance offset runout gap diameter thickness width depth height distance radius play", ("length",)),
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
    r"\bhow (?P<word>many|much|long|often|frequently|fast|quickly|tight|hot|warm|cold|deep|high|wide|thick"
    r"|far|old|heavy|big|large)\b(?P<rest>[^?.,;]*)",
    re.IGNORECASE,
)
_SAME: Final = (
    (r"wie ?viele?|combien(?: de)?", "how much"),
    (r"wie lange|combien de temps", "how long"),
    (r"wie oft|à quelle fréquence", "how often"),
    (r"wie schnell|à quelle vitesse", "how fast"),
    (r"wie (?:heiß|warm)", "how hot"),
    (r"wann|quand", "when"),
    (r"wer|wem|wen|qui", "who"),
    (r"warum|weshalb|wieso|pourquoi", "why"),
    (r"welche[rsnm]?|quels?|quelles?", "which"),
    (r"druck|pression", "pressure"),
    (r"drehmoment|couple de serrage", "torque"),
    (r"temperatur|température", "temperature"),
    (r"darf|dürfen|kann|können|peut-on", "may"),
)
"""German and French question words, by the English ones that the rules are written in."""
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
    r"(?:^|[.,;]\s*)(?:please )?(?:list|name)\b"
    r"|\b(?:what|which) (?:\w+ )?\w{2,}[^s\W]s (?:do|are|must|should|have|need|can|may|were|shall)\b"
    r"|\b(?:which (?:items|tools|documents|records|people|steps|parts|things)"
    r"|what (?:do|must|should|does) \w+ (?:need|have|bring|wear|put on)|what (?:ppe|equipment|documents|tools) )",
    re.IGNORECASE,
)
_MONEY: Final = re.compile(r"\b(?:cost|costs|price|pay|paid|charge|fee)\b", re.IGNORECASE)
_WHY: Final = re.compile(r"\b(?:why|how come|warum|pourquoi)\b", re.IGNORECASE)
_TEXT: Final = re.compile(
    r"\b(?:why|how (?:do|does|did|should|can|is|are|come)|explain|describe|summari[sz]e|warum)\b", re.IGNORECASE
)
_PREPOSITIONS: Final = r"of|for|on|in|at|to|from|with|by|when|if|that|which|who|during|after|before|under|per|between"
_VERBS: Final = (
    r"is|are|was|were|be|do|does|did|has|have|had|can|may|must|should|shall|will|would|goes|go|comes|gets|get|need"
    r"|needs|applies|apply|i|we|you|they|he|she|it"
)


_LABELS: Final = frozenset(
    [
        "part",
        "number",
        "code",
        "extension",
        "phone",
        "tag",
        "id",
        "serial",
        "model",
        "name",
        "person",
        "role",
        "reference",
    ]
)
"""Words for what a name is of, which the evidence need not repeat."""


_LEAD: Final = (
    r"need|needs|give me|get me|tell me|show me|remind me of|looking for|want|wanted|find|please|and|so|ok|hi|set"
)


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
    for pattern, same in _SAME:
        question = re.sub(rf"\b(?:{pattern})\b", same, question, flags=re.IGNORECASE)
    how, what = _HOW.search(question), _WHAT.search(question)
    focus = _subject(how) if how is not None else _focus(question)
    dimensions = _dimensions(how, focus)
    if how is not None:
        return Asked("number", dimensions or _ANY, focus)
    if _TEXT.search(question):
        return Asked("text", ("reason",) if _WHY.search(question) else (), focus)
    return _by_words(question, dimensions, focus, asks_what=what is not None)


def _by_words(question: str, dimensions: tuple[str, ...], focus: str | None, *, asks_what: bool) -> Asked:
    """Return the first form whose words the question has; a named dimension makes it a number."""
    money = asks_what and not dimensions and _MONEY.search(question) is not None
    for fits, asked_for in (
        (_DATE.search(question) is not None, Asked("date", (), None)),
        (_LIST.search(question) is not None, Asked("list", (), None)),
        (money, Asked("number", ("money", "share"), None)),
        (_NAME.search(question) is not None, Asked("name", (), focus)),
        (_BOOLEAN.search(question) is not None and not asks_what, Asked("boolean", (), None)),
        (bool(dimensions), Asked("number", dimensions, focus)),
    ):
        if fits:
            return asked_for
    return Asked("text", (), focus)


def _dimensions(how: re.Match[str] | None, focus: str | None) -> tuple[str, ...]:
    """Return the dimensions a number may have: the unit or quantity after "how", else what the focus names."""
    if how is None:
        return _named(re.findall(r"[\w°/·]+", (focus or "").lower()))
    word, rest = how["word"].lower(), re.findall(r"[\w°/·%]+", how["rest"].lower())
    if rest and rest[0] in UNITS:
        return (UNITS[rest[0]][0],)
    if word == "many":
        return ("count", "number")
    if word == "much":
        money = _MONEY.search(how["rest"]) is not None
        return _named(rest[:3]) or (("money", "duration", "share") if money else _MEASURED)
    rate = _named(rest) if word in {"fast", "quickly"} else ()
    return tuple(dict.fromkeys((*_DIMENSIONS.get(word, ()), *rate)))


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
    """Return the noun phrase that names what is asked: "root cause" of "What was the root cause of the failure?".

    A question without a question word is one noun phrase ("Alarm setting for K-401?") after "need the" and its like.
    """
    what = _WHAT.search(question)
    if what is None and _BOOLEAN.search(question):
        return None
    rest = question if what is None else what["rest"]
    lead = rf"(?:{_VERBS}|{_LEAD}|the|a|an|our|my|your|their|its|most|max|maximum|minimum|highest|lowest)"
    rest = re.sub(rf"^(?:[\s,]*{lead}\b)+", " ", rest, flags=re.IGNORECASE)
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS})\b|[,.;?]", rest, maxsplit=1, flags=re.IGNORECASE)[0]
    return phrase.strip(" ,'") or None
