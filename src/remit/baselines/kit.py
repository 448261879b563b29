"""What systems are made of, besides what they share: rerankers, planners and executors by name, over the parts of one store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from remit.access.scope import Scope
from remit.ask import Line
from remit.baselines.plans import takes_the_new
from remit.baselines.work import Means
from remit.corpus.document import Passage
from remit.errors import InvalidInput, MissingPrerequisite
from remit.llm.embed import Vectors
from remit.planners import planner_of
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import NOTHING_PAID, PlanExecutor
from remit.repair.ops import GenerateAnswer
from remit.repair.planner import Planner
from remit.repair.rewrite import GlossaryRewriter
from remit.rerank.cutoff import Cutoff
from remit.rerank.encoder import EncoderReranker
from remit.rerank.head import Head
from remit.rerank.listwise import Listwise
from remit.rerank.ranking import Reranker
from remit.settings import PlannerSettings

RERANKERS: Final = ("line", "cutoff", "encoder", "listwise")
PLANNERS: Final = ("line", "template", "prompted", "encoder", "lm", "none")


@dataclass(frozen=True, slots=True)
class Kit:
    """The common means, and the folder that relative paths of weights start from."""

    means: Means
    folder: Path

    @property
    def line(self) -> Line:
        """Remit's line over the store."""
        return self.means.line

    def reranker(self, said: Mapping[str, Any]) -> Reranker:
        """Return the reranker that options name: `reranker`, and `most`, `weights` or `temperature` with it.

        Raises:
            InvalidInput: there is none of that name.
            MissingPrerequisite: it needs a chat model, and there is none.
        """
        name, most = str(said.get("reranker", "line")), int(said.get("most", 15))
        temperature = float(said.get("temperature", 0.0))
        match name:
            case "line":
                return self.line.reranker
            case "cutoff":
                return Cutoff(most=most)
            case "encoder":
                weights = said.get("weights")
                head = None if weights is None else Head.read(self.folder / str(weights))
                return EncoderReranker(self.means.embed, self._vectors, head=head, temperature=temperature)
            case "listwise":
                if self.means.chat is None:
                    raise MissingPrerequisite("the listwise reranker needs a chat model: give the experiment a [chat]")
                return Listwise(self.means.chat, Cutoff(most=most), room=self.means.room, temperature=temperature)
            case _:
                raise InvalidInput(f"{name!r} is no reranker; known are {', '.join(RERANKERS)}")

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
