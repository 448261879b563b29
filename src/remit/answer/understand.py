"""A question understood by a chat model, inside the budget; what the rules made of it stands wherever the model does not do its part."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from remit.answer.spent import spent, too_dear
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.contract.reframe import read, reframed
from remit.errors import Cancelled, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message
from remit.llm.metered import estimate, metered
from remit.retrieve.retriever import Candidates

PROMPT: Final = "understand.txt"
"""The prompt's file, beside this one."""

_MAX_TOKENS: Final = 120


class Understand(Protocol):
    """Reads a question again once something readable was found for it: a denied question asks no model."""

    def __call__(self, contract: Contract, found: Candidates, patience: Patience) -> Contract:
        """Return the contract as it was understood; the same one where nothing was added."""


def as_framed(contract: Contract, found: Candidates, patience: Patience) -> Contract:
    """Return the contract as the rules framed it."""
    return contract


class Understanding:
    """Reads questions with a chat model. The question is data: the reply may only choose among its words."""

    def __init__(self, chat: Chat) -> None:
        """Take the model."""
        self.name = f"understand/1 {chat.name}"
        self._chat = metered(chat)

    def __call__(self, contract: Contract, found: Candidates, patience: Patience) -> Contract:
        """Return the contract as the model understood it, or the rules' own with the reason; the cost of asking is in it."""
        if not found.readable:
            return contract
        messages = (
            Message("system", _prompt()),
            Message("user", f"<<question\n{contract.question}\nquestion>>"),
        )
        budget = Budget.of(contract.limits, patience.clock())
        if budget.model_calls < 1 or budget.tokens < estimate(messages) + _MAX_TOKENS:
            return _by_rules(contract, "the budget does not reach for it")
        if dear := too_dear(self._chat, messages, _MAX_TOKENS, budget):
            return _by_rules(contract, dear)
        before = len(patience.tally)
        try:
            reply = self._chat.reply(messages, max_tokens=_MAX_TOKENS, temperature=0.0, patience=patience)
            said = read(reply.text)
        except (ProviderFailed, Cancelled) as error:  # the line itself says so, where the asker went away
            return _charged(_by_rules(contract, type(error).__name__), patience, before)
        made = None if said is None else reframed(contract, said, self.name)
        why = "not four lines as asked for" if said is None else "it used words that the question does not have"
        return _charged(made or _by_rules(contract, why), patience, before)


def _by_rules(contract: Contract, why: str) -> Contract:
    return contract.model_copy(update={"origins": (*contract.origins, ("model", f"left out: {why}"))})


def _charged(contract: Contract, patience: Patience, before: int) -> Contract:
    cost, _ = spent(patience.tally.since(before))
    return contract.model_copy(update={"cost": cost})


@lru_cache(maxsize=1)
def _prompt() -> str:
    return Path(__file__).with_name(PROMPT).read_text(encoding="utf-8")
