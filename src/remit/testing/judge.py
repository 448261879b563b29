"""The suite for a judge of entailment: inherit `JudgeSuite` and override `judge`, `mute` and `failing`."""

from __future__ import annotations

import math
import time

import pytest

from remit.answer.entail import Asserted, Judge
from remit.contract.budget import Budget, Cost, Limits
from remit.errors import Cancelled
from remit.llm.cancel import Patience

QUOTE = "The seal of pump P-7 is replaced every 12 months."
ASSERTED = (
    Asserted("How often is the seal replaced?", "every 12 months", (QUOTE,)),
    Asserted("Who replaces the seal? 阀门 ☕ {}", "Nobody knows. \ud800", (QUOTE, "Badges are worn.")),
)


class JudgeSuite:
    """What every judge promises: a verdict for each statement, none that was not given, on the bill and in time."""

    @pytest.fixture
    def judge(self) -> Judge:
        """Return a judge that gives a verdict on at least ten statements."""
        raise NotImplementedError("override the fixture `judge`: return the judge")

    @pytest.fixture
    def mute(self) -> Judge:
        """Return a judge whose backend answers and gives no verdict that can be read."""
        raise NotImplementedError("override the fixture `mute`: return a judge without a verdict")

    @pytest.fixture
    def failing(self) -> Judge:
        """Return a judge whose backend fails."""
        raise NotImplementedError("override the fixture `failing`: return a judge whose backend fails")

    def test_there_is_a_verdict_for_each_statement(self, judge: Judge) -> None:
        """In the order of the statements, each by its own digest, and under the judge's name."""
        found = judge.judge(ASSERTED, _budget(), Patience())
        assert len(ASSERTED) == len(found.verdicts)
        assert len({verdict.statement for verdict in found.verdicts}) == len(ASSERTED)
        assert {judge.name} == {verdict.judge for verdict in found.verdicts}
        assert all(verdict.verdict != "unmeasured" for verdict in found.verdicts)
        assert all(verdict.score is None or math.isfinite(verdict.score) for verdict in found.verdicts)

    def test_no_verdict_is_unmeasured_with_a_reason(self, mute: Judge, failing: Judge) -> None:
        """A reply that cannot be read and a backend that fails give no verdict, and say why."""
        for silent in (mute, failing):
            found = silent.judge(ASSERTED, _budget(), Patience())
            assert {"unmeasured"} == {verdict.verdict for verdict in found.verdicts}
            assert all(verdict.why for verdict in found.verdicts)

    def test_without_a_call_in_the_budget_nothing_is_asked(self, judge: Judge) -> None:
        """Every verdict is unmeasured, and nothing was spent."""
        patience = Patience()
        found = judge.judge(ASSERTED, _budget(model_calls=0), patience)
        assert {"unmeasured"} == {verdict.verdict for verdict in found.verdicts}
        assert (Cost(), 0) == (found.cost, len(patience.tally))

    def test_the_cost_is_what_the_ledger_says(self, judge: Judge, failing: Judge) -> None:
        """Calls and tokens of the cost are the sum of the calls put down, whether they came to anything or not."""
        for one in (judge, failing):
            patience = Patience()
            cost = one.judge(ASSERTED, _budget(), patience).cost
            calls = tuple(patience.tally)
            assert cost.model_calls == sum(call.count for call in calls) > 0
            assert cost.tokens == sum(call.tokens for call in calls)

    def test_no_call_after_the_signal_or_the_deadline(self, judge: Judge) -> None:
        """Where the asker has gone, or the time is up, nothing is asked."""
        stopped, over = Patience(), Patience(deadline=time.monotonic() - 1)
        stopped.stop.set()
        for patience in (stopped, over):
            with pytest.raises(Cancelled):
                judge.judge(ASSERTED, _budget(), patience)
            assert len(patience.tally) == 0

    def test_the_same_statement_gets_the_same_verdict(self, judge: Judge) -> None:
        """Alone or beside another one, now or again."""
        both = judge.judge(ASSERTED, _budget(), Patience()).verdicts
        alone = judge.judge(ASSERTED[:1], _budget(), Patience()).verdicts
        assert both[:1] == alone


def _budget(**given: int) -> Budget:
    return Budget.of(Limits(**given), time.monotonic())
