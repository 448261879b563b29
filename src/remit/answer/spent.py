"""What model calls came to: their cost, and whether a limit on the price allows another."""

from __future__ import annotations

from typing import Final

from remit.contract.budget import Budget, Cost
from remit.llm.chat import Chat, Message
from remit.llm.ledger import Call, total_price
from remit.llm.metered import estimate, price_of

ESTIMATED: Final = "tokens are an upper estimate: the provider reports none"


def spent(calls: tuple[Call, ...]) -> tuple[Cost, str]:
    """Return what calls cost together, and a remark where a provider did not count."""
    cost = Cost(
        model_calls=sum(call.count for call in calls),
        tokens=sum(call.tokens for call in calls),
        price=total_price(calls),
    )
    return cost, ESTIMATED if any(call.estimated for call in calls) else ""


def too_dear(chat: Chat, messages: tuple[Message, ...], max_tokens: int, budget: Budget) -> str:
    """Return why a limit on the price forbids a call, or nothing where it does not."""
    limit, used, price = budget.limits.price, budget.used.price, price_of(chat)
    if limit is None:
        return ""
    if used is None or price is None:
        return "limits.price is set and what the model costs is not known: set [chat.price]"
    most = price.of(estimate(messages), max_tokens)
    return "too little of limits.price is left for a call" if used + most > limit else ""
