"""Agreement of raters, against the textbook's table and another package's figures."""

import random

import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from remit.measure.agreement import agreement, cohen_kappa


def test_the_worked_example():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 35 of 50 agree, chance gives one half, so kappa is 0.4."""
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert 0.4 == pytest.approx(cohen_kappa(first, second))


def test_kappa_is_that_of_other_packages():
    """On random ratings kappa equals scikit-learn's, and the mean over three raters NLTK's."""
    chance = random.Random(7)  # noqa: S311 - chance, not secrecy
    for _ in range(20):
        first, second = ([chance.choice("abc") for _ in range(30)] for _ in range(2))
        assert cohen_kappa_score(first, second) == pytest.approx(cohen_kappa(first, second))
    ratings = {item: {rater: chance.choice("abc") for rater in ("r1", "r2", "r3")} for item in range(40)}
    task = AnnotationTask(data=[(rater, item, label) for item, by in ratings.items() for rater, label in by.items()])
    assert task.kappa() == pytest.approx(agreement(ratings).kappa)


def test_what_is_not_defined_is_none():
    """Nothing rated twice, and everybody always saying the same, give no kappa; the share that agrees is told all the same."""
    assert (None, None, 0) == agreement({1: {"ann": "x"}, 2: {}})
    assert (None, 1.0, 2) == agreement({1: {"ann": "x", "ben": "x"}, 2: {"ann": "x", "ben": "x"}})
    assert cohen_kappa([], []) is None
