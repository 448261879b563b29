"""The `prompted` planner: any chat model writes the plan; what it writes is parsed, checked against the budget, and counted."""

from __future__ import annotations

from typing import Final

from remit.contract.budget import Budget, Cost
from remit.decide.proposal import Proposal
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Reply
from remit.llm.ledger import Price, total_price
from remit.llm.metered import estimate, metered
from remit.repair.check import PAID
from remit.repair.ops import Operation
from remit.repair.parse import PlanError, parse
from remit.repair.plan import Plan
from remit.repair.planner import Planned, State
from remit.repair.prompt import messages, prompt_digest
from remit.repair.state import on_policy

VERSION: Final = "prompted/1"


class PromptedPlanner:
    """Asks a chat model for a plan. A reply that is no plan, a provider that fails, no call left: no plan, and why.

    `passages` is how many of them the model is shown, `room` how many tokens prompt and reply may take. `paid` are the
    operations that cost a model call where the plan runs.
    """

    def __init__(
        self,
        chat: Chat,
        *,
        passages: int = 5,
        max_tokens: int = 200,
        room: int = 4_000,
        reserve: float = 3.0,
        paid: frozenset[type[Operation]] = PAID,
        price: Price | None = None,
    ) -> None:
        self.name = f"{VERSION} {chat.name} {prompt_digest()[:15]}"
        self._chat = metered(chat, price)
        self._passages, self._max_tokens, self._room, self._reserve = passages, max_tokens, room, reserve
        self._paid = paid

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return the model's plan, marked as repeated where it has run."""
        before = len(patience.tally)
        reply = self._reply(state, budget, patience)
        calls = patience.tally.since(before)
        cost = Cost(
            model_calls=sum(call.count for call in calls),
            tokens=sum(call.tokens for call in calls),
            price=total_price(calls),
        )
        if isinstance(reply, str):
            return self._none(reply, cost)
        if reply.stop == "length":
            return self._none("the reply was cut off by its length", cost)
        plan = parse(reply.text, budget.spend(cost), paid=self._paid)
        if isinstance(plan, PlanError):
            return self._none(f"no plan: {plan.kind}", cost)
        return self._planned(plan, reply, state, tried, cost)

    def _reply(self, state: State, budget: Budget, patience: Patience) -> Reply | str:
        """Return what the model said, or why it was not asked or did not answer."""
        patience.check()
        if budget.model_calls < 1:
            return "no model call is left in the budget"
        shown = self._passages
        asked = messages(on_policy(state), most=shown)
        while shown and estimate(asked) + self._max_tokens > min(self._room, budget.tokens):
            shown -= 1
            asked = messages(on_policy(state), most=shown)
        if estimate(asked) + self._max_tokens > budget.tokens:
            return "too few tokens are left for a prompt"
        share = patience.keeping(self._reserve, until=budget.deadline, calls=budget.model_calls)
        try:
            return self._chat.reply(asked, max_tokens=self._max_tokens, temperature=0.0, patience=share)
        except ProviderFailed as error:
            return str(error)
        except Cancelled:
            patience.check()  # the asker still waits: only the model's share of the time is up
            return "it took longer than its share of the time"

    def _planned(self, plan: Plan, reply: Reply, state: State, tried: frozenset[str], cost: Cost) -> Planned:
        in_use = tuple(hit.passage.id for hit in state.ranking.hits)
        fingerprint = plan.fingerprint(in_use, state.snapshot.digest)
        said = None if reply.tokens is None else sum(token.logprob for token in reply.tokens)
        proposal = Proposal(
            plan=plan.text,
            fingerprint=fingerprint,
            repeated=fingerprint in tried or plan.text == state.ranking.reason,
            action="corrective_plan",
            expects="a better answer",
            policy=self.name,
            log_probability=said,
            cost=cost,
        )
        return Planned(proposal, plan)

    def _none(self, why: str, cost: Cost) -> Planned:
        return Planned(Proposal(plan=None, expects=why, policy=self.name, cost=cost), None)
