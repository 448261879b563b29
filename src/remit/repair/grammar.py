"""The grammar of the `encoder` policy: from a state and the steps so far to the moves that may follow.

A move is one operation. Every plan is reached on exactly one way, since results are named by their place and no two moves of
one choice are the same operation; so a plan's probability is the product of those of its moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from remit.repair.arguments import Arguments, Link
from remit.repair.check import flaw_of, given, result_of
from remit.repair.find import approved
from remit.repair.ops import (
    DecomposeQuery,
    Docs,
    GenerateAnswer,
    Operation,
    Ref,
    RefineDoc,
    Retrieval,
    RewriteQuery,
    Text,
)
from remit.repair.plan import FINAL, Plan, Step
from remit.repair.planner import State
from remit.repair.widen import widenings

MOST_STEPS: Final = 7
"""Operations before the answer."""
AGAIN: Final = "Name what the question asks for, in the words of the passages."
_QUESTION, _IN_USE, _BEFORE = Ref("question"), Ref("doc_list"), Ref("previous_pred")
_TOPK_QUESTION, _TOPK_PART, _TOPK_LINK, _TOPK_REWORDED = (5, 10, 20), (3, 7), (2, 5), (5, 10)
_ITEMS: Final = 3


class Move(NamedTuple):
    """One operation, or None for leaving the draft alone. `what` and `about` say of which kind it and its argument are."""

    operation: Operation | None
    what: str
    about: str = ""
    topk: int = 0
    link: Link | None = None

    @property
    def ends(self) -> bool:
        """Say whether the plan is complete with this move."""
        return self.operation is None or self.what == "answer"


class Prefix(NamedTuple):
    """The moves so far; their results are named by their place: `r1`, `r2`, ..."""

    moves: tuple[Move, ...] = ()

    def named(self, what: str) -> tuple[Ref, ...]:
        """Return the results of the moves of one kind, in order."""
        return tuple(Ref(name_of(n)) for n, move in enumerate(self.moves) if move.what == what)

    def has(self, operation: Operation) -> bool:
        """Say whether the plan does this already."""
        return any(move.operation == operation for move in self.moves)

    def plan(self) -> Plan | None:
        """Return the plan of a complete prefix; None where the draft is left alone."""
        if self.moves[-1].operation is None:
            return None
        steps = [Step(name_of(n), move.operation) for n, move in enumerate(self.moves) if move.operation is not None]
        return Plan((*steps[:-1], Step(FINAL, steps[-1].operation)))


def name_of(place: int) -> str:
    """Return the name of the result of the move at a place, counted from 0."""
    return f"r{place + 1}"


def moves(state: State, said: Arguments, so_far: Prefix) -> tuple[Move, ...]:
    """Return what may come next, each operation once; never nothing."""
    bound = given()
    for place, move in enumerate(so_far.moves):
        if move.operation is not None:
            bound[name_of(place)] = result_of(move.operation)
    offered = [] if len(so_far.moves) >= MOST_STEPS else list(_steps(state, said, so_far))
    offered += _answers(state, so_far)
    if not so_far.moves:
        offered.append(Move(None, "leave"))
    once: dict[Operation | None, Move] = {}
    for move in offered:
        name = FINAL if move.ends else name_of(len(so_far.moves))
        if move.operation is not None and (
            so_far.has(move.operation) or flaw_of(Step(name, move.operation), bound, last=move.ends)
        ):
            continue
        once.setdefault(move.operation, move)
    return tuple(once.values())


def _steps(state: State, said: Arguments, so_far: Prefix) -> Iterator[Move]:
    subs = so_far.named("decompose")
    if said.parts is not None and not subs:
        yield Move(DecomposeQuery(_QUESTION), "decompose", said.parts.kind)
    for sub in subs:
        yield from _on_parts(said, so_far, sub)
    for topk in _TOPK_QUESTION:
        yield Move(Retrieval(_QUESTION, topk), "search", "question", topk)
    for name in said.names:
        for topk in _TOPK_LINK:
            yield Move(Retrieval(name, topk), "search", "name", topk)
    for link in said.links:
        for topk in _TOPK_LINK:
            yield Move(Retrieval(link.text, topk), "search", "link", topk, link)
    if state.draft.answer is not None:
        yield Move(Retrieval(_BEFORE, _TOPK_LINK[1]), "search", "draft", _TOPK_LINK[1])
    yield from _reworded(so_far)
    yield from _narrowed(state)
    yield from _refined(state, so_far)


def _on_parts(said: Arguments, so_far: Prefix, sub: Ref) -> Iterator[Move]:
    """Yield what can be done about each part: search for it, answer it, search for its answer."""
    count = len(said.parts.texts) if said.parts else 0
    found = so_far.named("search")
    for item in range(count):
        part = Ref(sub.name, item)
        about = f"part {min(item, 3)}"
        for topk in _TOPK_PART:
            yield Move(Retrieval(part, topk), "search", about, topk)
        if item < count - 1 or (said.parts and said.parts.kind == "apart"):
            yield Move(GenerateAnswer(part, _IN_USE), "ask", about)
            if found:
                yield Move(GenerateAnswer(part, found[-1]), "ask", about)
                yield Move(GenerateAnswer(part, (found[-1], _IN_USE)), "ask", about)
    for asked in so_far.named("ask"):
        yield Move(Retrieval(asked, _TOPK_PART[0]), "search", "asked", _TOPK_PART[0])


def _reworded(so_far: Prefix) -> Iterator[Move]:
    rewritten = so_far.named("rewrite")
    if not rewritten:
        yield Move(RewriteQuery(_QUESTION, "clarify"), "rewrite", "clarify")
        yield Move(RewriteQuery(_QUESTION, "expand"), "rewrite", "expand")
    for one in rewritten:
        for topk in _TOPK_REWORDED:
            yield Move(Retrieval(Ref(one.name, 0), topk), "search", "rewritten", topk)


def _narrowed(state: State) -> Iterator[Move]:
    """Yield the searches that only the keywords of ours make: the section above, the current revision, a collection."""
    if state.ranking.hits:
        yield Move(Retrieval(_QUESTION, 10, section="parent"), "search", "section", 10)
    yield Move(Retrieval(_QUESTION, 10, revision="current"), "search", "revision", 10)
    for widening in widenings(state):
        for collection in widening.collections:
            if approved(collection, state):
                search = Retrieval(_QUESTION, widening.topk, collection=collection)
                yield Move(search, "search", "collection", widening.topk)


def _refined(state: State, so_far: Prefix) -> Iterator[Move]:
    if so_far.named("refine"):
        return
    everything: Docs = (*reversed(so_far.named("search")), _IN_USE) if so_far.named("search") else _IN_USE
    if state.ranking.hits or so_far.named("search"):
        yield Move(RefineDoc(_QUESTION, everything, "summarize"), "refine", "summarize")
        yield Move(RefineDoc(_QUESTION, everything, "explain"), "refine", "explain")


def _answers(state: State, so_far: Prefix) -> Iterator[Move]:
    """Yield the ways to end: of which question, from which passages."""
    queries: list[tuple[Text, str]] = [(_QUESTION, "question")]
    queries += [(Ref(one.name, 0), "rewritten") for one in so_far.named("rewrite")]
    if so_far.named("ask"):
        queries += [
            (Ref(sub.name, item), "last part")
            for sub in so_far.named("decompose")
            for item in (_last_part(so_far),)
            if item is not None
        ]
    for query, about in queries:
        for docs, which in _docs(state, so_far):
            yield Move(GenerateAnswer(query, docs), "answer", f"{about} from {which}")
    yield Move(GenerateAnswer(_QUESTION, _IN_USE, AGAIN), "answer", "question again")


def _last_part(so_far: Prefix) -> int | None:
    """Return the number of the part after the last one that was asked."""
    asked = [
        move.operation.query.item
        for move in so_far.moves
        if move.what == "ask" and isinstance(move.operation, GenerateAnswer) and isinstance(move.operation.query, Ref)
    ]
    return None if not asked or asked[-1] is None else asked[-1] + 1


def _docs(state: State, so_far: Prefix) -> Iterator[tuple[Docs, str]]:
    found, refined = so_far.named("search"), so_far.named("refine")
    for one in refined:
        yield one, "refined"
    if found:
        yield (*found, _IN_USE), "all, first search first"
        yield (*reversed(found), _IN_USE), "all, last search first"
        yield (_IN_USE, *found), "all, in use first"
        yield found if len(found) > 1 else found[0], "found"
        yield found[-1], "last found"
        return
    yield _IN_USE, "in use"
    for item in range(min(_ITEMS, state.ranking.k)):
        yield Ref("doc_list", item), f"passage {item}"
        yield (Ref("doc_list", item), _IN_USE), f"passage {item} first"
