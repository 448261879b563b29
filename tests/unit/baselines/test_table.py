"""Systems by name, with their options."""

from pathlib import Path

import pytest

from remit.baselines.kit import Kit
from remit.baselines.system import missing
from remit.baselines.table import SYSTEMS, options_of, system_of
from remit.errors import InvalidInput, MissingPrerequisite

EXTRACTIVE = {"vanilla", "vanilla-reranker", "crag", "iter-retgen", "repair", "dynamicrag", "remit"}


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_every_system_is_made_by_its_name_and_says_what_it_is(make, name):
    """Each listed system can be made without an option, has a name of its own, and names what it needs."""
    made = make(["x"])
    system = system_of(name, {}, Kit(made.means, Path()))
    assert system.name
    assert "" == missing(system, made.means.chat, made.means.spelled)


def test_without_a_model_the_others_do_not_apply(make):
    """Which systems run with the extractive answerer is told by what they need."""
    made = make()
    kit = Kit(made.means, Path())
    assert EXTRACTIVE == {name for name in SYSTEMS if not missing(system_of(name, {}, kit), None, None)}


@pytest.mark.parametrize("name", sorted(EXTRACTIVE))
def test_those_run_without_a_model(make, name):
    """Each of them gives a result for a question, at no model call."""
    made = make()
    result = made.run(system_of(name, {}, Kit(made.means, Path())))
    assert (0, "") == (result.cost.model_calls, result.failure)


def test_options_are_checked(make):
    """A misspelt option is answered with those there are, not passed over."""
    kit = Kit(make().means, Path())
    assert 3 == system_of("vanilla", {"k": 3}, kit).k
    with pytest.raises(InvalidInput, match="theta"):
        system_of("flare", {"teta": 0.5}, kit)
    with pytest.raises(InvalidInput, match="self-refine"):
        options_of("self-refined")
    with pytest.raises(InvalidInput, match="cutoff"):
        system_of("dynamicrag", {"reranker": "magic"}, kit)


def test_what_needs_a_model_is_refused_without_one(make):
    """A listwise reranker or a prompted planner without a model says what to give."""
    kit = Kit(make().means, Path())
    with pytest.raises(MissingPrerequisite):
        system_of("dynamicrag", {"reranker": "listwise"}, kit)
    with pytest.raises(MissingPrerequisite):
        system_of("repair", {"planner": "prompted"}, kit)
