"""The composition root: a store that can be asked, and the one boundary where a broken part is a refusal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property

from remit.access.policy import authorize, standing
from remit.access.principal import Principal
from remit.access.scope import Filters, Scope
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.contract.frame import Given, frame
from remit.corpus.known import known
from remit.errors import InvalidInput, NothingThere
from remit.library import Library
from remit.llm.cancel import Patience
from remit.record import disclose
from remit.record.answered import Answered
from remit.record.failure import failure_of, refusal
from remit.record.journal import NAME, Journal, Recorded
from remit.record.ledger import settle_accounts
from remit.record.question import cleaned, cleaned_parameters, cleaned_revision
from remit.record.queue import QUEUES
from remit.record.queues import Gap, Queues, Waiting
from remit.record.trace import Entry, Trace
from remit.repair.planner import Planning
from remit.rerank.choice import RerankChoice, RerankKind
from remit.rerank.encoder import MOST_CANDIDATES
from remit.rerank.ranking import Ranking, inside
from remit.retrieve.retriever import Candidates, Search
from remit.settings import PlannerSettings
from remit.settle.outcome import Outcome
from remit.settle.words import spoken


class Remit(Library):
    """A store that can be asked. Use it as a context manager, or call `close`."""

    def ask(  # noqa: PLR0913 - all that can be said of one question
        self,
        question: str,
        *,
        principal: Principal | None,
        as_of: date | None = None,
        parameters: Mapping[str, str] | None = None,
        collections: Sequence[str] = (),
        revision: str | None = None,
        language: str | None = None,
        patience: Patience | None = None,
        id: str | None = None,
        watch: Callable[[Entry], None] | None = None,
    ) -> Answered:
        """Return the decision on a question, recorded before it is handed out, under `id` or a new one.

        What is given besides the question wins over its words; `language` is that of the message. `watch` is called with
        each entry of the trace as it comes to be.

        A part that breaks ends as a refusal: deny where it was access, abstain otherwise. Never as an answer.

        Raises:
            InvalidInput: the question is empty, too long, or holds control characters, a collection is none that the
                asker may know of, or there are no messages in the language; nothing is recorded.
        """
        self.corpus.check_encoder(self.parts.encoder.name, self.parts.encoder.dimension)
        began, now, line = time.monotonic(), self.now(), self.parts.line
        given = Given(now.date(), as_of, cleaned_parameters(parameters or {}), self.settings.limits)
        given = given._replace(
            collections=tuple(collections), revision=cleaned_revision(revision), reply_in=spoken(language)
        )
        contract = self._contract(question, given, principal)
        patience = patience or Patience(deadline=began + contract.limits.seconds)
        before, ends = len(patience.tally), patience.clock() + contract.limits.seconds
        trace = self._trace(id, watch, began)
        self.journal.open(trace.id, asker=principal.id if principal else "", question=contract.question, at=now)
        outcome: Outcome | None = None
        try:
            trace.note(self.parts.setup)
            outcome = line.ask(contract, principal, trace, patience)
        except Exception as error:  # noqa: BLE001 - the one boundary of the line: whatever broke, nothing is answered
            failure = trace.note(failure_of(error))
            outcome = trace.note(refusal(error, failure, line.point, language=contract.reply_in))
        finally:
            settle_accounts(trace, patience.tally.since(before), contract.limits, ends)
            decision = None if outcome is None else outcome.decision
            self.journal.close(trace.id, entries=trace.entries, decision=decision, at=self.now())
        self.queues.clarified(contract, asker=principal.id if principal else "", trace=trace.id, at=self.now())
        return Answered.of(outcome, contract, trace.entries, trace=trace.id, seconds=time.monotonic() - began)

    def plan(
        self,
        question: str,
        *,
        principal: Principal,
        given: Given | None = None,
        planner: PlannerSettings | None = None,
        dry_run: bool = False,
    ) -> Planning:
        """Return what a planner makes of a question's first draft, and what its plan leads to; decide and record nothing.

        `dry_run` plans without running. The rules are not asked whether a correction is due.

        Raises:
            InvalidInput: the question is empty, too long, or holds control characters.
            Cancelled: the time that the limits give is up.
        """
        self.corpus.check_encoder(self.parts.encoder.name, self.parts.encoder.dimension)
        limits, line = self.settings.limits, self.parts.line
        policy = self.parts.planner(planner or self.settings.planner, line.point)
        contract = self._contract(question, given or Given(self.now().date(), limits=limits), principal)
        patience = Patience(deadline=time.monotonic() + limits.seconds)
        budget = Budget.of(limits, patience.clock())
        state = line.state(contract, principal, patience)
        budget = budget.spend(state.ranking.cost.plus(state.draft.cost))
        planned = policy.propose(state, budget, frozenset(), patience)
        if planned.plan is None or dry_run:
            return Planning(state, planned, None)
        budget = budget.spend(planned.proposal.cost)
        return Planning(state, planned, line.executor.run(planned.plan, state, budget, patience))

    def search(
        self,
        query: str,
        *,
        principal: Principal,
        k: int = 10,
        as_of: date | None = None,
        collections: Sequence[str] = (),
        revision: str | None = None,
    ) -> Candidates:
        """Return the best `k` passages for a query among what the principal may read.

        Raises:
            InvalidInput: the query cannot be used, or a collection is none that the principal may know of.
        """
        self.corpus.check_encoder(self.parts.encoder.name, self.parts.encoder.dimension)
        given = Given(self.now().date(), as_of, collections=tuple(collections), revision=cleaned_revision(revision))
        contract = self._contract(query, given, principal)
        filters = Filters(collections=contract.collections) if collections else Filters()
        search = Search(contract.question, k, contract.wanted, filters)
        return self.parts.retriever.search(search, self.scope(principal), self.corpus.snapshot())

    def rank(
        self, query: str, *, principal: Principal, policy: RerankKind | None = None, as_of: date | None = None
    ) -> Ranking:
        """Return which passages would be sent for a query; nothing is recorded.

        `policy` takes the place of the one in the settings, with what they say of it where it is the same one.

        Raises:
            RemitError: the policy needs a model or weights that are not there.
        """
        found = self.search(query, principal=principal, k=MOST_CANDIDATES, as_of=as_of)
        contract = self._contract(query, Given(self.now().date(), as_of), principal)
        said = self.settings.rerank
        if policy is not None and policy != said.policy:
            said = RerankChoice(policy=policy)
        reranker = self.parts.reranker(said)
        budget = Budget.of(self.settings.limits, time.monotonic())
        scope = self.scope(principal)
        return inside(reranker.rank(contract, found, scope, budget, Patience(deadline=budget.deadline)), scope)

    def trace(self, id: str, *, principal: Principal | None) -> Recorded:
        """Return what was recorded: all of it for the operator, for a principal their own, as far as they may read now.

        Raises:
            NothingThere: no such trace, or it is somebody else's.
        """
        if not (self.store / NAME).exists():
            raise NothingThere(f"trace {id}: no such trace in this store")
        scope = None if principal is None else self.scope(principal)
        return disclose.read(self.journal, id, scope=scope, corpus=self.corpus)

    def queue(
        self, name: str, *, principal: Principal | None, handled: bool = False, **page: int
    ) -> tuple[Waiting, ...]:
        """Return what waits in a queue, oldest first: all of it for the operator, for a principal what they may know of.

        Raises:
            InvalidInput: there is no queue of that name.
        """
        if name not in QUEUES:
            raise InvalidInput(f"{name}: no such queue; there are {', '.join(QUEUES)}")
        if not (self.store / NAME).exists():
            return ()
        scope = None if principal is None else self.scope(principal)
        return self.queues.list(name, scope=scope, handled=handled, **page)

    def gaps(self, *, principal: Principal | None) -> tuple[Gap, ...]:
        """Return what the corpus lacks by fact, the one that most questions needed first."""
        return self.queues.gaps(scope=None if principal is None else self.scope(principal))

    @cached_property
    def queues(self) -> Queues:
        """Return what decisions left for people."""
        return Queues(self.journal, self.corpus)

    def _trace(self, id: str | None, watch: Callable[[Entry], None] | None, began: float) -> Trace:
        """Return the trace of a question that was begun at a monotonic second."""
        name, keep_text = id or str(self._new_id()), self.settings.keep_text
        return Trace(name, watch=watch, keep_text=keep_text, clock=lambda: time.monotonic() - began)

    def _contract(self, question: str, given: Given, principal: Principal | None) -> Contract:
        told = known(self.corpus, standing(principal, self.parts.policy))
        if unknown := [name for name in given.collections if not told.collection(name)]:
            raise InvalidInput(f"{unknown[0]}: no collection of that name that you may read or know of")
        return frame(cleaned(question), given, told.catalogue, told.document)

    def scope(self, principal: Principal) -> Scope:
        """Return all that a principal may read, for requests that put no question.

        Raises:
            AccessFailed: the policy came to no verdict.
        """
        contract = self._contract("?", Given(self.now().date()), principal)
        return authorize(principal, contract, self.parts.policy, self.corpus.catalogue()).widened()

    @cached_property
    def journal(self) -> Journal:
        """Return the record of what was asked; it is made where there is none."""
        self._opened.callback((journal := Journal(self.store / NAME)).shut)
        return journal
