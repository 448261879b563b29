"""The estimate of the paper: a language model says whether the response looks correct, from the response alone.

It stands before a planner and not among the readings: it costs a model call, and only planners look at the estimate.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Final

from remit.answer.draft import Draft
from remit.contract.budget import Budget, Cost
from remit.contract.value import text_digest
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message
from remit.llm.ledger import Price, total_price
from remit.llm.metered import estimate, metered
from remit.llm.tamed import tamed
from remit.observe.observation import Estimate, Unmeasured
from remit.repair.planner import Planned, Planner, State

PROMPT: Final = "judge.txt"
_TOKENS: Final = 8
_VERDICT: Final = re.compile(r"[\s\"'*`.]*(?P<verdict>correct|incorrect)[\s\"'*`.!]*", re.IGNORECASE)
_HEADING: Final = re.compile(r"^\[(system|user)\]\n", re.MULTILINE)
_BLANK: Final = re.compile(r"\{(question|response)\}")


@lru_cache(maxsize=1)
def _text() -> str:
    return resources.files(__package__).joinpath(PROMPT).read_text(encoding="utf-8")


class Judge:
    """Asks a chat model for one word."""

    def __init__(self, chat: Chat, price: Price | None = None, *, reserve: float = 3.0) -> None:
        """Take the model; `reserve` seconds of the time are kept for what follows."""
        self.name = f"judge/1 {chat.name} {text_digest(_text())[:15]}"
        self._chat, self._reserve = metered(chat, price), reserve

    def estimate(self, question: str, draft: Draft, budget: Budget, patience: Patience) -> Estimate | Unmeasured:
        """Return the verdict; Unmeasured where none could be had or read. No answer looks incorrect, without a call."""
        if draft.answer is None:
            return Estimate(looks_correct=False, probability=0.0, method=self.name)
        asked = messages(question, draft.answer)
        if budget.model_calls < 1 or estimate(asked) + _TOKENS > budget.tokens:
            return Unmeasured(reason="too little of the budget is left for a judge")
        share = patience.keeping(self._reserve, until=budget.deadline, calls=budget.model_calls)
        try:
            reply = self._chat.reply(asked, max_tokens=_TOKENS, temperature=0.0, patience=share)
        except ProviderFailed as error:
            return Unmeasured(reason=f"the judge failed: {error}")
        except Cancelled:
            patience.check()
            return Unmeasured(reason="the judge took longer than its share of the time")
        found = _VERDICT.fullmatch(reply.text)
        if found is None:
            return Unmeasured(reason="the judge said neither correct nor incorrect")
        correct = found["verdict"].casefold() == "correct"
        return Estimate(looks_correct=correct, probability=float(correct), method=self.name)


def messages(question: str, response: str) -> tuple[Message, ...]:
    """Return the conversation that asks for a verdict on a response."""
    blanks = {"question": " ".join(tamed(question).split()), "response": " ".join(tamed(response).split())}
    _, *pieces = _HEADING.split(_text())
    system, user = (piece.strip() for piece in pieces[1::2])
    return Message("system", system), Message("user", _BLANK.sub(lambda blank: blanks[blank[1]], user))


class JudgedPlanner:
    """A planner that sees a judge's estimate in the place of the one that was read off the draft."""

    def __init__(self, planner: Planner, judge: Judge) -> None:
        """Take the planner and the judge it is told by."""
        self.name = f"{planner.name} by {judge.name}"
        self._planner, self._judge = planner, judge

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return what the planner proposes once the judge has spoken; the call is part of the proposal's cost."""
        before = len(patience.tally)
        said = self._judge.estimate(state.contract.claim, state.draft, budget, patience)
        calls = patience.tally.since(before)
        cost = Cost(
            model_calls=sum(call.count for call in calls),
            tokens=sum(call.tokens for call in calls),
            price=total_price(calls),
        )
        told = state._replace(seen=state.seen.model_copy(update={"estimate": said}))
        planned = self._planner.propose(told, budget.spend(cost), tried, patience)
        update = {"policy": self.name, "estimate": said, "cost": planned.proposal.cost.plus(cost)}
        return planned._replace(proposal=planned.proposal.model_copy(update=update))
