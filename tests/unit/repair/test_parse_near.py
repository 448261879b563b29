"""The plan parser on texts that are nearly plans."""

import numpy as np
import pytest

from remit.repair.check import check
from remit.repair.parse import PlanError, Wrong, parse
from remit.repair.plan import Plan
from remit.testing.plan_texts import drawn_from

END = "final_answer = GenerateAnswer(question, doc_list)"
SMALL = "docs = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, [docs, doc_list])"


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{END}\n```\nor rather\n```\n{SMALL}\n```",
        f"First look:\n```\ndocs = Retrieval(question, 5)\n```\nthen answer:\n```\n{END}\n```",
        f'```json\n[{{"name": "x", "operation": "DecomposeQuery", "query": "a"}}]\n```\n```\n{END}\n```',
        f"```\n{END}\n```\nor\n```\n{SMALL}",
    ],
)
def test_two_fences_with_steps_are_no_plan(text):
    """A reply holds one plan: neither of two is dropped in silence, nor are steps put together that stand apart."""
    found = parse(text)
    assert isinstance(found, PlanError)
    assert Wrong.SEVERAL_PLANS is found.kind
    assert "```" in "\n".join(text.split("\n")[: found.line])


def test_a_short_fuzz_reaches_every_kind():
    """Good plans of both notations, changed in a few places, meet each way to be none; what comes out is always a value."""
    found = [(parse(one.text, one.budget), one.text) for one in drawn_from(np.random.default_rng(4).bytes, 2_000)]
    errors = {result.kind for result, _ in found if isinstance(result, PlanError)}
    plans = [(plan, text) for plan, text in found if isinstance(plan, Plan)]
    assert set(Wrong) == errors
    assert {True, False} == {text.lstrip().startswith("[") for _, text in plans}
    assert all(check(plan) is None and parse(plan.text) == plan for plan, _ in plans)
