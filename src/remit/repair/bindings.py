"""What the names of a running plan stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from remit.answer.draft import Claim
from remit.contract.value import text_digest
from remit.corpus.document import Span
from remit.repair.hops import BLANK
from remit.repair.ops import Docs, Ref, Text
from remit.repair.plan import GIVEN, leaves
from remit.repair.planner import State, StepFailure
from remit.retrieve.retriever import Hit

T = TypeVar("T")
MOST_FILLED: Final = 120
"""Characters of an answer that may stand in another question."""


class Doc(NamedTuple):
    """A passage in a plan; `spans` are what a refinement kept of it, None where it stands whole."""

    hit: Hit
    spans: tuple[Span, ...] | None = None

    @property
    def kept(self) -> Hit:
        """The passage with those of its sentences alone that a refinement kept: refining it again chooses among them."""
        if self.spans is None:
            return self.hit
        passage = self.hit.passage.model_copy(update={"sentences": self.spans})
        return self.hit.model_copy(update={"passage": passage})


class Asked(NamedTuple):
    """Queries that a rewriting or a decomposition gave. `blanks`: a ``#1`` in them waits for the answer to the first."""

    texts: tuple[str, ...]
    blanks: bool = False


class Passages(NamedTuple):
    """Passages that a retrieval or a refinement gave."""

    docs: tuple[Doc, ...]


class Answered(NamedTuple):
    """The text of an answer, and the claims it rests on."""

    text: str
    claims: tuple[Claim, ...] = ()


class Query(NamedTuple):
    """One query, and the claims of the earlier answers that stand in it."""

    text: str
    rests_on: tuple[Claim, ...] = ()


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
        self._said: dict[Ref, Answered] = {}

    def bind(self, name: str, result: Result) -> None:
        """Let `name` stand for `result`."""
        self._results[name] = result

    def answered(self, query: Text, answer: Answered) -> None:
        """Keep the answer to a query picked out of a list: other queries of the list may wait for it."""
        if isinstance(query, Ref) and query.item is not None:
            self._said.setdefault(query, answer)

    def texts(self, value: Text) -> tuple[str, ...] | Failed:
        """Return the one query that a value stands for, or each of a list of queries that waits for no answer."""
        queries = self.queries(value)
        return queries if isinstance(queries, Failed) else tuple(query.text for query in queries)

    def queries(self, value: Text) -> tuple[Query, ...] | Failed:
        """Return the same with what the queries rest on."""
        if isinstance(value, str):
            return (Query(value),)
        match self._results[value.name]:
            case Answered(text, claims):
                return (Query(text, () if value.name in GIVEN else claims),)
            case Asked(texts, blanks):
                picked = _picked(texts, value)
                if not picked:
                    return Failed(StepFailure.EMPTY_LIST if value.item is None else StepFailure.INDEX_OUT_OF_RANGE)
                if not blanks:
                    return tuple(Query(text) for text in picked)
                filled = tuple(query for text in picked if (query := self._filled(text, value.name)) is not None)
                return filled or Failed(StepFailure.NEEDS_FAILED_STEP)
            case _:
                return Failed(StepFailure.NEEDS_FAILED_STEP)

    def _filled(self, text: str, name: str) -> Query | None:
        """Return a query with answers in the place of its blanks; None where one is not there, or is no short name."""
        rests_on: list[Claim] = []
        for number in dict.fromkeys(BLANK.findall(text)):
            said = self._said.get(Ref(name, int(number) - 1))
            if said is None or len(said.text) > MOST_FILLED:
                return None
            rests_on += said.claims
            text = text.replace(f"#{number}", said.text)
        return Query(text, tuple(dict.fromkeys(rests_on)))

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
