"""What a comparison asks and of which store: questions that leak nothing, and a store made of a set's own texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from remit.access.principal import parse_principal
from remit.cases.case import Case, read_cases
from remit.cases.formats.question import Loaded, Question, Text
from remit.cases.formats.table import load
from remit.cases.split import families, leaks
from remit.contract.value import digest_of
from remit.corpus.connections import STORE_FILE
from remit.corpus.ingest import Step
from remit.corpus.stated import stated
from remit.engine import Remit
from remit.errors import InvalidInput, NothingThere
from remit.evaluate.comparison import CASES, QuestionSet
from remit.evaluate.trial import case_of, parts_of
from remit.settings import Settings

STORES: Final = "stores"
_NO_ENVIRONMENT: Final = MappingProxyType[str, str]({})


class Ready(NamedTuple):
    """A set, ready to be asked: its cases in order, its store, how many questions were left out and why."""

    name: str
    cases: tuple[Case, ...]
    store: Path
    left_out: dict[str, int]
    parts: dict[str, tuple[tuple[str, ...], ...]] = {}  # noqa: RUF012 -- a named tuple's default, never changed

    @property
    def digest(self) -> str:
        """Return the digest of the cases."""
        return digest_of([case.digest for case in self.cases])


def ready(one: QuestionSet, folder: Path, out: Path, *, seed: int, step: Callable[[Step], None] | None = None) -> Ready:
    """Return a set ready to be asked. Where it names no store, one is made under `out`, or taken up where it was left.

    Raises:
        NothingThere: a file or the store is not there.
        InvalidInput: a file cannot be used, or nothing is left to ask.
    """
    path = folder / one.questions
    if one.format == CASES:
        return Ready(one.name, read_cases(path)[: one.limit], _given(folder / str(one.store)), {})
    loaded = load(path, one.format)
    asked = [question for question in loaded.questions if question.answers or not question.answerable]
    left = {"no answer to compare with": len(loaded.questions) - len(asked)}
    asked, left["leaks into other parts"] = _apart(
        asked, [load(folder / other, one.format) for other in one.apart_from]
    )
    chosen = _chosen(asked, one.limit, seed)
    if not chosen:
        raise InvalidInput(f"{path}: no question is left to ask")
    cases = tuple(case_of(question, asker=one.asker, group=family) for question, family in chosen)
    told = {why: count for why, count in left.items() if count}
    parts = {question.id: held for question, _ in chosen if (held := parts_of(question))}
    if one.store is not None:
        return Ready(one.name, cases, _given(folder / one.store), told, parts)
    store = _made(_texts(loaded, [question for question, _ in chosen], one.texts, seed), one.name, out, step)
    return Ready(one.name, cases, store, told, parts)


def store_of(one: QuestionSet, out: Path, given: str | None) -> Path:
    """Return the store that a set of a run was asked of: the one given, named, or made beside the results.

    Raises:
        NothingThere: it is not there.
    """
    named = given or one.store
    if named is not None:
        return _given(Path(named))
    made = sorted((out / STORES).glob(f"{one.name}-*/store"))
    if len(made) != 1:
        raise NothingThere(f"{out / STORES}: no single store of {one.name}; name it with --store {one.name}=PATH")
    return made[0]


def texts_of(store: Path, asker: str, today: date) -> dict[str, str]:
    """Return the texts of all passages that an asker may read, by id."""
    with Remit.open(store, settings=Settings(), environ=_NO_ENVIRONMENT) as remit:
        scope = remit.scope(parse_principal(asker))
        rows = remit.corpus.readable(scope, at=today, named=None, snapshot=remit.snapshot()).rows
        return {row.passage.id: row.passage.text for row in rows}


def _apart(asked: list[Question], others: Sequence[Loaded]) -> tuple[list[Question], int]:
    """Return the questions that share nothing with the others' parts, and how many did."""
    rest = [question for other in others for question in other.questions]
    shared = {leak.other for leak in leaks({"others": rest, "asked": asked})} if rest else set[str]()
    return [question for question in asked if question.id not in shared], len(shared)


def _chosen(asked: list[Question], limit: int | None, seed: int) -> list[tuple[Question, str]]:
    """Return the questions with their families, at most `limit` of them, family by family in an order that the seed gives."""
    family = families(asked)
    order = sorted(asked, key=lambda one: (_drawn(family[one.id], seed), one.id))[:limit]
    kept = {one.id for one in order}
    return [(one, family[one.id]) for one in asked if one.id in kept]


def _texts(loaded: Loaded, chosen: Sequence[Question], most: int | None, seed: int) -> list[Text]:
    """Return the texts of a store: all of them, or those of the questions and as many others as there is room for."""
    if not loaded.texts:
        raise InvalidInput("this set brings no texts of its own: give store = ..., made by `remit ingest`")
    if most is None:
        return list(loaded.texts)
    needed = {id for one in chosen for id in (*one.gold, *one.candidates)}
    others = sorted((text for text in loaded.texts if text.id not in needed), key=lambda text: _drawn(text.id, seed))
    more = {text.id for text in others[: max(0, most - len(needed))]}
    return [text for text in loaded.texts if text.id in needed or text.id in more]


def _made(texts: Sequence[Text], name: str, out: Path, step: Callable[[Step], None] | None) -> Path:
    digest = digest_of([list(text) for text in texts])[7:19]
    folder = out / STORES / f"{name}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    file, store = folder / "texts.jsonl", folder / "store"
    lines = (json.dumps({"_id": text.id, "title": text.title, "text": text.text}, ensure_ascii=False) for text in texts)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    fill = stated(labels=["public"], status="current")
    with Remit.open(store, settings=Settings(), environ=_NO_ENVIRONMENT, make=True) as remit:
        report = remit.ingest([file], fill=fill, step=step)
    if report.rejected:
        raise InvalidInput(f"{file}: {len(report.rejected)} texts cannot be read", report.rejected)
    return store


def _given(store: Path) -> Path:
    if not (store / STORE_FILE).exists():
        raise NothingThere(f"{store}: no store there; make one with `remit ingest`, or leave store out of the set")
    return store


def _drawn(text: str, seed: int) -> str:
    return hashlib.sha256(f"{seed} {text}".encode("utf-8", "surrogatepass")).hexdigest()
