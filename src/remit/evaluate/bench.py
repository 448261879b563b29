"""A bench: one store opened for systems to be compared on, with or without a chat model; its journal stays as it is."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from remit.access.policy import authorize, standing
from remit.access.principal import Principal, parse_principal
from remit.access.scope import labels_of
from remit.adapters.table import adapter
from remit.answer.generate import Generator
from remit.ask import Line
from remit.baselines.kit import Kit
from remit.baselines.system import Result
from remit.baselines.work import Asked, Means
from remit.cases.case import Case
from remit.contract.budget import Limits
from remit.contract.frame import Given, frame
from remit.corpus.known import known
from remit.decide.frozen import FrozenPoint
from remit.engine import Remit
from remit.evaluate.replies import SharedReplies
from remit.evaluate.sharing import Memory, under
from remit.llm.cache import KeptReplies
from remit.llm.chat import Chat, Wanted
from remit.llm.metered import Metered
from remit.llm.retry import Retrying
from remit.record.setup import read_point
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.ops import GenerateAnswer
from remit.repair.rewrite import GlossaryRewriter
from remit.settings import ChatSettings, Settings

REPLIES: Final = "replies.db"
_MOST: Final = 1 << 30


class Bench:
    """Parts that every system shares. Use it as a context manager."""

    def __init__(self, store: Path, settings: Settings, *, replies: Path, weights: Path) -> None:
        """Open a store. `replies` is the folder of the model's kept replies, `weights` where relative paths start.

        Raises:
            RemitError: the store or the model cannot be used.
        """
        self._opened = ExitStack()
        bare = settings.model_copy(update={"chat": None, "keep_text": True})
        self._remit = Remit.open(store, settings=bare, environ=MappingProxyType({}))
        self._opened.callback(self._remit.close)
        self._settings = settings
        self.chat: SharedReplies | None = None
        self.memory = Memory()
        self._labels = {revision.id: frozenset(revision.labels) for revision, _ in self._remit.corpus.everything()}
        self._plain = self._remit.parts.line
        means = self._means(settings.chat, replies)
        self.kit = Kit(means, weights, self._at)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and let go of the model."""
        self._opened.close()

    @property
    def waited(self) -> float:
        """Return how many seconds calls of the model took that were really made."""
        return 0.0 if self.chat is None else self.chat.waited

    def turn_to(self, case: Case) -> None:
        """Go over to a question: what systems share is what was done for this one."""
        self.memory.turn_to(case.digest)

    @property
    def card(self) -> dict[str, Any]:
        """Return what all systems share, by names and digests: corpus, search, answerer, model and prompts."""
        setup = self._remit.parts.setup.model_dump(mode="json")
        return {
            "corpus": self._remit.snapshot().digest,
            "answerer": self.kit.line.answerer.name,
            "chat": None if self.chat is None else self.chat.name,
            **{name: setup[name] for name in ("remit", "encoder", "retriever")},
            "prompts": [list(one) for one in self.prompts if one[0].startswith("answer/")],
        }

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """Return the files of all prompts there are, with their digests."""
        return self._remit.parts.setup.prompts

    def asked(self, case: Case, limits: Limits, today: date) -> Asked:
        """Return a case's question as its asker puts it, under these limits."""
        who: Principal = parse_principal(case.asker)
        line = self.kit.line
        told = known(self._remit.corpus, standing(who, line.policy))
        given = Given(today, case.as_of, case.params, limits)
        contract = frame(case.question, given, told.catalogue, told.document)
        scope = authorize(who, contract, line.policy, line.corpus.catalogue())
        return Asked(contract, who, scope, line.corpus.snapshot())

    def leaks(self, asker: str, result: Result) -> tuple[str, ...]:
        """Return the revisions that an asker may not read of which anything was ranked, sent or quoted.

        By the labels in the store alone, and not by the scope that the systems were given.
        """
        granted = labels_of(parse_principal(asker))
        cited = () if result.draft is None else (citation.passage for citation in result.draft.citations)
        seen = {id.rpartition("#")[0] for id in (*result.ranked, *result.sent, *cited)}
        return tuple(sorted(id for id in seen if not self._labels.get(id, frozenset()) & granted))

    def _means(self, said: ChatSettings | None, replies: Path) -> Means:
        line, embed = self._plain, self._remit.parts.encoder
        if said is None:
            return Means(self._at(line, read_point(None)), embed, line.answerer)
        model = adapter(said.kind)(**said.backend)
        self._opened.callback(getattr(model, "close", int))
        # One wish for all calls, so that a draft is the same reply whoever asks for it.
        asked: Chat = model.wanting(Wanted(logprobs=True)) if said.logprobs else model
        kept = KeptReplies(replies / REPLIES, most=_MOST)
        self.chat = SharedReplies(Retrying(Metered(asked, said.price)), kept)
        answerer = Generator(
            self.chat, line.answerer, max_tokens=said.max_tokens, room=said.context, abstains=said.abstains
        )
        executor = PlanExecutor(
            line.retriever,
            answerer,
            GlossaryRewriter(line.retriever),
            ClauseDecomposer(),
            paid=frozenset({GenerateAnswer}),
        )
        self._plain = replace(line, answerer=answerer, executor=executor)
        spelled = self.chat if said.logprobs else None
        return Means(self._plain, embed, line.answerer, self.chat, spelled, said.context)

    def _at(self, line: Line, frozen: FrozenPoint) -> Line:
        """Return a line under a point. Without a model, drafts and readings are shared by all systems on one question."""
        own = replace(self._plain, reranker=line.reranker)
        shared = under(own, frozen, self.memory, line.planner)
        if self.chat is None:
            return shared
        return replace(own, planner=line.planner, observe=shared.observe, point=frozen.point)
