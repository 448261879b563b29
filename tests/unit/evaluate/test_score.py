"""Figures by hand, and what becomes of what cannot be measured."""

from __future__ import annotations

import pytest
from lxml import etree

from remit.decide.decision import Action
from remit.errors import InvalidInput
from remit.evaluate.bound import best_action, right_at_best
from remit.evaluate.figures import reliability_diagram, risk_curves
from remit.evaluate.result import Drafted, Result
from remit.evaluate.score import RATES, as_json, scored
from remit.evaluate.store import Kept, read_results
from remit.measure.calibration import reliability, risk_coverage


def made(n: int, action: Action, *, kind: str = "answerable", supported: bool = False, **more) -> Result:
    """Build a result; what may be done with it follows from its kind."""
    right = {"answerable": {Action.ANSWER}, "incomplete": {Action.ABSTAIN}, "conflicting": {Action.REVIEW}}[kind]
    answered = action is Action.ANSWER
    said = {
        "case": str(n),
        "digest": f"d{n}",
        "system": "s",
        "point": "p",
        "action": action,
        "reason": "r",
        "kind": kind,
        "group": f"g{n}",
        "acceptable": tuple(right),
        "acted_right": action in right,
        "answerable": kind == "answerable",
        "evident": supported if answered else None,
        "supported": supported if answered else None,
        "f1": float(supported) if answered else None,
        "em": float(supported) if answered else None,
        "drafts": (
            Drafted(
                otherwise=Action.REVIEW if kind == "conflicting" else Action.ANSWER,
                there=True,
                evident=supported,
                supported=supported,
                confidence=0.5,
            ),
        ),
        "seconds": 0.1 * n,
    }
    return Result.model_validate({**said, **more})


FOUR = [
    made(1, Action.ANSWER, supported=True, probability=0.9),
    made(2, Action.ANSWER, probability=0.6),
    made(3, Action.ABSTAIN, supported=True, probability=0.4),
    made(4, Action.ANSWER, kind="incomplete", probability=0.7),
    made(5, Action.REVIEW, kind="conflicting", probability=0.8),
]


def test_shares_by_hand() -> None:
    """Five cases: three answered, one of them with its evidence; one needless abstention; one review that was due."""
    rates = {name: figure.value for name, figure in scored(FOUR, FOUR, seed=1, times=50).rates.items() if figure}
    assert rates == pytest.approx(
        {
            "right_action": 3 / 5,
            "bound_evident": 4 / 5,
            "bound_answerable": 1.0,
            "useful_coverage": 1 / 3,
            "exact_coverage": 1 / 3,
            "not_holding_of_answers": 2 / 3,
            "draft_evident": 2 / 3,
            "answered_of_answerable": 2 / 3,
            "unsupported_of_requests": 2 / 5,
            "unsupported_of_answers": 2 / 3,
            "answered_without_evidence": 1 / 2,
            "inappropriate_abstention": 1 / 3,
            "review_demand": 1 / 5,
            "needless_review": 0.0,
            "em": 1 / 3,
            "f1": 1 / 3,
            "draft_supported": 2 / 3,
            "failed": 0.0,
        }
    )
    assert {*rates} == {*RATES}


def test_a_failed_case_stays_in_the_denominator() -> None:
    """What broke is wrong and counted, never left out."""
    broken = made(6, Action.ABSTAIN, kind="incomplete", acted_right=False, failed="retrieve")
    found = scored([*FOUR, broken], [*FOUR, broken], seed=1, times=50)
    assert (6, 3 / 6, 1 / 6) == (found.cases, found.rates["right_action"].value, found.rates["failed"].value)


def test_what_cannot_be_measured_is_null_and_not_nought() -> None:
    """No answers, no probabilities, no price: null in the report, and no NaN anywhere."""
    lonely = [made(1, Action.ABSTAIN, kind="incomplete", price=None, drafts=(Drafted(),))]
    data = as_json(scored(lonely, lonely, seed=1, times=20))
    assert (None, None) == (data["rates"]["useful_coverage"], data["rates"]["unsupported_of_answers"])
    assert (None, None, None) == (data["calibration"]["ece"], data["order"].get("aurc"), data["cost"]["price"])


def test_routed_cases_come_last_in_the_order() -> None:
    """A review is the least sure of an answer, whatever the probability: right, wrong, wrong, right, then the review."""
    area = scored(FOUR, FOUR, seed=1, times=20).order["aurc"]
    wrong = [0, 1, 1, 0, 1]
    assert area.value == pytest.approx(sum(sum(wrong[: n + 1]) / (n + 1) for n in range(5)) / 5)


def test_the_same_results_give_the_same_figures() -> None:
    """Figures and intervals do not move between two runs."""
    assert as_json(scored(FOUR, FOUR, seed=4, times=100)) == as_json(scored(FOUR, FOUR, seed=4, times=100))


def test_a_torn_line_is_asked_again_and_nothing_else_is(tmp_path) -> None:
    """After a kill in the middle of a line, what was whole is found, and the file is whole again."""
    with Kept(tmp_path, "nq", "+ rules") as kept:
        for one in FOUR[:2]:
            kept.add(one)
    kept.path.write_text(kept.path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with Kept(tmp_path, "nq", "+ rules") as kept:
        assert (FOUR[0], None) == (kept.find("d1", "p"), kept.find("d2", "p"))
        kept.add(FOUR[1])
    assert FOUR[:2] == list(read_results(kept.path))


def test_a_damaged_line_in_the_middle_is_told(tmp_path) -> None:
    """What is no result is not passed over."""
    (tmp_path / "r.jsonl").write_text(f"{{}}\n{FOUR[0].model_dump_json()}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"r\.jsonl:1"):
        list(read_results(tmp_path / "r.jsonl"))


def test_figures_are_whole_svg_and_hold_every_system() -> None:
    """They can be parsed, name every system with what it is escaped for, and show every bar."""
    curve = risk_coverage([0.9, 0.5, 0.1], [0, 1, 0])
    risk = etree.fromstring(risk_curves({"a < b": curve, "c": curve}, title="t", perfect=curve))
    bars = reliability([0.1, 0.2, 0.9], [0, 0, 1])
    shown = etree.fromstring(reliability_diagram({"a & b": bars}, title="t"))
    texts = [text.text for text in risk.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "c", "perfect order"} <= set(texts)
    assert len(bars) == len(list(shown.iter("{http://www.w3.org/2000/svg}circle")))


@pytest.mark.parametrize(
    ("drafts", "known", "action"),
    [
        ((False,), "evident", Action.ABSTAIN),
        ((False,), "answerable", Action.ANSWER),
        ((False, True), "evident", Action.ANSWER),
        ((), "answerable", Action.ABSTAIN),
    ],
)
def test_the_best_action_is_that_of_the_first_draft_that_is_right(drafts, known, action) -> None:
    """A controller that knew would release the first right draft, and hold back where there is none."""
    made_of = tuple(Drafted(otherwise=Action.ANSWER, there=True, evident=one) for one in drafts) or (Drafted(),)
    assert best_action(made(1, Action.ABSTAIN, drafts=made_of), known) is action


def test_no_controller_mends_a_contradiction_that_was_not_read() -> None:
    """Where the readings say answer and the case wants a review, the bound counts it as wrong, whatever is known."""
    blind = made(
        1, Action.ANSWER, kind="conflicting", drafts=(Drafted(otherwise=Action.ANSWER, there=True, evident=True),)
    )
    assert not right_at_best(blind, "evident")
