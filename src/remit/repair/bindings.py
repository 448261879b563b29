"""What the names of a running plan stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from remit.contract.value import text_digest
from remit.corpus.document import Span
from remit.repair.ops import Docs, Ref, Text
from remit.repair.plan import leaves
from remit.repair.planner import State, StepFailure
from remit.retrieve.retriever import Hit

T = TypeVar("T")


class Doc(NamedTuple):
    """A passage in a plan; `spans` are what a refinement kept of it, None where it stands whole."""

    hit: Hit
    spans: tuple[Span, ...] | None = None


class Asked(NamedTuple):
    """Queries that a rewriting or a decomposition gave."""

    texts: tuple[str, ...]


class Passages(NamedTuple):
    """Passages that a retrieval or a refinement gave."""

    docs: tuple[Doc, ...]


class Answered(NamedTuple):
    """The text of an answer."""

    text: str


class Failed(NamedTuple):
    """Why there is nothing."""

    kind: StepFailure


Result = Asked | Passages | Answered | Failed


class Bindings:
    """The results of a plan's steps so far, by name."""

    def __init__(self, state: State) -> None:
        """Bind the given names of a state."""
        previous = state.draft.answer
        self._results: dict[str, Result] = {
            "question": Answered(state.contract.claim),
            "doc_list": Passages(tuple(Doc(hit) for hit in state.ranking.hits)),
            "previous_pred": Failed(StepFailure.NO_ANSWER) if previous is None else Answered(previous),
        }

    def bind(self, name: str, result: Result) -> None:
        """Let `name` stand for `result`."""
        self._results[name] = result

    def texts(self, value: Text) -> tuple[str, ...] | Failed:
        """Return the one query that a value stands for, or each of a list of queries."""
        if isinstance(value, str):
            return (value,)
        match self._results[value.name]:
            case Answered(text):
                return (text,)
            case Asked(texts):
                picked = _picked(texts, value)
                return picked or Failed(
                    StepFailure.EMPTY_LIST if value.item is None else StepFailure.INDEX_OUT_OF_RANGE
                )
            case _:
                return Failed(StepFailure.NEEDS_FAILED_STEP)

    def docs(self, value: Docs) -> tuple[Doc, ...] | Failed:
        """Return the passages of nested lists, each once, the first mention kept.

        What a failed step should have given is passed over while others give something; an item that is not there is a
        failure of whoever asks for it.
        """
        found: list[Doc] = []
        missing = False
        for ref in leaves(value):
            match self._results[ref.name]:
                case Passages(docs):
                    picked = _picked(docs, ref)
                    if ref.item is not None and not picked:
                        return Failed(StepFailure.INDEX_OUT_OF_RANGE)
                    found.extend(picked)
                case _:
                    missing = True
        if not found:
            return Failed(StepFailure.NEEDS_FAILED_STEP if missing else StepFailure.EMPTY_LIST)
        return once(found)


def once(docs: Iterable[Doc]) -> tuple[Doc, ...]:
    """Return the passages, each once, the first mention kept."""
    kept: dict[str, Doc] = {}
    for doc in docs:
        kept.setdefault(doc.hit.passage.id, doc)
    return tuple(kept.values())


def named(value: Text) -> str:
    """Return what a trace calls a text of a plan: its name, or its digest."""
    if isinstance(value, str):
        return text_digest(value)
    return value.name if value.item is None else f"{value.name}[{value.item}]"


def ids(result: Result) -> tuple[str, ...]:
    """Return what a trace calls a result: passage ids, or digests of texts."""
    match result:
        case Passages(docs):
            return tuple(doc.hit.passage.id for doc in docs)
        case Asked(texts):
            return tuple(text_digest(text) for text in texts)
        case Answered(text):
            return (text_digest(text),)
        case Failed():
            return ()


def _picked(items: tuple[T, ...], ref: Ref) -> tuple[T, ...]:
    return items if ref.item is None else items[ref.item : ref.item + 1]
