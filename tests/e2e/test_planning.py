"""`remit plan`, as a process on a real store: what would be corrected, and what that leads to."""

import pytest

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
LACKING = "Which grease is taken for the gearbox of pump P-7, and who orders it?"
MARA = ("--as", "mara:maintenance")
FIELDS = {
    *("question", "looks_correct", "estimate", "before", "policy", "plan", "expects", "log_probability"),
    *("steps", "accepted", "why", "gained", "after"),
}


def test_a_right_draft_gets_no_plan(run, ingested):
    """What is not run is null, and the draft is shown with its citation."""
    done = run("plan", QUESTION, "--store", ingested, *MARA, "--json").json
    assert FIELDS == done.keys()
    assert (True, done["looks_correct"]) == (
        0 <= done["estimate"]["probability"] <= 1,
        done["estimate"]["looks_correct"],
    )
    assert ("12 months", None, None) == (done["before"]["answer"], done["plan"], done["after"])
    assert ["PR-1"] == [citation["document"] for citation in done["before"]["citations"]]


def test_a_plan_is_shown_with_what_it_did(run, ingested):
    """Each step has its record, and the answer after is the plan's or the first one."""
    done = run("plan", LACKING, "--store", ingested, *MARA, "--json").json
    assert done["plan"].splitlines()[-1].startswith("final_answer = GenerateAnswer(")
    assert [line.split(" = ")[0] for line in done["plan"].splitlines()] == [step["name"] for step in done["steps"]]
    assert done["accepted"] or done["after"]["answer"] == done["before"]["answer"]


def test_a_dry_run_runs_nothing(run, ingested):
    """The plan and what it should bring are told; nothing is searched again."""
    done = run("plan", LACKING, "--store", ingested, *MARA, "--dry-run", "--json").json
    assert done["plan"]
    assert done["expects"]
    assert (None, None) == (done["steps"], done["after"])


def test_another_policy_can_be_asked(run, ingested):
    """The encoder says how likely its plan, or leaving the draft alone, was."""
    done = run("plan", LACKING, "--store", ingested, *MARA, "--policy", "encoder", "--dry-run", "--json").json
    assert " encoder/" in done["policy"]
    assert done["log_probability"] <= 0


def test_it_reads_like_a_page(run, ingested):
    """Question, passages, before, plan and after fit a terminal."""
    done = run("plan", LACKING, "--store", ingested, *MARA)
    assert (0, "") == (done.code, done.err)
    for head in (
        "question ",
        "doc_list[0]",
        "before ",
        "estimate ",
        "policy ",
        "plan ",
        "expects ",
        "after ",
        "result ",
    ):
        assert any(line.startswith(head) for line in done.out.splitlines()), head
    assert max(map(len, done.out.splitlines())) <= 80


def test_nobody_sees_what_they_may_not_read(run, ingested):
    """Drafts and plans are made of what the asker may read: another's document is in neither."""
    done = run("plan", QUESTION, "--store", ingested, "--as", "theo:visitors", "--json")
    assert (0, []) == (done.code, done.json["before"]["passages"])
    assert "12 months" not in done.out


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("--policy", "prompted"), 3),
        (("--policy", "lm"), 3),
        (("--policy", "encoder", "--weights", "nowhere"), 4),
        (("--policy", "oracle"), 2),
    ],
)
def test_what_is_missing_is_said(run, ingested, given, code):
    """A model, weights, a policy that is none: each has its exit code, and the message says what to do."""
    done = run("plan", QUESTION, "--store", ingested, *MARA, *given)
    assert (code, "") == (done.code, done.out)
    assert done.err


def test_no_principal_no_plan(run, ingested):
    """As everywhere."""
    assert 2 == run("plan", QUESTION, "--store", ingested).code
