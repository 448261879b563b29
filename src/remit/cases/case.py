"""A case: a question, who asks it, and what would be acceptable; and the file of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from remit.contract.value import Value, digest_of
from remit.decide.decision import Action
from remit.errors import Fault, InvalidInput, NothingThere

Kind = Literal[
    "answerable",
    "near-duplicate",
    "incomplete",
    "conflicting",
    "stale",
    "unlabelled-revision",
    "conflicting-metadata",
    "inaccessible-replacement",
    "ambiguous",
    "parameter-given",
    "denied",
    "hidden",
]
"""What was done to the evidence. The last revision kinds are the protocol's four: stale, unlabelled, conflicting, inaccessible."""

REVISION_KINDS: tuple[Kind, ...] = ("stale", "unlabelled-revision", "conflicting-metadata", "inaccessible-replacement")


class Case(Value):
    """One case. `kind` is one of Kind, or a word of the user's own; `group` keeps together what is no independent evidence.

    `gold_documents` are ``document@revision`` or document ids that an answer has to rest on, `gold_passages` passage ids.
    `source` names the question it was built from, `part` the file that stood in.
    """

    id: str
    question: str
    asker: str = "reader"
    as_of: date | None = None
    params: dict[str, str] = Field(default_factory=dict)
    acceptable: tuple[Action, ...]
    golden_answers: tuple[str, ...] = ()
    gold_documents: tuple[str, ...] = ()
    gold_passages: tuple[str, ...] = ()
    required_facts: tuple[str, ...] = ()
    kind: str = "answerable"
    group: str = ""
    source: str = ""
    part: str = ""
    note: str = ""

    @property
    def answerable(self) -> bool:
        """Say whether an answer would be acceptable."""
        return Action.ANSWER in self.acceptable

    @property
    def grouped(self) -> str:
        """Return the group; a case without one is a group of its own."""
        return self.group or self.source or self.id

    @property
    def digest(self) -> str:
        """Return the digest by which a finished case is known again when a run is resumed."""
        return digest_of(self.model_dump(mode="json"))


def read_cases(path: Path) -> tuple[Case, ...]:
    """Return the cases of a JSONL file.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: with a fault for each line that is wrong.
    """
    found, faults = [], []
    seen: set[str] = set()
    for number, raw in json_lines(path):
        try:
            case = Case.model_validate_json(json.dumps(raw))
        except ValidationError as error:
            first = error.errors()[0]
            faults.append(Fault(str(path), number, ".".join(map(str, first["loc"])) or None, first["msg"]))
            continue
        if case.id in seen:
            faults.append(Fault(str(path), number, "id", f"{case.id} stands there twice: ids tell cases apart"))
        if not case.acceptable:
            faults.append(Fault(str(path), number, "acceptable", "is empty: at least one action has to be right"))
        seen.add(case.id)
        found.append(case)
    if faults:
        raise InvalidInput(f"{path}: {len(faults)} of the cases cannot be used: {faults[0]}", tuple(faults))
    if not found:
        raise InvalidInput(f"{path}: holds no case")
    return tuple(found)


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Write cases, one a line, leaving out what stands at its default."""
    lines = [json.dumps(case.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) for case in cases]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def digest_of_file(path: Path) -> str:
    """Return the digest of a set of cases, whatever their order and however they are written."""
    return digest_of(sorted(case.digest for case in read_cases(path)))


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of each line that is not blank.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: a line is no JSON object.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise NothingThere(f"no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read ({error}): it has to be UTF-8 text that you may read") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            fault = Fault(str(path), number, None, f"is no JSON: {error}")
            raise InvalidInput(str(fault), (fault,)) from error
        if not isinstance(found, dict):
            fault = Fault(str(path), number, None, 'want an object, such as {"id": "1", "question": "..."}')
            raise InvalidInput(str(fault), (fault,))
        yield number, found
