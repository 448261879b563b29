"""The plans that a policy chooses among."""

import numpy as np
import pytest

from remit.repair.encoder import read, untrained
from remit.repair.features import seen_of
from remit.repair.policy import Situation
from remit.repair.pool import MOST, MOST_QUOTED, chances, pool

HOP = "When did the director of film Old Bridge die?"
MAKERS = "Which film has the director born later, Old Bridge or New Hotel?"


@pytest.fixture
def pooled(made):
    """Return the plans of a question about one passage, and the situation they are chosen in."""

    def plans(question, calls=0):
        hit = made.hit("p1", "Old Bridge is a film directed by Ann Lee.")
        draft = made.draft_on(hit, 0.1)
        draft = draft.model_copy(update={"cost": draft.cost.model_copy(update={"model_calls": calls})})
        state = made.state(question, [hit], draft=draft)
        situation = Situation(state, seen_of(state))
        return pool(state, situation), situation

    return plans


def operations(plan):
    """Return the names of a plan's operations, an answer to a part marked by what it reads."""
    return [type(step.operation).__name__ for step in plan.steps]


@pytest.mark.parametrize("question", [HOP, MAKERS, "How long is the seal flushed?"])
@pytest.mark.parametrize(("calls", "most"), [(0, MOST_QUOTED), (1, MOST)])
def test_leaving_alone_is_first_and_no_plan_is_there_twice(pooled, question, calls, most):
    """Chances are over distinct plans, few where the answerer quotes, and sum to one."""
    plans, situation = pooled(question, calls)
    texts = [plan.text for plan in plans[1:]]
    assert plans[0] is None
    assert len(texts) == len(set(texts)) <= most
    assert 1.0 == pytest.approx(float(np.exp(chances(situation, plans, untrained())).sum()), abs=1e-5)


def test_a_bridge_is_followed_from_what_is_in_use_and_from_a_search_of_its_own(pooled):
    """Where the first ranking lacks the first hop, it is looked up."""
    plans, _ = pooled(HOP)
    found = [operations(plan) for plan in plans[1:]]
    assert ["DecomposeQuery", "GenerateAnswer", "Retrieval", "GenerateAnswer"] in found
    assert ["DecomposeQuery", "Retrieval", "GenerateAnswer", "Retrieval", "GenerateAnswer"] in found


def test_both_makers_are_looked_up_with_room_for_both_works(pooled):
    """Few passages are taken of each maker, so that those in use stay among what is read."""
    plans, _ = pooled(MAKERS)
    plan = next(plan for plan in plans[1:] if operations(plan).count("Retrieval") == 2)
    assert [3, 3] == [step.operation.topk for step in plan.steps if type(step.operation).__name__ == "Retrieval"]


def test_only_a_model_answers_the_same_passages_again(pooled):
    """An answerer that quotes has weighed them all."""
    quoting, model = (
        [operations(plan) for plan in pooled("How long is the seal flushed?", calls)[0][1:]] for calls in (0, 1)
    )
    assert ["GenerateAnswer"] not in quoting
    assert ["GenerateAnswer"] in model


def test_training_starts_from_weights_that_saw_no_answer():
    """The weights that ship are trained; those that training starts from, and is held near to, are another file."""
    start, shipped = untrained(), read(None)[0]
    assert any(not np.array_equal(start[name], shipped[name]) for name in start)
