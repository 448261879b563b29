"""What language models learn from: the same rollouts, under the prompts that they are asked with at inference."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from remit.llm.chat import Message
from remit.repair import prompt as plan_prompt
from remit.repair.state import OffPolicy, OnPolicy, off_policy, on_policy
from remit.rerank import listwise_prompt
from remit.retrieve.retriever import Hit
from remit.train.environment import short_answer_messages
from remit.train.pairs import Filters, Strategy, pairs_of
from remit.train.planner_examples import LEAVE
from remit.train.planner_trial import Instance
from remit.train.reranker_trial import Case, rows_of
from remit.train.rollout import Rollout

PASSAGES: int = 20
"""Passages that a listwise model is shown, as the paper has it for a context of 4,000 tokens."""


def ranking_preferences(
    cases: Sequence[Case],
    rollouts: Iterable[Rollout],
    *,
    strategy: Strategy = "extremes",
    filters: Filters | None = None,
) -> list[dict[str, object]]:
    """Return preference lines for the listwise `lm` reranker; passages are numbered as at inference.

    A ranking that names a passage beyond those shown is none that the model could have given, and is left out.
    """
    by_id = {case.id: case for case in cases}
    seen = [row for row in rollouts if row.question in by_id and _shown(row, by_id[row.question])]
    prompts = {
        case.id: _dumped(listwise_prompt.messages_of(case.instance.contract.claim, _hits(case))) for case in cases
    }
    return [{**pair.preference(), "prompt": prompts[pair.question]} for pair in pairs_of(seen, strategy, filters).pairs]


def plan_preferences(
    instances: Sequence[Instance],
    rollouts: Iterable[Rollout],
    *,
    oracle: bool,
    strategy: Strategy = "ranked",
    filters: Filters | None = None,
) -> list[dict[str, object]]:
    """Return preference lines for the `lm` planner: off-policy states where `oracle`, else those of inference.

    Leaving the draft alone is no plan, and a plan that came to nothing loses against one that answered.
    """
    by_id = {one.id: one for one in instances}
    planned = [row for row in rollouts if row.question in by_id and row.trajectory != LEAVE]
    prompts = {one.id: _dumped(plan_prompt.messages(plan_state(one, oracle=oracle))) for one in instances}
    return [
        {**pair.preference(), "prompt": prompts[pair.question]} for pair in pairs_of(planned, strategy, filters).pairs
    ]


def plan_state(one: Instance, *, oracle: bool) -> OffPolicy | OnPolicy:
    """Return the state as a language model is shown it; the reasoning is the drafter's best spans."""
    if not oracle:
        return on_policy(one.state)
    reasoning = "\n".join(f"{weight:.2f}" for weight in one.margins) or "no sentence was found"
    return off_policy(one.state, correct=one.exact(one.state.draft.answer) == 1.0, reasoning=reasoning)


def answer_examples(cases: Sequence[Case], chosen: Mapping[str, Sequence[int]]) -> list[dict[str, str]]:
    """Return examples for the generator: the question with the passages chosen for it, and the first golden answer.

    `chosen` holds rows of what was seen, by question; a question with none is left out: it never reaches the generator.
    """
    found = []
    for case in cases:
        by_id = {hit.passage.id: hit for hit in case.instance.candidates.hits}
        hits = [by_id[case.seen.ids[row]] for row in chosen.get(case.id, ())]
        golden = case.instance.question.golden
        if hits and golden:
            asked = short_answer_messages(case.instance.contract.claim, hits)
            found.append({"prompt": _dumped(asked), "completion": golden[0]})
    return found


def _shown(row: Rollout, case: Case) -> bool:
    shown = {hit.passage.id for hit in _hits(case)}
    return all(case.seen.ids[at] in shown for at in rows_of(row.trajectory, case))


def _hits(case: Case) -> Sequence[Hit]:
    return case.instance.candidates.hits[:PASSAGES]


def _dumped(messages: Sequence[Message]) -> str:
    return json.dumps([{"role": turn.role, "content": turn.text} for turn in messages], ensure_ascii=False)
