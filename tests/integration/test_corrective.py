"""Corrective actions on the sample corpus: each plan says what it expects, brings it, and stops where nothing is gained."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from remit import Principal, Remit

pytestmark = pytest.mark.integration

PLANT = Path(__file__).parents[2] / "examples" / "plant"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MARA = Principal(id="mara", groups=("maintenance",))


@pytest.fixture(scope="module")
def remit(tmp_path_factory):
    """The sample corpus, opened."""
    with Remit.open(tmp_path_factory.mktemp("plant") / "store", environ={}, make=True, now=lambda: NOW) as opened:
        assert opened.ingest([PLANT]).rejected == ()
        yield opened


def corrected(remit, question, who=MARA):
    """Ask, and return the outcome with each plan's action, expectation and what it brought."""
    done = remit.ask(question, principal=who)
    entries = remit.trace(done.trace, principal=None).entries
    proposals = [entry.data for entry in entries if entry.kind == "Proposal"]
    ran = [entry.data for entry in entries if entry.kind == "Repaired"]
    offered = [one for one in proposals if one["plan"] is not None and not one["repeated"]]
    return done, list(zip(offered, ran, strict=False)), proposals


@pytest.mark.parametrize(
    ("question", "action", "expects", "answer"),
    [
        (
            "According to the maintenance procedures, what torque for the cover bolts on P-102 rev B?",
            "expand_collection",
            "Technical tables and registers",
            "42 N·m",
        ),
        (
            "How much parallel offset is allowed on a pump coupling?",
            "current_revision",
            "current revision of PR-180",
            "mm",
        ),
    ],
)
def test_an_action_brings_what_it_expected(remit, question, action, expects, answer) -> None:
    """The plan names the evidence that is missing, brings passages that were not in use, and the answer rests on its ranking."""
    done, plans, _ = corrected(remit, question)
    (offered, ran), *_ = plans
    cited = {citation.passage for citation in done.outcome.citations}
    ranked = {hit["passage"]["id"] for hit in ran["ranking"]["hits"]}
    assert (offered["action"], str(done.outcome.decision.action)) == (action, "answer")
    assert expects in offered["expects"]
    assert answer in done.outcome.answer
    assert ran["accepted"]
    assert ran["gained"]
    assert cited <= ranked


def test_a_plan_without_progress_is_not_run_again(remit) -> None:
    """Where the section above holds nothing more, the question ends without a plan that repeats one, inside its rounds."""
    done, plans, proposals = corrected(remit, "what's the max soft foot on a pump motor")
    fingerprints = [one["fingerprint"] for one, _ in plans]
    assert "parent_section" in [one["action"] for one in proposals]
    assert len(fingerprints) == len(set(fingerprints)) == done.rounds
    assert done.rounds <= remit.settings.limits.rounds
    assert str(done.outcome.decision.action) == "abstain"
    assert done.outcome.decision.missing


def test_an_answer_that_stands_is_not_corrected(remit) -> None:
    """No plan runs where the first search suffices."""
    done, plans, _ = corrected(remit, "How often should the oil in G-201 be changed?")
    assert (str(done.outcome.decision.action), plans, done.rounds) == ("answer", [], 0)
