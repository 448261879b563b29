"""The decision table: every combination of readings, budget and plan, in docs/governance.md, and as the protocol has it."""

from __future__ import annotations

import itertools
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import numpy as np
import pytest

from remit.decide.decision import Decision

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "decisions"


@pytest.fixture(scope="module")
def script():
    """The script that decides everything, as a module."""
    loader = SourceFileLoader("decisions", str(SCRIPT))
    module = module_from_spec(spec_from_loader("decisions", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def decided(script) -> dict[tuple[str, ...], Decision]:
    """Every combination, in words, with its decision."""
    _, decisions = script.everything()
    return dict(zip(itertools.product(*script.COLUMNS.values()), decisions, strict=True))


def protocol(words: dict[str, str]) -> str:
    """Return what the protocol's pseudocode does: written from the paper, apart from the rules."""
    if words["authorization"] != "inside":
        return "deny"
    if "open" in words["agreement"] or words["validity"] == "ambiguous":
        return "clarify"
    if words["agreement"] == "contradicts":
        return "review"
    support_complete = (words["relevance"], words["coverage"], words["validity"]) == ("pass", "pass", "holds")
    if support_complete and words["agreement"] == "agrees" and words["citations"] == "verified":
        return "answer"
    if words["rounds"] == "left" and words["plan"] == "new":
        return "retrieve_again"
    return "abstain"


def test_every_combination_decides_as_the_protocol_does(script, decided) -> None:
    """For each combination of readings (pass, fail, unmeasured), budget and plan the decision is the protocol's."""
    assert len(decided) > 100_000
    wrong = [
        words
        for words, decision in decided.items()
        if str(decision.action) != protocol(dict(zip(script.COLUMNS, words, strict=True)))
    ]
    assert wrong == []


def test_each_decision_has_its_own_queue(decided) -> None:
    """Every non-answer goes to the queue of its decision, and an answer and a retrieval to none."""
    assert {(str(one.action), one.queue) for one in decided.values()} == {
        ("deny", "access_requests"),
        ("clarify", "open_clarifications"),
        ("review", "review_items"),
        ("abstain", "corpus_gaps"),
        ("answer", None),
        ("retrieve_again", None),
    }


def test_an_unmeasured_reading_never_passes(decided) -> None:
    """No combination in which a reading that counts was not taken is answered; the estimate counts for nothing."""
    answered = [words for words, decision in decided.items() if decision.action == "answer"]
    assert answered
    assert {words[:6] for words in answered} == {("inside", "agrees", "holds", "pass", "pass", "verified")}
    assert {words[6] for words in answered} == {"correct", "incorrect", "unmeasured"}


def test_the_document_has_the_table(script) -> None:
    """docs/governance.md holds the table that the script derives from `decide`, word for word."""
    text = script.DOCUMENT.read_text(encoding="utf-8")
    assert script.table() in text


def test_the_script_says_where_the_document_is_wrong(tmp_path, script, monkeypatch, capsys) -> None:
    """--check ends with 1 and names the document where its table is another, and changes nothing."""
    changed = tmp_path / "governance.md"
    changed.write_text("<!-- decisions -->\nnothing\n<!-- /decisions -->\n", encoding="utf-8")
    monkeypatch.setattr(script, "DOCUMENT", changed)
    monkeypatch.setattr(sys, "argv", ["decisions", "--check"])
    assert script.main() == 1
    assert str(changed) in capsys.readouterr().err
    assert "nothing" in changed.read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["decisions"])
    assert script.main() == 0
    assert "corpus_gaps" in changed.read_text(encoding="utf-8")


def test_rules_that_are_no_list_are_found(script) -> None:
    """Decisions that no list of rows can tell apart are refused: a table would lie about them."""
    places = np.array(list(itertools.product(range(2), range(2))), dtype=np.int8)
    answer = Decision(action="answer", reason="supported", rule=4, point="p")
    abstain = Decision(action="abstain", reason="fact_missing", rule=6, queue="corpus_gaps", point="p")
    with pytest.raises(SystemExit, match="no list of rows"):
        script.rows(places, [answer, abstain, abstain, answer])
