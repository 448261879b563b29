"""What the rules make of readings: reasons, waived readings, capped rounds, and what is missing."""

from __future__ import annotations

from remit.contract.budget import Budget, Cost, Limits
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.decide.rules import decide, open_to_repair
from remit.observe.observation import (
    Agreement,
    Authorization,
    CitationCheck,
    Conflict,
    Coverage,
    Estimate,
    FactSupport,
    Observation,
    OpenParameter,
    PassageScore,
    Relevance,
    RevisionFault,
    Support,
    Unmeasured,
    Validity,
)

UNMEASURED = Unmeasured(reason="not read")
POINT = OperatingPoint()


AUTHORIZATION = {
    "readable": Authorization(readable=3, method="t"),
    "nothing readable": Authorization(readable=0, method="t"),
    "outside the scope": Authorization(readable=3, outside=("HR-1@1#0",), method="t"),
    "unmeasured": UNMEASURED,
}
OPEN = OpenParameter(key="line", values=("1", "2"), passages=("a", "b"))
CLASH = Conflict(about="flush", first="a", second="b")
SUPPORT: dict[str, dict[str, object]] = {
    "complete": {},
    "nothing found": {"relevance": Relevance(passages=(), best=0.0, method="t")},
    "not relevant": {
        "relevance": Relevance(passages=(PassageScore(passage="a", probability=0.1),), best=0.1, method="t")
    },
    "fact missing": {"coverage": Coverage(facts=(FactSupport(fact="x", support=0.1),), share=0.1, method="t")},
    "revision fault": {
        "validity": Validity(holds=(), faults=(RevisionFault(revision="a@1", reason="undated"),), method="t")
    },
    "citation failed": {"citations": CitationCheck(verified=(), failed=("sha",), method="t")},
    "no citation": {"citations": CitationCheck(verified=(), method="t")},
    "relevance unmeasured": {"relevance": UNMEASURED},
    "coverage unmeasured": {"coverage": UNMEASURED},
    "validity unmeasured": {"validity": UNMEASURED},
    "citations unmeasured": {"citations": UNMEASURED},
    "agreement unmeasured": {"agreement": UNMEASURED},
}


def observation(authorization: str, parameter: str, sources: str, support: str) -> Observation:
    """Build the observation that a combination of words describes."""
    agreement = Agreement(
        conflicts=(CLASH,) if sources == "contradict" else (),
        open_parameters=(OPEN,) if parameter == "open" else (),
        method="t",
    )
    readings: dict[str, object] = {
        "relevance": Relevance(passages=(PassageScore(passage="a", probability=0.9),), best=0.9, method="t"),
        "coverage": Coverage(facts=(FactSupport(fact="x", support=0.9),), share=0.9, method="t"),
        "agreement": agreement,
        "validity": Validity(holds=("a@1",), method="t"),
        "authorization": AUTHORIZATION[authorization],
        "citations": CitationCheck(verified=("sha",), method="t"),
        "estimate": Estimate(looks_correct=True, probability=0.9, method="t"),
    }
    return Observation.model_validate(readings | SUPPORT[support])


def budget(rounds: str) -> Budget:
    """Build a budget with or without a round left."""
    full = Budget.of(Limits(rounds=1), now=0.0)
    return full if rounds == "left" else full.spend(Cost(rounds=1))


def proposal(plan: str) -> Proposal:
    """Build a proposal with a new plan, a repeated one or none."""
    text = None if plan == "none" else "final_answer = GenerateAnswer(question, doc_list)"
    return Proposal(plan=text, fingerprint=None if text is None else "f", repeated=plan == "repeated", policy="t")


def test_every_refusal_names_its_own_reason() -> None:
    """What keeps an answer back is told apart: each shortfall abstains with its own reason."""
    reasons = {
        support: decide(
            observation("readable", "bound", "agree", support), proposal("none"), POINT, budget("none")
        ).reason
        for support in SUPPORT
        if support != "complete"
    }
    assert reasons == {
        "nothing found": "nothing_found",
        "not relevant": "not_relevant",
        "fact missing": "fact_missing",
        "revision fault": "revision_not_established",
        "citation failed": "citation_unverified",
        "no citation": "citation_unverified",
        "relevance unmeasured": "reading_unmeasured",
        "coverage unmeasured": "reading_unmeasured",
        "validity unmeasured": "reading_unmeasured",
        "citations unmeasured": "reading_unmeasured",
        "agreement unmeasured": "reading_unmeasured",
    }


def test_a_point_may_waive_citations_and_nothing_else() -> None:
    """An operating point that waives the citation check answers without it, but not without validity."""
    waives = OperatingPoint(waive=("citations",))
    unverified = observation("readable", "bound", "agree", "citation failed")
    unmeasured = observation("readable", "bound", "agree", "citations unmeasured")
    invalid = observation("readable", "bound", "agree", "validity unmeasured")
    none, spent = proposal("none"), budget("none")
    actions = [decide(seen, none, waives, spent).action.value for seen in (unverified, unmeasured, invalid)]
    assert actions == ["answer", "answer", "abstain"]


def test_a_plan_is_asked_for_only_where_it_could_matter() -> None:
    """No plan is asked for where rules 1 to 4 settle the question or no round is left."""
    settled = observation("readable", "bound", "agree", "complete")
    denied = observation("nothing readable", "bound", "agree", "fact missing")
    short = observation("readable", "bound", "agree", "fact missing")
    asked = [open_to_repair(seen, POINT, budget("left")) for seen in (settled, denied, short)]
    assert [*asked, open_to_repair(short, POINT, budget("none"))] == [False, False, True, False]


def test_a_waived_reading_is_not_asked_and_access_always_is() -> None:
    """The point of a single pass answers whatever was quoted, and denies all the same."""
    waives = OperatingPoint(waive=("relevance", "coverage", "agreement", "validity", "citations"))
    none, spent = proposal("none"), budget("none")
    rows = [
        ("readable", "open", "agree", "complete"),
        ("readable", "bound", "contradict", "fact missing"),
        ("readable", "bound", "agree", "not relevant"),
        ("readable", "bound", "agree", "coverage unmeasured"),
        ("readable", "bound", "agree", "nothing found"),
        ("readable", "bound", "agree", "no citation"),
        ("outside the scope", "bound", "agree", "complete"),
    ]
    actions = [decide(observation(*row), none, waives, spent).action.value for row in rows]
    assert actions == ["answer", "answer", "answer", "answer", "abstain", "abstain", "deny"]


def test_a_point_caps_rounds_below_the_budget() -> None:
    """A point of no rounds corrects nothing, whatever the budget allows."""
    short, full = observation("readable", "bound", "agree", "fact missing"), Budget.of(Limits(rounds=2), now=0.0)
    once = full.spend(Cost(rounds=1))
    asked = [open_to_repair(short, OperatingPoint(rounds=n), left) for n in (0, 1, 2) for left in (full, once)]
    assert asked == [False, False, True, False, True, True]


def test_an_evaluators_probability_decides_where_a_point_names_one() -> None:
    """With an evaluator its probability counts, not relevance and coverage; without a probability nothing is answered."""
    learned = OperatingPoint(evaluator="sha256:0", support=0.7)
    none, spent, short = proposal("none"), budget("none"), observation("readable", "bound", "agree", "fact missing")
    made = []
    for probability in (0.7, 0.69, None):
        support = Support(probability=probability, signals=(), method="t")
        made.append(decide(short.model_copy(update={"support": support}), none, learned, spent))
    made.append(decide(short, none, learned, spent))
    assert [(one.action.value, one.reason) for one in made] == [
        ("answer", "supported"),
        ("abstain", "fact_missing"),
        ("abstain", "reading_unmeasured"),
        ("abstain", "reading_unmeasured"),
    ]
