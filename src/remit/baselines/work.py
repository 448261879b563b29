"""One question on its way through a system: the same search, model, answer prompt and budget for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from remit.access.principal import Principal
from remit.access.scope import Filters, Scope
from remit.answer.draft import Answerer, Draft
from remit.ask import Line
from remit.baselines.prompts import Prompt
from remit.contract.budget import Budget, Cost
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Reply
from remit.llm.embed import Embed
from remit.llm.ledger import Call, total_price
from remit.llm.metered import estimate, metered
from remit.repair.drafting import told
from remit.rerank.ranking import Ranking, Reranker
from remit.retrieve.retriever import Candidates, Hit, Search

JUDGED: Final = 20
"""How deep a first ranking is looked at, whatever the system takes of it."""

MOST_SENT: Final = 15
"""Passages that reach the answer prompt at most, as for the dynamic reranker."""


class Spent(Exception):
    """The budget reaches for no further step."""


@dataclass(frozen=True, slots=True)
class Means:
    """What every system works with.

    `line` is Remit's own, with its search, reranker, answerer and planner. `chat` is the model behind the answerer, `spelled`
    the same with log-probabilities; None where there is none. `expert` answers by quotation, without a model. `room` is how
    many tokens a prompt and its reply may take.
    """

    line: Line
    embed: Embed
    expert: Answerer
    chat: Chat | None = None
    spelled: Chat | None = None
    room: int = 4096


class Asked(NamedTuple):
    """The question, who asks, and what they may see at which state of the corpus."""

    contract: Contract
    principal: Principal
    scope: Scope
    snapshot: Snapshot


class Work:
    """What a system may do for one question. Each act is charged and put down; none is possible beyond the budget."""

    def __init__(self, means: Means, asked: Asked, patience: Patience) -> None:
        """Take the parts, the question, and how long it may take."""
        self.means, self.asked = means, asked
        self.patience = patience.within(asked.scope.digest, asked.snapshot.digest)
        self.budget = Budget.of(asked.contract.limits, patience.clock())
        self.held: Draft | None = None
        self.sent: tuple[Hit, ...] = ()
        self.ranked: tuple[Hit, ...] = ()
        self.steps: list[str] = []
        self.searches = 0
        self.decided = ""

    @property
    def question(self) -> str:
        """The question as asked."""
        return self.asked.contract.question

    def did(self, act: str) -> None:
        """Put down an act."""
        self.steps.append(act)

    def candidates(self, query: str, k: int) -> Candidates:
        """Return what the common search finds, inside the scope."""
        self._in_time()
        self.did("retrieve")
        self.searches += 1
        contract = self.asked.contract
        filters = Filters(collections=contract.collections or None)
        search = Search(query, k, contract.wanted, filters)
        found = self.means.line.retriever.search(search, self.asked.scope, self.asked.snapshot)
        hits = tuple(hit for hit in found.hits if self._admits(hit))
        return found.model_copy(update={"hits": hits})

    def search(self, query: str, k: int) -> tuple[Hit, ...]:
        """Return the best `k` hits of the common search; the first search of a question is what its ranking is judged by."""
        hits = self.candidates(query, k if self.ranked else max(k, JUDGED)).hits
        if not self.ranked:
            self.ranked = hits
        return hits[:k]

    def found(self, k: int) -> Candidates:
        """Return the best `k` hits for the question with what the search says of itself, for those who observe it."""
        whole = self.candidates(self.question, max(k, JUDGED))
        self.ranked = whole.hits
        return whole.model_copy(update={"hits": whole.hits[:k]})

    def reranked(self, reranker: Reranker, depth: int) -> tuple[Hit, ...]:
        """Return what a reranker keeps of the first `depth` hits for the question."""
        found = self.candidates(self.question, depth)
        ranking = reranker.rank(self.asked.contract, found, self.asked.scope, self.budget, self.patience)
        self.did("rerank")
        self.budget = self.budget.spend(ranking.cost)
        kept = {hit.passage.id for hit in ranking.hits}
        self.ranked = (*ranking.hits, *(hit for hit in found.hits if hit.passage.id not in kept))
        return ranking.hits

    def say(
        self,
        prompt: Prompt,
        section: str = "user",
        *,
        max_tokens: int,
        hits: Sequence[Hit] = (),
        temperature: float = 0.0,
        spelled: bool = False,
        **blanks: str,
    ) -> Reply:
        """Return what the model says to a prompt. Passages that do not fit are left out, last ones first.

        Raises:
            Spent: no call is left, or too few tokens for this one.
            ProviderFailed: the model did not do its part.
            Cancelled: the time is up.
        """
        chat = self.means.spelled if spelled else self.means.chat
        if chat is None:
            raise ValueError("a system asked for a model that it does not say it needs")
        self._in_time()
        room = min(self.means.room, self.budget.tokens)
        shown = list(hits)
        messages = prompt.filled(section, shown, **blanks)
        while shown and estimate(messages) + max_tokens > room:
            shown.pop()
            messages = prompt.filled(section, shown, **blanks)
        if self.budget.model_calls < 1 or estimate(messages) + max_tokens > self.budget.tokens:
            raise Spent
        before = len(self.patience.tally)
        share = self.patience.keeping(0.0, until=self.budget.deadline, calls=self.budget.model_calls)
        try:
            reply = metered(chat).reply(messages, max_tokens=max_tokens, temperature=temperature, patience=share)
        finally:
            self.budget = self.budget.spend(cost_of(self.patience.tally.since(before)))
        return reply

    def draft(self, hits: Iterable[Hit], *, query: str | None = None, instruction: str | None = None) -> Draft:
        """Return the common answerer's draft for the question, or for another query, from passages in this order.

        Raises:
            Spent: the answerer takes model calls, and none is left.
        """
        self._in_time()
        line, contract = self.means.line, self.asked.contract
        if self.means.chat is not None and self.budget.model_calls < 1:
            raise Spent
        chosen = once(hits)[:MOST_SENT]
        if query is not None and query != contract.claim:
            contract = contract.model_copy(update={"question": query, "claim": query})
        ranking = Ranking(hits=chosen, policy="baseline", reason="as the system ordered them")
        draft = told(line.answerer, instruction).draft(contract, ranking, self.asked.scope, self.budget, self.patience)
        self.did("answer")
        self.budget = self.budget.spend(draft.cost)
        self.sent = chosen
        return draft

    def hold(self, draft: Draft) -> Draft:
        """Keep a draft as the answer so far, and return it."""
        self.held = draft
        return draft

    def _admits(self, hit: Hit) -> bool:
        return self.asked.scope.admits(hit.source.labels, hit.source.collection, hit.source.document)

    def _in_time(self) -> None:
        self.patience.check()
        if self.budget.expired(self.patience.clock()):
            raise Spent


def once(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits without repetitions: of one stretch of a passage the first."""
    return tuple({(hit.passage.id, hit.passage.start): hit for hit in reversed(list(hits))}.values())[::-1]


def cost_of(calls: Sequence[Call]) -> Cost:
    """Return what calls cost together."""
    return Cost(
        model_calls=sum(call.count for call in calls),
        tokens=sum(call.tokens for call in calls),
        price=total_price(tuple(calls)),
    )
