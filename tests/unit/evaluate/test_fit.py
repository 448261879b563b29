"""Fitting, choosing and freezing, on drafts made up so that the right outcome is known."""

from __future__ import annotations

import numpy as np
import pytest

from remit.decide.decision import Action
from remit.decide.frozen import Source, parsed_point
from remit.errors import InvalidInput
from remit.evaluate.choose import Balance, Costs, Material, Target, choose, taken
from remit.evaluate.fit import Row, fitted, fold_of
from remit.evaluate.result import Drafted, Result
from remit.evaluate.tune import Freezing, freeze

pytest.importorskip("sklearn")


def rows(count: int, *, curved: bool, seed: int = 1) -> list[Row]:
    """Drafts whose support depends on two signals, in a straight or in a curved way; a third says nothing."""
    chance = np.random.default_rng(seed)
    made = []
    for n in range(count):
        a, b, noise = chance.normal(size=3)
        odds = 6 * (abs(a) - 0.7) * (1 if b > 0 else -1) if curved else 2 * a - b
        signals = {"a": float(a), "b": None if n % 7 == 0 else float(b), "noise": float(noise)}
        right = bool(chance.random() < 1 / (1 + np.exp(-odds)))
        made.append(Row(signals, right, right, f"g{n // 2}"))
    return made


@pytest.mark.parametrize("curved", [False, True])
def test_what_is_written_down_is_what_scikit_learn_fitted(curved: bool) -> None:
    """The evaluator computes, without scikit-learn, scores that order drafts as well as out of fold, for trees and for lines."""
    data = rows(600, curved=curved)
    fit = fitted(data, name="t/1", seed=3)
    assert not curved or fit.report["model"] == "trees"
    said = np.array([fit.evaluator.probability(row.signals) for row in data])
    so = np.array([row.right for row in data])
    assert np.corrcoef(said, fit.held_out)[0, 1] > 0.8
    assert said[so].mean() - said[~so].mean() >= fit.held_out[so].mean() - fit.held_out[~so].mean()


def test_trees_are_computed_to_the_last_digit() -> None:
    """Score by score our sums equal `decision_function` of a model refitted on the same rows."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    from remit.evaluate import fit as module

    data = rows(400, curved=True)
    evaluator = fitted(data, name="t/1", seed=3).evaluator
    names = evaluator.signals
    center = np.array(evaluator.center)
    plain = np.array(
        [[c if row.signals[n] is None else row.signals[n] for n, c in zip(names, center, strict=True)] for row in data]
    )
    standard = (plain - plain.mean(axis=0)) / plain.std(axis=0)
    model = ensemble.GradientBoostingClassifier(random_state=3, **module._TREES).fit(standard, [r.right for r in data])
    assert [evaluator.score(row.signals) for row in data] == pytest.approx(
        list(model.decision_function(standard)), abs=1e-5
    )


def test_groups_stay_in_one_fold() -> None:
    """A group's fold depends on its name alone."""
    assert {fold_of("q1")} == {fold_of("q1") for _ in range(3)}
    assert set(range(5)) == {fold_of(f"q{n}") for n in range(100)}


@pytest.mark.parametrize(
    "data", [rows(30, curved=False), [Row({"a": 1.0}, shows=True, right=True, group=str(n)) for n in range(99)]]
)
def test_too_little_to_learn_from_is_refused(data) -> None:
    """Few drafts, or drafts of one outcome, give an error and no evaluator."""
    with pytest.raises(InvalidInput, match="too few"):
        fitted(data, name="t", seed=1)


def result(n: int, *drafts: Drafted, answerable: bool = True, action: Action = Action.ABSTAIN) -> Result:
    """Build a result of the collecting point."""
    return Result(
        case=str(n),
        digest=f"d{n}",
        system="collecting",
        point="p",
        action=action,
        reason="fact_missing",
        kind="answerable" if answerable else "incomplete",
        group=f"g{n}",
        acted_right=False,
        answerable=answerable,
        drafts=drafts,
        seconds=0.1,
    )


def draft(*, supported: bool = True, otherwise: Action = Action.ANSWER, **signals: float) -> Drafted:
    """Build a draft that is there."""
    return Drafted(
        otherwise=otherwise, signals=tuple(signals.items()), evident=supported, supported=supported, there=True
    )


def test_a_threshold_is_walked_draft_by_draft() -> None:
    """The first draft that is sure enough is released; rules 1 to 3 end it before; rounds bound how far it goes."""
    two = result(1, draft(supported=False), draft(supported=True))
    assert (Action.ANSWER, False) == taken(two, [0.8, 0.9], 0.7, 2)[:2]
    assert (Action.ANSWER, True) == taken(two, [0.5, 0.9], 0.7, 2)[:2]
    assert Action.ABSTAIN == taken(two, [0.5, 0.9], 0.7, 0).action
    assert Action.REVIEW == taken(result(1, draft(otherwise=Action.REVIEW)), [0.9], 0.1, 2).action
    assert Action.ABSTAIN == taken(result(1, draft(otherwise=Action.ABSTAIN)), [0.9], 0.1, 2).action


def many(count: int = 400, seed: int = 5):
    """Results with probabilities that are exactly right."""
    chance = np.random.default_rng(seed)
    said = chance.random(count)
    so = chance.random(count) < said
    results = [result(n, draft(supported=bool(so[n]), a=float(said[n])), answerable=bool(so[n])) for n in range(count)]
    return results, [[float(one)] for one in said]


def test_a_target_is_met_and_as_much_as_possible_is_answered() -> None:
    """At the threshold chosen unsupported answers stay below the target; a looser one answers more."""
    results, chances = many()
    strict, loose = (choose(Material(results, chances), Target(unsupported=u), seed=1) for u in (0.02, 0.1))
    assert strict.measured.unsupported <= 0.02 < loose.measured.unsupported <= 0.1
    assert strict.measured.coverage < loose.measured.coverage
    assert strict.support > loose.support


def test_costs_set_the_threshold_where_both_ways_cost_the_same() -> None:
    """A wrong answer nine times as bad as an abstention: answer from probability 0.9 on."""
    results, chances = many()
    made = choose(Material(results, chances), Costs(wrong=9, abstain=1), seed=1)
    assert made.support == pytest.approx(0.9)
    assert made.cost < choose(Material(results, chances), Costs(wrong=9, abstain=9), seed=1).cost


def test_costs_are_refused_where_probabilities_are_not_what_they_say() -> None:
    """An overconfident evaluator gets no threshold from costs, and is told both figures; a target is still possible."""
    results, chances = many()
    sure = [[min(1.0, one[0] ** 0.25)] for one in chances]
    with pytest.raises(InvalidInput, match=r"calibration error 0\.\d+ is above its bound 0\.\d+"):
        choose(Material(results, sure), Costs(), seed=1)
    assert choose(Material(results, sure), Target(unsupported=0.1), seed=1).measured.calibration_error > 0.1


def test_a_target_out_of_reach_is_refused() -> None:
    """Where even the surest drafts are wrong too often, there is no such point."""
    results = [result(n, draft(supported=n % 2 == 0, a=0.5)) for n in range(60)]
    with pytest.raises(InvalidInput, match="no threshold"):
        choose(Material(results, [[0.5]] * 60), Target(unsupported=0.001), seed=1)


def test_a_fold_that_cannot_meet_its_target_asks_the_highest_and_is_said_to() -> None:
    """An experiment does not end for it: the fold releases what is sure beyond any threshold, and the point says so."""
    results = [result(n, draft(supported=n % 2 == 0, a=0.5)) for n in range(60)]
    wanted = Target(unsupported=0.001, or_highest=True)
    silent = choose(Material(results, [[0.5]] * 60), wanted, seed=1)
    assert (silent.support, silent.rounds, silent.measured.coverage, silent.measured.unsupported) == (1.0, 0, 0.0, 0.0)
    certain = choose(Material(results, [[1.0]] * 60), wanted, seed=1)
    assert (certain.support, certain.measured.unsupported) == (1.0, 0.5)
    point = freeze(results, [Source(name="dev", digest="sha256:1", cases=60)], Freezing("sure", wanted, 3)).point.point
    assert "unsupported <= 0.001" in point.chosen_for


def test_a_frozen_point_holds_what_it_was_made_of() -> None:
    """It names its data and knows their groups, carries what it did there and declines, and can be read back."""
    results, _ = many()
    made = freeze(
        results, [Source(name="dev", digest="sha256:1", cases=400)], Freezing("learned", Target(unsupported=0.05), 3)
    )
    point = made.point.point
    assert made.point == parsed_point(made.point.model_dump_json(), "p")
    assert (True, False) == (made.point.knows("g7"), made.point.knows("g400"))
    assert ("dev", 400, [("abstain", 400 - sum(r.answered for r in results))][0][0]) == (
        point.chosen_on,
        point.measured.cases,
        point.measured.declined[0][0],
    )


def test_a_balance_answers_as_much_as_it_holds_back() -> None:
    """Of what has an answer and of what has none the same share is treated rightly, and no threshold does better by both."""
    results, chances = many()
    data = Material(results, chances, "answerable")
    made = choose(data, Balance(), seed=1)
    so = np.array([one.answerable for one in results])

    def least(support: float) -> float:
        answered = np.array([end.action is Action.ANSWER for end in data.ends(support, 0)])
        return float(min(answered[so].mean(), (~answered)[~so].mean()))

    assert least(made.support) > 0.7
    assert all(least(made.support) >= least(float(one)) - 0.02 for one in np.linspace(0, 1, 41))
    assert made.rounds == 0


def test_a_balance_of_one_kind_is_refused() -> None:
    """Where every case has an answer there is nothing to hold back."""
    results = [result(n, draft(a=0.5)) for n in range(60)]
    with pytest.raises(InvalidInput, match="a balance needs both"):
        choose(Material(results, [[0.5]] * 60, "answerable"), Balance(), seed=1)


@pytest.mark.parametrize(
    ("answerable", "evident", "shown", "right"),
    [(True, False, True, True), (False, False, False, False), (False, True, True, False)],
)
def test_whether_a_question_has_an_answer_is_learned_of_its_evidence(
    answerable: bool,
    evident: bool,
    shown: bool,
    right: bool,
) -> None:
    """It has one where an answer is due, and where evidence is quoted that contradicts itself; that one is not to be released."""
    one = result(1, draft(supported=evident), answerable=answerable)
    assert (one.shows(0, "answerable"), one.right(0, "answerable")) == (shown, right)
