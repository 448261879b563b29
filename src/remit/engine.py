"""The composition root: settings and a store become the line, and the one boundary where a broken part is a refusal."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from datetime import UTC, date, datetime
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Self, cast

from remit.access.policy import GroupLabels, PolicyProvider, authorize, standing
from remit.access.principal import Principal
from remit.access.scope import Scope
from remit.adapters.table import adapter
from remit.answer.draft import Answerer
from remit.answer.extract import Extractive
from remit.answer.generate import generator
from remit.ask import Line
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.contract.value import digest_of
from remit.corpus.connections import STORE_FILE
from remit.corpus.control import CONTROL_FILE
from remit.corpus.document import Snapshot
from remit.corpus.ingest import Report, Step, ingest
from remit.corpus.known import known
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.stated import Stated
from remit.errors import NothingThere
from remit.llm.cancel import Patience
from remit.llm.embed import Embed
from remit.observe.read import Reader
from remit.record import disclose
from remit.record.answered import Answered
from remit.record.failure import failure_of, refusal
from remit.record.journal import NAME, Journal, Recorded
from remit.record.ledger import settle_accounts
from remit.record.question import cleaned, cleaned_parameters
from remit.record.setup import Setup, prompt_digests, read_point
from remit.record.trace import Trace
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.ops import GenerateAnswer, Operation
from remit.repair.rewrite import GlossaryRewriter
from remit.repair.template import TemplatePlanner
from remit.rerank.cutoff import Cutoff
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.retrieve.retriever import Candidates, Search
from remit.settings import Settings
from remit.settle.outcome import Outcome
from remit.settle.settle import Settlement

UTC_NOW: Final = partial(datetime.now, UTC)


def encoder_of(settings: Settings) -> Embed:
    """Return the sentence encoder that settings name; its weights load at the first text."""
    return cast("Embed", adapter(settings.encoder.adapter)(**settings.encoder.arguments))


def several(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return one path or several as a list; a text is one path, not its letters."""
    return [Path(paths)] if isinstance(paths, str | Path) else [Path(path) for path in paths]


class Remit:
    """A store that can be asked. Use it as a context manager, or call `close`.

    Clock, ids and environment come in as arguments, so that a test can say what they are.
    """

    def __init__(
        self,
        store: Path,
        settings: Settings,
        corpus: SqliteCorpus,
        *,
        now: Callable[[], datetime] = UTC_NOW,
        new_id: Callable[[], object] = uuid.uuid4,
    ) -> None:
        self.settings, self._store, self._corpus, self._now, self._new_id = settings, store, corpus, now, new_id
        self._opened = ExitStack()
        self._opened.callback(corpus.close)

    @classmethod
    def open(
        cls,
        store: str | Path,
        *,
        settings: Settings | None = None,
        config: Path | None = None,
        environ: Mapping[str, str] | None = None,
        make: bool = False,
        **given: Any,
    ) -> Self:
        """Return the store in a directory, under its remit.toml or other settings; `make` makes one where there is none.

        Raises:
            RemitError: there is no store, a newer Remit wrote it, or the settings are wrong.
        """
        folder = Path(store)
        environ, own = os.environ if environ is None else environ, folder / CONTROL_FILE
        settings = settings or Settings.load(config or own, environ, optional=config is None)
        return cls(folder, settings, SqliteCorpus.open(folder, create=make), **given)

    def ask(
        self,
        question: str,
        *,
        principal: Principal | None,
        as_of: date | None = None,
        parameters: Mapping[str, str] | None = None,
        patience: Patience | None = None,
    ) -> Answered:
        """Return the decision on a question, recorded before it is handed out.

        A part that breaks ends as a refusal: deny where it was access, abstain otherwise. Never as an answer.

        Raises:
            InvalidInput: the question is empty, too long, or holds control characters; nothing is recorded.
        """
        self._corpus.check_encoder(self._encoder.name, self._encoder.dimension)
        began, now, line = time.monotonic(), self._now(), self._line
        contract = self._contract(
            question, Given(now.date(), as_of, cleaned_parameters(parameters or {}), self.settings.limits), principal
        )
        patience = patience or Patience(deadline=began + contract.limits.seconds)
        before, ends = len(patience.tally), patience.clock() + contract.limits.seconds
        trace = Trace(str(self._new_id()), keep_text=self.settings.keep_text)
        self._journal.open(trace.id, asker=principal.id if principal else "", question=contract.question, at=now)
        outcome: Outcome | None = None
        try:
            trace.note(self._setup)
            outcome = line.ask(contract, principal, trace, patience)
        except Exception as error:  # noqa: BLE001 - the one boundary of the line: whatever broke, nothing is answered
            failure = trace.note(failure_of(error))
            outcome = trace.note(refusal(error, failure, line.point))
        finally:
            settle_accounts(trace, patience.tally.since(before), contract.limits, ends)
            decision = None if outcome is None else outcome.decision
            self._journal.close(trace.id, entries=trace.entries, decision=decision, at=self._now())
        return Answered.of(outcome, contract, trace.entries, trace=trace.id, seconds=time.monotonic() - began)

    def search(self, query: str, *, principal: Principal, k: int = 10, as_of: date | None = None) -> Candidates:
        """Return the best `k` passages for a query among what the principal may read."""
        self._corpus.check_encoder(self._encoder.name, self._encoder.dimension)
        contract = self._contract(query, Given(self._now().date(), as_of), principal)
        search = Search(contract.question, k, contract.wanted)
        return self._retriever.search(search, self._scope(principal), self._corpus.snapshot())

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        fill: Stated | None = None,
        step: Callable[[Step], None] | None = None,
    ) -> Report:
        """Bring documents in; `fill` says what files leave out, `step` is told after each file. Report what was done."""
        files, said, control = several(paths), fill or Stated(), self.settings.control
        done = ingest(files, self._corpus, self._encoder, now=self._now(), control=control, fill=said, step=step)
        return self._retriever.caught_up(done)

    @classmethod
    def preview(
        cls,
        paths: Sequence[str | Path],
        *,
        store: str | Path,
        config: Path | None = None,
        fill: Stated | None = None,
    ) -> Report:
        """Return what an ingest would do, also where there is no store yet; nothing is written and none is made."""
        folder = Path(store)
        settings = Settings.load(config or folder / CONTROL_FILE, os.environ, optional=config is None)
        with SqliteCorpus.open(folder) if cls.exists(folder) else nullcontext() as corpus:
            files, said, control = [Path(path) for path in paths], fill or Stated(), settings.control
            return ingest(files, corpus, encoder_of(settings), now=UTC_NOW(), control=control, fill=said, dry_run=True)

    @staticmethod
    def exists(store: str | Path) -> bool:
        """Say whether a directory holds a store."""
        return (Path(store) / STORE_FILE).exists()

    def delete(self, document: str, *, revision: str | None = None) -> int:
        """Hide a document, or one revision of it, from every later request; return how many revisions that were.

        Raises:
            NothingThere: there is none.
        """
        count = self._corpus.delete(document, now=self._now(), revision=revision)
        if not count:
            named = document if revision is None else f"{document}@{revision}"
            raise NothingThere(f"{named}: no such document in this store")
        return count

    def trace(self, id: str, *, principal: Principal | None) -> Recorded:
        """Return what was recorded: all of it for the operator, for a principal their own, as far as they may read now.

        Raises:
            NothingThere: no such trace, or it is somebody else's.
        """
        if not (self._store / NAME).exists():
            raise NothingThere(f"trace {id}: no such trace in this store")
        scope = None if principal is None else self._scope(principal)
        return disclose.read(self._journal, id, scope=scope, corpus=self._corpus)

    def snapshot(self) -> Snapshot:
        """Return the newest state of the corpus."""
        return self._corpus.snapshot()

    def close(self) -> None:
        """Close the store's files and let go of the models."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _contract(self, question: str, given: Given, principal: Principal | None) -> Contract:
        told = known(self._corpus, standing(principal, self._policy))
        return frame(cleaned(question), given, told.catalogue, told.document)

    def _scope(self, principal: Principal) -> Scope:
        """Return all that a principal may read, for requests that put no question."""
        contract = self._contract("?", Given(self._now().date()), principal)
        return authorize(principal, contract, self._policy, self._corpus.catalogue()).widened()

    @cached_property
    def _policy(self) -> PolicyProvider:
        said = self.settings.policy
        return GroupLabels() if said.kind == "groups" else adapter("cedar")(said.files)

    @cached_property
    def _journal(self) -> Journal:
        self._opened.callback((journal := Journal(self._store / NAME)).shut)
        return journal

    @cached_property
    def _encoder(self) -> Embed:
        return encoder_of(self.settings)

    @cached_property
    def _retriever(self) -> HybridRetriever:
        index, weight = self._opened.enter_context(Index(self._store)), self.settings.encoder.weight
        return HybridRetriever(self._corpus, self._encoder, index=index, lexical_weight=weight)

    @cached_property
    def _line(self) -> Line:
        extractive = Extractive(self._encoder, self._retriever)
        answerer = self._answerer(extractive)
        rewriter, frozen = GlossaryRewriter(self._retriever), read_point(self.settings.point)
        point = frozen.point
        paid = frozenset[type[Operation]]() if answerer is extractive else frozenset({GenerateAnswer})
        return Line(
            corpus=self._corpus,
            policy=self._policy,
            retriever=self._retriever,
            reranker=Cutoff(),
            answerer=answerer,
            observe=Reader(self._corpus, extractive.weigh, frozen.evaluator),
            planner=TemplatePlanner(point),
            executor=PlanExecutor(self._retriever, answerer, rewriter, ClauseDecomposer(), paid=paid),
            settle=Settlement(self._corpus),
            point=point,
        )

    def _answerer(self, extractive: Extractive) -> Answerer:
        """Return the extractive answerer, or the configured chat model over it."""
        chat = self.settings.chat
        if chat is None:
            return extractive
        model = adapter(chat.kind)(**chat.backend)
        self._opened.callback(getattr(model, "close", int))  # what runs in this process holds its weights until then
        return generator(model, extractive, self._store, **chat.answers)

    @cached_property
    def _setup(self) -> Setup:
        line = self._line
        return Setup(
            remit=version("remit"),
            settings=digest_of(self.settings.model_dump(mode="json")),
            point=line.point.digest,
            policy=line.policy.name,
            encoder=self._encoder.name,
            retriever=line.retriever.name,
            reranker=line.reranker.name,
            answerer=line.answerer.name,
            planner=line.planner.name,
            prompts=prompt_digests(Path(__file__).parent),
        )
