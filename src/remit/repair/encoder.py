"""The `encoder` planner: the likeliest new plan of a small policy over the plan grammar. Numpy, no model call, milliseconds."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np

from remit.contract.budget import Budget
from remit.decide.proposal import Proposal
from remit.errors import InvalidInput
from remit.llm.cancel import Patience
from remit.llm.learned import learned_from
from remit.llm.weights import given_or_shipped, packed
from remit.repair.check import over
from remit.repair.features import MOVE_SIZE, STATE_SIZE, VERSION, seen_of
from remit.repair.ops import Operation, Retrieval
from remit.repair.plan import Plan
from remit.repair.planner import Planned, State
from remit.repair.policy import HIDDEN, Situation, Weights
from remit.repair.pool import chances, pool

WEIGHTS: Final = "encoder.safetensors"
_CLONE: Final = "clone.safetensors"


class EncoderPlanner:
    """Proposes the likeliest plan that has not run; none where leaving the draft alone is likelier than any such plan."""

    def __init__(self, weights: Path | None = None, *, paid: frozenset[type[Operation]] = frozenset()) -> None:
        """Take the file of the weights, those of the package where it is None, and the operations that cost a model call.

        Raises:
            InvalidInput: the file holds no weights for this version of the features.
        """
        self._weights, digest = read(weights)
        self._paid = paid
        self.learned = learned_from(weights, "remit.repair", WEIGHTS)
        self.name = f"encoder/{VERSION} {digest[:23]}"

    def propose(self, state: State, budget: Budget, tried: frozenset[str], patience: Patience) -> Planned:
        """Return the likeliest plan whose fingerprint is not in `tried`, marked as repeated where only such are left."""
        patience.check()
        repeated: Planned | None = None
        situation = Situation(state, seen_of(state))
        plans = pool(state, situation)
        logs = chances(situation, plans, self._weights)
        for place in np.argsort(-logs, kind="stable"):
            plan, log_probability = plans[place], float(logs[place])
            if plan is None:
                return repeated or self._none(log_probability)
            if over(plan, budget, self._paid):
                continue
            planned = self._planned(plan, log_probability, state, tried)
            if not planned.proposal.repeated:
                return planned
            repeated = repeated or planned
        return repeated or self._none(None)

    def _planned(self, plan: Plan, log_probability: float, state: State, tried: frozenset[str]) -> Planned:
        in_use = tuple(hit.passage.id for hit in state.ranking.hits)
        fingerprint = plan.fingerprint(in_use, state.snapshot.digest)
        searches = any(isinstance(step.operation, Retrieval) for step in plan.steps)
        proposal = Proposal(
            plan=plan.text,
            fingerprint=fingerprint,
            repeated=fingerprint in tried or plan.text == state.ranking.reason,
            action="corrective_plan",
            expects=f"{'passages' if searches else 'an answer'} on: {state.contract.claim}",
            policy=self.name,
            log_probability=min(0.0, log_probability),
        )
        return Planned(proposal, plan)

    def _none(self, log_probability: float | None) -> Planned:
        said = None if log_probability is None else min(0.0, log_probability)
        return Planned(Proposal(plan=None, policy=self.name, log_probability=said), None)


def untrained() -> Weights:
    """Return the weights that training starts from and is held near to: a clone of the `template` planner."""
    with resources.as_file(resources.files(__package__).joinpath(_CLONE)) as file:
        return read(file)[0]


def read(path: Path | None) -> tuple[Weights, str]:
    """Return the weights of a file or folder, or those that ship, and the digest of the file.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: it holds none, or weights for other features.
    """
    stored = given_or_shipped(path, "remit.repair", WEIGHTS)
    weights = {name: np.asarray(values, dtype=np.float32) for name, values in stored.arrays.items()}
    wanted = {
        "state": (HIDDEN, STATE_SIZE),
        "move": (HIDDEN, MOVE_SIZE),
        "bias": (HIDDEN,),
        "out": (HIDDEN,),
        "direct": (MOVE_SIZE,),
    }
    version = stored.said.get("version")
    if version != str(VERSION) or {name: held.shape for name, held in weights.items()} != wanted:
        raise InvalidInput(f"{path or WEIGHTS}: weights for other features than those of this version; train them anew")
    return weights, stored.digest


def bytes_of(weights: Weights) -> bytes:
    """Return weights as the bytes of a file; equal weights give equal bytes."""
    return packed(weights, {"version": str(VERSION), "policy": "planner"})
