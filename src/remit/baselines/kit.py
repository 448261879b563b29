"""What systems are made of, besides what they share: rerankers, planners and executors by name, over the parts of one store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from remit.access.scope import Scope
from remit.ask import Line
from remit.baselines.plans import takes_the_new
from remit.baselines.work import Means
from remit.corpus.document import Passage
from remit.decide.frozen import FrozenPoint
from remit.errors import InvalidInput
from remit.llm.embed import Vectors
from remit.planners import planner_of
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import NOTHING_PAID, PlanExecutor
from remit.repair.ops import GenerateAnswer
from remit.repair.planner import Planner
from remit.repair.rewrite import GlossaryRewriter
from remit.rerank.choice import RerankChoice
from remit.rerank.ranking import Reranker
from remit.rerankers import reranker_of
from remit.settings import PlannerSettings

PLANNERS: Final = ("line", "cascade", "template", "prompted", "encoder", "lm", "none")


def at_point(line: Line, frozen: FrozenPoint) -> Line:
    """Return the line under another operating point.

    Raises:
        InvalidInput: the point brings an evaluator, which takes an observer that this function does not have.
    """
    if frozen.evaluator is not None:
        raise InvalidInput(f"operating point {frozen.point.name} brings an evaluator: open its store with a Bench")
    return replace(line, point=frozen.point)


@dataclass(frozen=True, slots=True)
class Kit:
    """The common means, the folder that relative paths of weights start from, and how a line is put under another point."""

    means: Means
    folder: Path
    at: Callable[[Line, FrozenPoint], Line] = at_point

    @property
    def line(self) -> Line:
        """Remit's line over the store."""
        return self.means.line

    def reranker(self, said: Mapping[str, Any]) -> Reranker:
        """Return the reranker that options name: `reranker`, and what `[rerank]` of remit.toml takes with it.

        Raises:
            InvalidInput: there is none of that name, or an option is wrong.
            MissingPrerequisite: it needs a model that is not there.
        """
        if said.get("reranker", "line") == "line":
            return self.line.reranker
        weights = said.get("weights")
        told = {name: value for name, value in said.items() if name not in {"reranker", "weights"}}
        try:
            choice = RerankChoice(
                policy=said["reranker"], weights=None if weights is None else self.folder / str(weights), **told
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidInput(f"reranker {said['reranker']!r}: {first['loc'][0]}: {first['msg']}") from error
        means = self.means
        return reranker_of(choice, means.embed, self._vectors, chat=lambda: means.chat, room=means.room)

    def planner(self, said: Mapping[str, Any]) -> Planner:
        """Return the planner that options name: `planner`, and `weights` or `judge` with it.

        Raises:
            InvalidInput: there is none of that name.
            MissingPrerequisite: it needs a chat model or weights that are not there.
        """
        name = said.get("planner", "line")
        if name == "line":
            return self.line.planner
        if name not in PLANNERS:
            raise InvalidInput(f"{name!r} is no planner; known are {', '.join(PLANNERS)}")
        weights = said.get("weights")
        settings = PlannerSettings(
            policy=name,
            weights=None if weights is None else self.folder / str(weights),
            judge=bool(said.get("judge", False)),
        )
        return planner_of(settings, self.line.point, chat=lambda: self.means.chat, paid=self._paid)

    def taking_executor(self) -> PlanExecutor:
        """Return an executor whose plans' answers stand, however they compare with the first."""
        retriever = self.line.retriever
        rewriter, decomposer = GlossaryRewriter(retriever), ClauseDecomposer()
        parts = (retriever, self.line.answerer, rewriter, decomposer)
        return PlanExecutor(*parts, paid=self._paid, estimate=takes_the_new)

    def _vectors(self, passages: Sequence[Passage], scope: Scope) -> Sequence[Vectors]:
        return self.line.corpus.vectors([passage.id for passage in passages], scope)[1]

    @property
    def _paid(self) -> frozenset[Any]:
        return NOTHING_PAID if self.means.chat is None else frozenset({GenerateAnswer})
