"""The parts of one store's line, picked from its settings; the only file that knows which encoder, store or model is in use."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from remit.access.policy import GroupLabels, PolicyProvider
from remit.adapters.table import adapter
from remit.answer.draft import Answerer
from remit.answer.entail import Entailed, Judge
from remit.answer.extract import Extractive
from remit.answer.generate import generator
from remit.answer.judges import ChatJudge, EncoderJudge
from remit.answer.understand import Understand, Understanding, as_framed
from remit.ask import Line
from remit.contract.value import digest_of
from remit.corpus.sql import SqlCorpus
from remit.decide.point import OperatingPoint
from remit.llm.bounded import Bounded
from remit.llm.chat import Chat, Versatile
from remit.llm.composed import composed
from remit.llm.embed import Embed
from remit.observe.read import Reader
from remit.planners import planner_of
from remit.record.setup import Setup, prompt_digests, read_point
from remit.repair.accept import by_estimate
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.ops import GenerateAnswer, Operation
from remit.repair.planner import Planner
from remit.repair.rewrite import GlossaryRewriter
from remit.rerank.choice import RerankChoice
from remit.rerank.choice_reply import SCHEMA
from remit.rerank.ranking import Reranker
from remit.rerankers import reranker_of
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.settings import PlannerSettings, Settings
from remit.settle.settle import Settlement


def encoder_of(settings: Settings) -> Embed:
    """Return the sentence encoder that settings name; its weights load at the first text."""
    return cast("Embed", adapter(settings.encoder.adapter)(**settings.encoder.arguments))


class Parts:
    """Each part is made when it is first needed, and closed with `opened`."""

    def __init__(self, store: Path, settings: Settings, corpus: SqlCorpus, opened: ExitStack) -> None:
        self._store, self._settings, self._corpus, self._opened = store, settings, corpus, opened

    @cached_property
    def policy(self) -> PolicyProvider:
        """Return what says which labels a principal holds."""
        said = self._settings.policy
        return GroupLabels() if said.kind == "groups" else adapter("cedar")(said.files)

    @cached_property
    def encoder(self) -> Embed:
        """Return the sentence encoder."""
        return encoder_of(self._settings)

    @cached_property
    def retriever(self) -> HybridRetriever:
        """Return the search."""
        index, weight = (
            self._opened.enter_context(Index(self._store, self._corpus.connections)),
            self._settings.encoder.weight,
        )
        return HybridRetriever(self._corpus, self.encoder, index=index, lexical_weight=weight)

    @cached_property
    def line(self) -> Line:
        """Return the line a question passes through."""
        extractive = Extractive(self.encoder, self.retriever)
        answerer = self._answerer(extractive)
        rewriter, frozen = GlossaryRewriter(self.retriever), read_point(self._settings.point)
        point = frozen.point
        return Line(
            corpus=self._corpus,
            policy=self.policy,
            retriever=self.retriever,
            reranker=self.reranker(self._settings.rerank),
            answerer=answerer,
            observe=Reader(self._corpus, extractive.weigh, frozen.evaluator),
            planner=self.planner(self._settings.planner, point),
            executor=PlanExecutor(
                self.retriever, answerer, rewriter, ClauseDecomposer(), paid=self._paid, estimate=by_estimate
            ),
            settle=Settlement(self._corpus),
            point=point,
            understand=self._understand(),
        )

    def planner(self, said: PlannerSettings, point: OperatingPoint) -> Planner:
        """Return the planner of some settings.

        Raises:
            RemitError: it needs a model or weights that are not there.
        """
        return planner_of(said, point, chat=lambda: self._chat, paid=self._paid)

    def reranker(self, said: RerankChoice) -> Reranker:
        """Return the reranker of some settings.

        Raises:
            RemitError: it needs a model or weights that are not there.
        """
        chat = self._settings.chat
        return reranker_of(
            said,
            self.encoder,
            lambda passages, scope: self._corpus.vectors([passage.id for passage in passages], scope)[1],
            chat=lambda: self._asked_for(SCHEMA if chat and chat.structured else None),
            room=6_000 if chat is None else chat.context,
        )

    def _answerer(self, extractive: Extractive) -> Answerer:
        """Return the extractive answerer, or the configured chat model over it, under the configured judge."""
        chat, model = self._settings.chat, self._model
        answerer: Answerer = extractive
        if chat is not None and model is not None:
            answerer = generator(model, extractive, self._store, **chat.answers)
        judge = self._judge()
        return answerer if judge is None else Entailed(answerer, judge)

    def _understand(self) -> Understand:
        """Return what reads questions besides the rules: the configured model, where it is to do so."""
        said = self._settings.chat
        return Understanding(self._chat) if said is not None and said.understands and self._chat else as_framed

    def _judge(self) -> Judge | None:
        """Return who looks at drafts again, where somebody does; a chat judge is the model that drafts."""
        said = self._settings.support
        if said.kind == "cross-encoder":
            encode = self._opening(adapter("cross-encoder")(said.path or said.model, said.threads))
            return EncoderJudge(encode, threshold=said.threshold)
        if said.kind == "none" or self._chat is None:
            return None
        return ChatJudge(self._chat)

    @property
    def _paid(self) -> frozenset[type[Operation]]:
        """The operations that take a model call here: the others are done without a model."""
        return frozenset() if self._settings.chat is None else frozenset({GenerateAnswer})

    @cached_property
    def _model(self) -> Versatile | None:
        said = self._settings.chat
        return None if said is None else Bounded(self._opening(adapter(said.kind)(**said.backend)), said.at_once)

    @cached_property
    def _chat(self) -> Chat | None:
        """The configured model for whoever is not the answerer: planners and judges."""
        return self._asked_for(None)

    def _asked_for(self, schema: Mapping[str, Any] | None) -> Chat | None:
        """Return the configured model, held to a schema or to none; None where no model is configured."""
        said, model = self._settings.chat, self._model
        if said is None or model is None:
            return None
        megabytes = said.cache_megabytes
        return composed(
            model, self._store, price=said.price, schema=schema, logprobs=said.logprobs, cache_megabytes=megabytes
        )

    def _opening(self, model: Any) -> Any:
        """Return a model that is closed with the rest: what runs in this process holds its weights until then."""
        self._opened.callback(getattr(model, "close", int))
        return model

    @cached_property
    def setup(self) -> Setup:
        """Return the names and digests of all that is configured, as traces hold them."""
        line = self.line
        return Setup(
            remit=version("remit"),
            settings=digest_of(self._settings.model_dump(mode="json")),
            point=line.point.digest,
            policy=line.policy.name,
            encoder=self.encoder.name,
            retriever=line.retriever.name,
            reranker=line.reranker.name,
            answerer=line.answerer.name,
            planner=line.planner.name,
            prompts=prompt_digests(Path(__file__).parent),
        )
