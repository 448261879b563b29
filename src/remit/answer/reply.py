"""What a generator's reply says: any text becomes a parsed reply or a reason why it is none.

The form is made of lines, because models of half a billion parameters keep to lines and not to JSON::

    QUOTE [2]: Tighten the gland nuts evenly to 35 Nm.
    ANSWER: 35 Nm

Where a backend holds the model to a JSON schema, `SCHEMA` is that schema, and the reply is read strictly by it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

LONGEST: Final = 50_000
"""Characters of a reply that are read at all."""

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "quotes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    # A choice, for under a grammar a small model does not stop writing digits.
                    "passage": {"type": "integer", "enum": list(range(1, 46))},
                    "text": {"type": "string"},
                },
                "required": ["passage", "text"],
                "additionalProperties": False,
            },
        },
        "answer": {"type": ["string", "null"]},
    },
    "required": ["quotes", "answer"],
    "additionalProperties": False,
}
"""The shape of a reply as JSON; an `answer` of null says that no passage holds one."""

_MOST_QUOTES: Final = 12
_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_THOUGHT_END: Final = re.compile(r".*</(?:think|thinking|reasoning)>", re.IGNORECASE | re.DOTALL)
_THOUGHT_START: Final = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"[\s>*#-]*(?:(?P<quote>QUOTE)\b[\s*]*(?:\[(?P<number>[^\]\n]*)\]|(?P<bare>\d+))?|(?P<answer>ANSWER))[\s*]*[:\uff1a][\s*]*(?P<rest>.*)",
    re.IGNORECASE,
)
_NEXT_TURN: Final = re.compile(r"\s*(?:QUESTION\b.*:|\[\d+\]\s*<<)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}")
_MARKER: Final = re.compile(r"\s*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")
_PAIRS: Final = ('""', "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb", "\u00bb\u00ab", "\u2018\u2019", "''", "``")
_MARKS: Final = {pair[0]: pair[1] for pair in _PAIRS}


class Quoted(NamedTuple):
    """A quotation as the model gave it: the passage's number, from 1, and the words."""

    passage: int
    text: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply that keeps to the form. `answer` is None where the model found none in the passages.

    `rejected` says which quotations were not taken, such as those of a passage that was not given.
    """

    answer: str | None
    quotes: tuple[Quoted, ...] = ()
    rejected: tuple[str, ...] = ()

    @property
    def unquoted(self) -> bool:
        """Say whether the reply answers and quotes nothing at all, rightly or wrongly."""
        return self.answer is not None and not self.quotes and not self.rejected


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply that does not keep to the form, and why."""

    reason: str


class _Line(NamedTuple):
    """One labelled line with what follows it; `number` is what stood in the brackets of a quotation."""

    is_answer: bool
    number: str
    text: str


def parse(text: str, passages: int) -> Parsed | Unreadable:
    """Return what a reply to a prompt with so many passages says."""
    if len(text) > LONGEST:
        return Unreadable(f"the reply is longer than {LONGEST} characters")
    said = _THOUGHT_END.sub("", _THOUGHT.sub("", text))
    if _THOUGHT_START.search(said):
        return Unreadable("the reply ended before the model had done thinking")
    lines = _labelled(said)
    answers = list(dict.fromkeys(line.text for line in lines if line.is_answer))
    if len(answers) != 1:
        return Unreadable("the reply has no ANSWER line" if not answers else "the reply has two different answers")
    answer = _unmarked(_MARKER.sub("", answers[0]))
    if not answer:
        return Unreadable("the ANSWER line is empty")
    if answer.strip("[]().").upper() == "NONE":
        return Parsed(None)
    return Parsed(answer, *_quotes(lines, passages))


def parse_json(text: str, passages: int) -> Parsed | Unreadable:
    """Return what a reply by `SCHEMA` says. Nothing is mended: what is not exactly of that shape is unreadable."""
    if len(text) > LONGEST:
        return Unreadable(f"the reply is longer than {LONGEST} characters")
    try:
        held = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Unreadable("the reply is not the JSON that was asked for")
    match held:
        case {"quotes": list(quotes), "answer": str() | None as answer} if len(held) == len(SCHEMA["required"]):
            lines = [_quote_line(quote) for quote in quotes]
        case _:
            return Unreadable("the reply is not the JSON that was asked for")
    if any(line is None for line in lines):
        return Unreadable("a quotation in the reply is not of the shape that was asked for")
    said = None if answer is None else _unmarked(_MARKER.sub("", answer))
    if said is None or said.strip("[]().").upper() in {"NONE", ""}:
        return Parsed(None) if said != "" else Unreadable("the answer is empty")
    return Parsed(said, *_quotes([line for line in lines if line is not None], passages))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs; a name that comes twice could be read either way, so it is an error."""
    held = dict(pairs)
    if len(held) != len(pairs):
        raise ValueError("a name comes twice")
    return held


def _quote_line(quote: Any) -> _Line | None:
    match quote:
        case {"passage": int(number), "text": str(words)} if not isinstance(number, bool) and len(quote) == 2:  # noqa: PLR2004
            return _Line(is_answer=False, number=str(number)[:20], text=words)
        case _:
            return None


def _labelled(text: str) -> list[_Line]:
    """Return the labelled lines; what follows one belongs to it, up to a blank line or the next label."""
    found: list[_Line] = []
    is_open = False
    for line in text.splitlines():
        label = _LABEL.fullmatch(line)
        if label is not None:
            found.append(
                _Line(label["answer"] is not None, label["number"] or label["bare"] or "", label["rest"].strip())
            )
            is_open = True
        elif _NEXT_TURN.match(line) and any(earlier.is_answer for earlier in found):
            break  # the model plays the asker: what follows is no reply to this question
        elif not line.strip() or line.lstrip().startswith("```"):
            is_open = is_open and bool(found) and not found[-1].text
        elif is_open:
            last = found[-1]
            found[-1] = last._replace(text=f"{last.text}\n{line.strip()}".strip())
    return found


def _quotes(lines: list[_Line], passages: int) -> tuple[tuple[Quoted, ...], tuple[str, ...]]:
    quotes: dict[Quoted, None] = {}
    rejected: list[str] = []
    for line in lines:
        if line.is_answer:
            continue
        number = line.number.strip()
        quote = _unmarked(line.text)
        if not _NUMBER.fullmatch(number):
            rejected.append(f"a quotation of [{number[:20]}], which is no number of a passage")
        elif int(number) > passages:
            rejected.append(f"a quotation of [{number}], where {passages} passages were given")
        elif not quote:
            rejected.append(f"an empty quotation of [{number}]")
        elif len(quotes) == _MOST_QUOTES:
            rejected.append(f"a quotation beyond the first {_MOST_QUOTES}")
        else:
            quotes[Quoted(int(number), quote)] = None
    return tuple(quotes), tuple(rejected)


def _unmarked(text: str) -> str:
    """Return text without the quotation marks or the emphasis round it."""
    bare = text.strip().strip("*").strip()
    while len(bare) > 1 and _MARKS.get(bare[0]) == bare[-1] and bare[0] not in bare[1:-1]:
        bare = bare[1:-1].strip()
    return bare
