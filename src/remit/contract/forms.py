"""Rules that read off a question which form its answer has, which dimension a number must have, and what is asked."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from remit.contract.contract import AnswerForm
from remit.contract.dimensions import ANY_DIMENSION, DIMENSIONS, HEADS, MEASURED, kinds_of
from remit.contract.quantity import ADJECTIVES
from remit.contract.translated import in_english
from remit.contract.units import unit, whole_of

_HOW: Final = re.compile(
    r"\bhow (?P<word>many|much|long|often|frequently|fast|quickly|tight|hot|warm|cold|deep|high|wide|thick"
    r"|far|old|heavy|big|large)\b(?P<rest>[^?.,;]*)",
    re.IGNORECASE,
)
_WHAT: Final = re.compile(r"\b(?:what(?:'s)?|which|whose)\b(?P<rest>[^?.;]*)", re.IGNORECASE)
_BOOLEAN: Final = re.compile(
    r"(?:^|[.,;:!?]\s*|\b(?:and|so|but|then)\s+)(?:can|could|may|must|should|shall|is|are|was|were|do|does|did|has|have"
    r"|will|would|am|darf|muss|ist|sind|kann|est-ce)\s+(?!you (?:tell|say|show|explain)\b)",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"(?:(?:^|[,.;:!]\s*|\b(?:and|since|by|until|so|but)\s+)when"
    r"|\b(?:what|which) (?:day|date|month|year|time)|\bhow soon|\bwann|\bquand)\b",
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
_SETTING: Final = re.compile(r"\bset (?:at|to)\s*\??$", re.IGNORECASE)
_WHY: Final = re.compile(
    r"\b(?:why|how come|what (?:caused|(?:was|is|were) the (?:cause|reason))|the reason)\b", re.IGNORECASE
)
_TEXT: Final = re.compile(
    r"\b(?:why|how (?:do|does|did|should|can|is|are|come)|explain|describe|summari[sz]e|warum)\b", re.IGNORECASE
)
_PREPOSITIONS: Final = r"of|for|on|in|at|to|from|with|by|when|if|that|which|who|during|after|before|under|per|between"
_AUXILIARIES: Final = r"is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|shall|will|would"
_PRONOUNS: Final = r"i|we|you|they|he|she|it|one|someone|somebody|anyone|people|this|that|there"
_ARTICLES: Final = r"the|a|an|our|my|your|their|its|his|her|any|this|that|these|those"
_CLAUSE: Final = re.compile(r"\b(?:who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
_VERBS: Final = (
    r"is|are|was|were|be|do|does|did|has|have|had|can|may|must|should|shall|will|would|goes|go|comes|gets|get|need"
    r"|needs|applies|apply|i|we|you|they|he|she|it"
)


_DOES: Final = (
    r"lies|stands|hangs|sits|belongs|leads|serves|flows|contains|covers|feeds|supplies|drives|requires|weighs|lasts|fits|opens|closes"
    r"|begins|arrives|departs|carries"
)
"""Verbs behind "which ship" that name nothing asked for."""
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
    """What a question asks for: the form, the dimensions a number may have, and the words that name it.

    `focus` is a thing ("warranty"), `action` what somebody does ("run" of "do I run P-101 in"), `counted` what "how many"
    counts.
    """

    form: AnswerForm
    dimensions: tuple[str, ...]
    focus: str | None
    action: str | None = None
    counted: str | None = None

    def names_dimension(self, word: str) -> bool:
        """Say whether a word only names what kind of span is wanted, as "pressure" and "part number" do."""
        if self.form == "name":
            return word in _LABELS
        said = in_english(word)
        return bool(self.dimensions) and said in DIMENSIONS and said not in HEADS

    def measured_in(self, written: str) -> Asked:
        """Return what is asked for as an amount of what this unit measures, where a number is asked for."""
        read = unit(written)
        return (
            self._replace(dimensions=(read.dimension,)) if read and self.form == "number" and len(written) > 1 else self
        )


def asked(question: str) -> Asked:
    """Return form, dimensions and focus of a question, by rules; form "text" where no rule matches."""
    question = in_english(question)
    how, what = _HOW.search(question), _WHAT.search(question)
    focus = _subject(how) if how is not None else _focus(question)
    dimensions = _dimensions(how, focus)
    if how is not None:
        return Asked("number", dimensions or ANY_DIMENSION, focus, _action(how["rest"]), _counted(how))
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
        (_NAME.search(question) is not None or _labels(focus), Asked("name", (), focus)),
        (_BOOLEAN.search(question) is not None and not asks_what, Asked("boolean", (), None)),
        (bool(dimensions), Asked("number", dimensions, focus if _is_thing(focus) else _owner(question) or focus)),
        (_SETTING.search(question) is not None, Asked("number", MEASURED, None)),
    ):
        if fits:
            return asked_for
    return Asked("text", (), focus)


def _is_thing(focus: str | None) -> bool:
    """Say whether what is asked of a thing has to be named beside its value: a dose may be any mass, a pressure is one."""
    words = (focus or "").lower().split()
    return bool(words) and words[-1] in HEADS


def _labels(focus: str | None) -> bool:
    words = (focus or "").lower().split()
    return bool(words) and words[-1] in _LABELS


def _owner(question: str) -> str | None:
    """Return what a quantity is of: "gland nuts" of "What torque do the gland nuts get?"."""
    rest = question if (what := _WHAT.search(question)) is None else what["rest"]
    found = re.search(
        r"\b(?P<lead>do|does|did|should|must|for|of)\s+(?:the|a|an|our)\s+(?P<noun>[^,;.?]+)", rest, re.IGNORECASE
    )
    if found is None:
        return None
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS})\b", found["noun"], maxsplit=1, flags=re.IGNORECASE)[0]
    words = phrase.strip(" ,'").split()
    ends_in_verb = found["lead"].lower() not in {"for", "of"} and len(words) > 1 and phrase == found["noun"]
    return " ".join(words[:-1] if ends_in_verb else words) or None


def _action(rest: str) -> str | None:
    """Return the verb after a pronoun: "run" of "do I run P-101 in", None where no pronoun is the subject."""
    found = re.search(
        rf"\b(?:{_AUXILIARIES})\s+(?:{_PRONOUNS})\s+(?:have to\s+|need to\s+)?(?P<verb>[^\W\d]+)", rest, re.IGNORECASE
    )
    return None if found is None else found["verb"]


def _counted(how: re.Match[str]) -> str | None:
    """Return the noun after "how many", where it is no unit."""
    noun = (
        re.match(rf"\s*(?:\w+\s+)??(?!(?:{_VERBS})\b)(?P<noun>[^\W\d]+s)\b", how["rest"])
        if how["word"].lower() == "many"
        else None
    )
    return None if noun is None or unit(noun["noun"]) is not None else noun["noun"]


def _dimensions(how: re.Match[str] | None, focus: str | None) -> tuple[str, ...]:
    """Return the dimensions a number may have: the unit or quantity after "how", else what the focus names."""
    if how is None:
        return kinds_of(re.findall(r"[\w°/·]+", (focus or "").lower()))
    if re.match(r"\s*(?:in advance|ahead|beforehand)\b", how["rest"], re.IGNORECASE):
        return ("duration",)
    word, rest = how["word"].lower(), re.findall(r"[\w°/·%]+", how["rest"].lower())
    counted = _unit_of(how["rest"])
    if counted is not None:
        return (counted,)
    if word == "many":
        return ("count", "number")
    if word == "much":
        money = _MONEY.search(how["rest"]) is not None
        return kinds_of(rest[:3]) or (("money", "duration", "share") if money else MEASURED)
    named = (
        kinds_of([w for w in rest if DIMENSIONS.get(w) != ANY_DIMENSION])
        if word in {"fast", "quickly", "far", "high"}
        else ()
    )
    return tuple(dict.fromkeys((*DIMENSIONS.get(word, ()), *named)))


def _unit_of(rest: str) -> str | None:
    """Return what the unit measures that stands right behind "how many": "ml per hour" a volume in a time."""
    written = re.match(
        rf"\s*(?:(?!square|cubic)(?:{ADJECTIVES})\s+)?(?P<unit>(?:(?:square|cubic)\s+)?[^\s?,;]+(?P<per>\s+(?:per|pro|par|por)\s+\w+)?)",
        rest,
        re.IGNORECASE,
    )
    if written is None:
        return None
    read = unit(written["unit"]) or unit(written["unit"].removesuffix(written["per"] or "\0"))
    return None if read is None else whole_of(read.dimension)


def _subject(how: re.Match[str]) -> str | None:
    """Return what a "how" question is about: "warranty" of "How long is the warranty on the belt?".

    None where its subject is a pronoun ("How long do I ..."): what is asked is then a whole action, not a thing.
    """
    rest = how["rest"].strip()
    if how["word"].lower() in {"much", "many"}:
        noun = re.match(
            rf"(?!(?:{_VERBS})\b)(?P<noun>[^\W\d]+(?:\s+(?!(?:{_VERBS}|{_PREPOSITIONS})\b)[^\W\d]+)*)", rest
        )
        if noun is not None:
            return noun["noun"] if unit(noun["noun"]) is None else None
    subject = re.match(
        rf"(?:{_AUXILIARIES})\s+(?!(?:{_PRONOUNS})\b)(?:(?:{_ARTICLES})\s+)?(?P<noun>[^,;.?]+)", rest, re.IGNORECASE
    )
    if subject is None:
        return None
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS})\b", subject["noun"], maxsplit=1, flags=re.IGNORECASE)[0]
    return phrase.strip(" ,'") or None


def _focus(question: str) -> str | None:
    """Return the noun phrase that names what is asked: "root cause" of "What was the root cause of the failure?".

    A question without a question word is one noun phrase ("Alarm setting for K-401?") after "need the" and its like.
    None where there is no such phrase ("What happens if ...", "What do I ...").
    """
    what = _WHAT.search(question)
    if what is None and (_BOOLEAN.search(question) or _CLAUSE.search(question)):
        return None
    rest = question if what is None else what["rest"]
    if re.match(
        rf"\s*(?:(?:{_AUXILIARIES})\s+(?:{_PRONOUNS})|\w+ed|happen\w*|cause[sd]?|goes|makes|tells)\b",
        rest,
        re.IGNORECASE,
    ):
        return None
    lead = rf"(?:{_VERBS}|{_LEAD}|{_ARTICLES}|max|maximum|minimum|highest|lowest|most)"
    rest = re.sub(rf"^(?:[\s,]*{lead}\b)+", " ", rest, flags=re.IGNORECASE)
    phrase = re.split(rf"\b(?:{_PREPOSITIONS}|{_VERBS}|{_DOES})\b|[,.;?]", rest, maxsplit=1, flags=re.IGNORECASE)[0]
    return phrase.strip(" ,'") or None
