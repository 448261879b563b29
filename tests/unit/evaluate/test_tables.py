"""Figures with intervals, paired differences, and nothing that is not a number."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.evaluate.tables import ALL, as_json, standings, unfinished
from remit.evaluate.trial import Trial
from remit.measure.bootstrap import interval, ratio
from remit.measure.compare import corrected, discoveries


def trial(system, case, f1, **fields):
    """Return a trial with an F1; a question of its own group in set a."""
    whole = {
        "system": system,
        "set": "a",
        "case": case,
        "digest": f"{system} {case}",
        "group": case,
        "kind": "question",
        "question": "who?",
        "golden": ("x",),
        "answerable": True,
        "action": "answer",
        "right": True,
        "answer": "x",
        "em": f1,
        "f1": f1,
        "rouge_l": f1,
        "accuracy": f1,
        "supported": True,
        "confidence": 0.5,
        "k": 3,
        "recalls": (None, None, None),
        "recall_sent": None,
        "ndcg": None,
        "hit_sent": None,
        "steps": ("retrieve", "answer"),
        "searches": 1,
        "calls": 1,
        "tokens": 10,
        "price": 0.0,
        "seconds": 0.5,
    }
    return Trial(**{**whole, **fields})


def two(values, **fields):
    """Return the trials of two systems with these pairs of F1."""
    return [
        trial(name, str(at), value, **fields)
        for at, pair in enumerate(values)
        for name, value in zip("AB", pair, strict=True)
    ]


def stands(trials, systems="AB", **given):
    """Return the standings beside A."""
    return standings(trials, list(systems), reference="A", seed=1, **given)


def test_a_failed_trial_is_in_the_denominator():
    """Of two questions one broke: the mean is over two."""
    found = stands(
        [
            *two([(1.0, 1.0)]),
            trial("A", "z", 1.0),
            trial("B", "z", 0.0, failure="broke", answer=None, action="abstain", confidence=None),
        ]
    )
    figure = found["a"]["B"].figures
    assert (0.5, 2, 0.5) == (figure["f1"].interval.value, figure["f1"].counted, figure["failed"].interval.value)


def test_a_question_that_not_every_system_has_done_is_in_no_comparison():
    """An unfinished run compares what is paired, and says how many that are."""
    found = stands([*two([(1.0, 0.0), (1.0, 0.0)]), trial("A", "only A", 1.0)])
    assert 2 == found["a"]["A"].trials == found["a"]["B"].trials


def test_a_system_that_is_not_finished_is_left_out_and_said():
    """B has done one of three questions: A is compared over all three, and B is named with how far it came."""
    trials = [*two([(1.0, 0.0)]), trial("A", "1", 1.0), trial("A", "2", 0.0)]
    found = stands(trials, asked={"a": 3})
    assert (["A"], 3) == (list(found["a"]), found["a"]["A"].trials)
    assert {"B": "1 of 3 questions of a"} == unfinished(trials, "AB", {"a": 3})


def test_a_system_finished_on_one_set_stands_there_alone():
    """B has all of set a and none of set b: it is in a's tables, and in none over all sets."""
    other = [trial("A", str(at), 1.0, set="b") for at in range(2)]
    found = stands([*two([(1.0, 0.0)] * 2), *other], asked={"a": 2, "b": 2})
    assert [["A", "B"], ["A"], ["A"]] == [list(found[name]) for name in ("a", "b", ALL)]


def test_without_the_reference_there_are_figures_and_no_differences():
    """Only B is finished: it has its figures, and nothing to differ from."""
    found = stands([trial("B", "1", 1.0)], asked={"a": 1})
    assert ({}, 1.0) == (found["a"]["B"].versus, found["a"]["B"].figures["f1"].interval.value)


def test_what_is_unmeasured_is_counted_and_not_zero():
    """A price that is unknown leaves no figure, but a count."""
    figure = stands(two([(1.0, 1.0), (0.0, 1.0)], price=None))["a"]["A"].figures["price"]
    assert (None, 0, 2) == figure


def test_a_clear_difference_is_found_and_its_direction_is_right():
    """Forty questions that B answers and A does not: better, beyond chance after correction."""
    found = stands(two([(0.0, 1.0)] * 40))["a"]["B"].versus["f1"]
    assert (1.0, True) == (found.difference.value, found.found)
    assert found.p <= found.bh <= found.holm


def test_how_many_answers_are_the_same_is_said():
    """Of four questions one is answered otherwise: three in four alike, which is why a difference is small."""
    trials = [*two([(1.0, 1.0)] * 3), trial("A", "z", 1.0), trial("B", "z", 0.0, answer="y")]
    assert 0.75 == stands(trials)["a"]["B"].versus["f1"].alike


def test_no_difference_is_not_found():
    """The same answers: a difference of 0, p of 1."""
    found = stands(two([(0.5, 0.5)] * 20))["a"]["B"].versus["f1"]
    assert (0.0, 1.0, False) == (found.difference.value, found.holm, found.found)


def test_sets_stand_apart_and_together():
    """Two sets give three standings; groups of two sets with one name are two groups."""
    trials = two([(1.0, 0.0)] * 3) + [one.model_copy(update={"set": "b"}) for one in two([(0.0, 0.0)] * 3)]
    found = stands(trials)
    assert ["a", "b", ALL] == list(found)
    assert (6, 6) == (found[ALL]["A"].trials, found[ALL]["A"].groups)


VALUES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["answer", "abstain", "review"]), st.booleans(), st.booleans()),
    max_size=8,
)


@settings(max_examples=10, deadline=None)
@given(VALUES)
def test_nothing_is_ever_no_number(rows):
    """Whatever the trials, down to none: every figure of the report is a number or null, never NaN or infinite."""
    trials = [
        trial(
            name,
            str(at),
            f1 if answerable else None,
            action=action,
            answer="x" if action == "answer" else None,
            answerable=answerable,
            supported=supported if action == "answer" else None,
            confidence=f1 if action == "answer" else None,
        )
        for at, (f1, action, answerable, supported) in enumerate(rows)
        for name in "AB"
    ]
    text = json.dumps(as_json(stands(trials)), allow_nan=False)
    assert "NaN" not in text


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcde")), min_size=1, max_size=30),
    st.integers(0, 100),
)
def test_the_quick_interval_is_the_slow_one(rows, seed):
    """Drawn at once, a mean has the interval that drawing row by row gives, to rounding."""
    values, groups = np.array([value for value, _ in rows]), [group for _, group in rows]
    slow = interval(lambda drawn: float(values[drawn].mean()), groups, seed=seed, times=50)
    quick = ratio(values, np.ones(len(values)), groups, seed=seed, times=50)
    assert all(math.isclose(one, other, abs_tol=1e-9) for one, other in zip(slow, quick, strict=True))


def test_a_ratio_of_nothing_is_refused():
    """Where nothing is under the line there is no share."""
    with pytest.raises(ValueError, match="nothing"):
        ratio([0.0], [0.0], ["a"], seed=1)


def test_corrections_are_those_of_the_textbook():
    """Benjamini and Hochberg's and Holm's values of four p-values, worked out by hand."""
    found = [0.01, 0.04, 0.03, 0.005]
    assert [0.02, 0.04, 0.04, 0.02] == pytest.approx(discoveries(found))
    assert [0.03, 0.06, 0.06, 0.02] == pytest.approx(corrected(found))
