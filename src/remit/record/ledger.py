"""The ledger: every model call of a question, as it stands in the trace beside the budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from remit.contract.budget import Budget, Cost, Limits
from remit.contract.value import Value
from remit.llm.ledger import Call
from remit.record.trace import Trace


class CallMade(Value):
    """One model call: what the provider counted (None: it did not say), what the budget was charged, and how it ended.

    `key` is the digest of a reply that came from the cache: that was no call.
    """

    model: str
    ended: Literal["replied", "failed", "busy", "cancelled", "cached"]
    prompt_tokens: int | None
    reply_tokens: int | None
    tokens: int
    estimated: bool = False
    seconds: float
    price: float | None
    key: str = ""


class Ledger(Value):
    """The calls of one question, in the order in which they ended."""

    calls: tuple[CallMade, ...] = ()

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Self:
        """Return the ledger of these calls."""
        return cls(
            calls=tuple(
                CallMade(
                    model=call.model,
                    ended=call.ended,
                    prompt_tokens=call.prompt_tokens,
                    reply_tokens=call.reply_tokens,
                    tokens=call.tokens,
                    estimated=call.estimated,
                    seconds=round(call.seconds, 6),
                    price=call.price,
                    key=call.key,
                )
                for call in calls
            )
        )

    @property
    def cost(self) -> Cost:
        """Return what the calls cost together: what the budget shows as used, its rounds aside."""
        total = Cost()
        for call in self.calls:
            made = 0 if call.ended == "cached" else 1
            total = total.plus(Cost(model_calls=made, tokens=call.tokens, price=call.price))
        return total


def settle_accounts(trace: Trace, calls: Iterable[Call], limits: Limits, deadline: float) -> None:
    """Write the ledger down, where there was a call; and where a part broke before its calls were on the budget, that too.

    A trace without a ledger is that of a question that asked no model anything.
    """
    ledger = Ledger.of(calls)
    if not ledger.calls:
        return
    trace.note(ledger)
    last = next((entry.data for entry in reversed(trace.entries) if entry.kind == "Budget"), None)
    budget = Budget(limits=limits, deadline=deadline) if last is None else Budget.model_validate(last)
    used = ledger.cost.model_copy(update={"rounds": budget.used.rounds})
    if used != budget.used:
        trace.note(budget.model_copy(update={"used": used}))
