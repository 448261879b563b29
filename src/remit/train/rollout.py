"""Rollouts: what a policy tried for a question, what came of it, and where all of it is from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import Field

from remit.contract.value import Value, digest_of


class Provenance(Value):
    """Where a rollout is from, by digest: what makes two rollouts comparable.

    `policy` names the policy and its weights, `prompt` the prompt file where there is one, `reward` the reward and its
    weights, `data` the questions and the store, `environment` what answered.
    """

    policy: str
    round: int = Field(ge=0)
    reward: str
    data: str
    environment: str
    prompt: str | None = None
    seed: int = 0

    @property
    def digest(self) -> str:
        """Return the name of this provenance."""
        return _digest(self)


@lru_cache(maxsize=64)
def _digest(provenance: Provenance) -> str:
    return digest_of(provenance.model_dump())


class Trajectory(NamedTuple):
    """What a policy chose, as text: a ranking `[3], [1]`, `None`, or a plan; with its log-probability where there is one."""

    text: str
    log_probability: float | None = None


class Scored(NamedTuple):
    """What came of a trajectory. `reward` is None where it could not be measured, and then `why` says so."""

    answer: str | None
    reward: float | None
    terms: Mapping[str, float | None] = {}
    why: str = ""


class Rollout(Value):
    """A line of a rollout log: try number `sample` out of `tries` that were proposed for the question.

    `state` is what the policy saw: its prompt where it reads one, else a digest.
    """

    kind: Literal["rollout"] = "rollout"
    schema_version: Literal[1] = 1
    question: str
    group: str
    source: str
    state: str
    sample: int = Field(ge=0)
    tries: int = Field(ge=1)
    trajectory: str
    log_probability: float | None
    answer: str | None
    reward: float | None = Field(ge=0.0, le=1.0)
    terms: dict[str, float | None] = Field(default_factory=dict)
    unmeasured: str = ""
    provenance: Provenance

    @property
    def key(self) -> tuple[str, str, int]:
        """Return what a rollout is known by: its provenance, question and number."""
        return self.provenance.digest, self.question, self.sample
