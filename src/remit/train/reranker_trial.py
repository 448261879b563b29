"""Rankings tried for real: what the policy draws for a question, the answer each leads to, and the five terms of its reward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from remit.contract.value import digest_of
from remit.measure.bertscore import Similarity
from remit.measure.judge import NoVerdict, Verdict
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy, log_probability, sample, whole_order
from remit.rerank.seen import Seen
from remit.train.environment import Asked, Environment
from remit.train.instances import Instance
from remit.train.reward import TERMS, WEIGHTS, Terms, Weights, f1_reward, reward, terms
from remit.train.rollout import Rollout, Scored, Trajectory

NOTHING: Final = "None"
_DRAWS: Final = 3
Judge = Callable[[str, str | None, Sequence[str]], Verdict | NoVerdict]
"""Gives a verdict on the answer to a question, beside the golden ones."""


class Case(NamedTuple):
    """A question of a set with its candidates and what the policy sees of them."""

    instance: Instance
    source: str
    seen: Seen

    @property
    def id(self) -> str:
        """The id of the question within all sets."""
        return f"{self.source}/{self.instance.question.id}"

    @property
    def group(self) -> str:
        """What hangs together with it."""
        return f"{self.source}/{self.instance.question.group}"


def text_of(rows: Sequence[int], case: Case) -> str:
    """Return a ranking as the paper writes it, by the candidates' numbers from 1 in the order found; `None` for none."""
    place = {hit.passage.id: number for number, hit in enumerate(case.instance.candidates.hits, 1)}
    return ", ".join(f"[{place[case.seen.ids[row]]}]" for row in rows) or NOTHING


def rows_of(text: str, case: Case) -> tuple[int, ...]:
    """Return the rows of what was seen that a ranking names.

    Raises:
        ValueError: it is no ranking of these candidates.
    """
    if text == NOTHING:
        return ()
    row = {id: number for number, id in enumerate(case.seen.ids)}
    hits = case.instance.candidates.hits
    return tuple(row[hits[int(part.strip(" []")) - 1].passage.id] for part in text.split(","))


class RerankerTrial:
    """Draws rankings from a policy and scores the environment's answer; at temperature 0 it takes the greedy one."""

    def __init__(
        self,
        environments: Mapping[str, Environment],
        head: Head,
        *,
        seed: int,
        temperature: float = 1.0,
        similarity: Similarity | None = None,
        judge: Judge | None = None,
        prefixes: Sequence[int] = (),
    ) -> None:
        """Take what answers by set, what measures the terms beyond the words, and how many first passages are tried too."""
        self.environments, self._head, self._seed, self._temperature = environments, head, seed, temperature
        self._similarity, self._judge, self._prefixes = similarity, judge, tuple(prefixes)

    def state(self, item: Case) -> str:
        """Return the digest of the question and its candidates."""
        return digest_of([item.id, [hit.passage.id for hit in item.instance.candidates.hits]])

    def propose(self, item: Case, count: int) -> Sequence[Trajectory]:
        """Return distinct draws, the greedy choice first; the same for the same question and seed.

        First passages in the order found and in the policy's own come before draws: they leave fewer of the `count` to them.
        """
        first = greedy(self._head, item.seen)
        found = {text_of(first.rows, item): first.log_probability}
        for rows in self._first(item):
            found.setdefault(text_of(rows, item), log_probability(self._head, item.seen, rows))
        if self._temperature > 0:
            chance = np.random.default_rng([self._seed, int(digest_of(item.id)[7:23], 16)])
            for _ in range(_DRAWS * count):
                if len(found) >= count:
                    break
                drawn = sample(self._head, item.seen, chance, temperature=self._temperature)
                found.setdefault(text_of(drawn.rows, item), drawn.log_probability)
        return [Trajectory(text, log_probability) for text, log_probability in found.items()]

    def _first(self, item: Case) -> Iterator[tuple[int, ...]]:
        """Yield the first rows found, and the first of the policy's order before any stop, for each number asked for."""
        most = max(self._prefixes, default=0)
        ours = whole_order(self._head, item.seen, depth=most) if most else ()
        hits = item.instance.candidates.hits
        theirs = tuple(item.seen.row(id) for id in dict.fromkeys(hit.passage.id for hit in hits[:most]))
        for count in self._prefixes:
            yield from (rows[:count] for rows in (theirs, ours))

    def score(self, item: Case, trajectory: Trajectory) -> Scored:
        """Return the terms of the answer; the reward is that of the terms measured here, in [0, 1].

        A generator that failed leaves the trajectory unmeasured: its answer is not known to be bad.
        """
        by_id = {hit.passage.id: hit for hit in item.instance.candidates.hits}
        hits = tuple(by_id[item.seen.ids[row]] for row in rows_of(trajectory.text, item))
        said = self.environments[item.source].answer(Asked(item.instance.contract, hits))
        if said.failed:
            return Scored(None, None, {}, said.failed)
        golden = item.instance.question.golden
        verdict = None if self._judge is None else self._judge(item.instance.question.text, said.answer, golden)
        found = terms(said.answer, golden, similarity=self._similarity, verdict=verdict)
        held: dict[str, float | None] = {**found._asdict(), "f1": f1_reward(said.answer, golden), "k": float(len(hits))}
        return Scored(said.answer, reward([found]).rewards[0], held)


def rewarded(rollouts: Iterable[Rollout], weights: Weights = WEIGHTS) -> dict[str, dict[str, float]]:
    """Return by question and trajectory the reward under some weights; a term that one lacks is left out for the question."""
    by_question: dict[str, dict[str, Terms]] = {}
    for row in rollouts:
        if row.reward is not None:
            held = Terms(**{name: row.terms.get(name) for name in TERMS})  # type: ignore[arg-type]
            by_question.setdefault(row.question, {}).setdefault(row.trajectory, held)
    return {
        question: dict(zip(held, reward(list(held.values()), weights).rewards, strict=True))
        for question, held in by_question.items()
    }
