"""The `lm` planner: a causal language model, the paper's way. It can be trained, sampled and asked how likely a plan is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message
from remit.repair.check import PAID
from remit.repair.ops import Operation
from remit.repair.parse import PlanError, parse
from remit.repair.plan import Plan
from remit.repair.planner import State
from remit.repair.prompt import messages, prompt_digest
from remit.repair.prompted import PromptedPlanner
from remit.repair.state import OffPolicy, OnPolicy, on_policy

VERSION: Final = "lm/1"


class Scored(Chat, Protocol):
    """A chat model that says how likely a given reply is."""

    def log_probability(self, messages: tuple[Message, ...], reply: str, patience: Patience) -> float:
        """Return the natural log-probability of a reply."""


class LmPlanner(PromptedPlanner):
    """Plans with a language model of ours: greedily in the line, by sampling in training."""

    def __init__(
        self,
        model: Scored,
        *,
        seeded: Callable[[int], Chat] | None = None,
        passages: int = 5,
        max_tokens: int = 200,
        room: int = 4_000,
        paid: frozenset[type[Operation]] = PAID,
    ) -> None:
        """Take the model, and for sampling what makes the same model draw from a seed."""
        super().__init__(model, passages=passages, max_tokens=max_tokens, room=room, paid=paid)
        self.name = f"{VERSION} {model.name} {prompt_digest()[:15]}"
        self._model, self._seeded = model, seeded

    def sample(
        self, state: OnPolicy | OffPolicy, *, seed: int, temperature: float, patience: Patience
    ) -> tuple[str, Plan | PlanError]:
        """Return a reply drawn from the model, and the plan in it."""
        chat = self._model if self._seeded is None else self._seeded(seed)
        asked = messages(state, most=self._passages)
        reply = chat.reply(asked, max_tokens=self._max_tokens, temperature=temperature, patience=patience)
        return reply.text, parse(reply.text)

    def log_probability(self, plan: Plan, state: State | OnPolicy | OffPolicy, patience: Patience) -> float:
        """Return the log-probability of a plan's canonical text, as a reply to the prompt that inference sends."""
        shown = on_policy(state) if isinstance(state, State) else state
        return self._model.log_probability(messages(shown, most=self._passages), plan.text, patience)
