import pytest

from remit.repair.planner import NoPlanner
from remit.repair.template import TemplatePlanner
from remit.rerank.cutoff import Cutoff
from remit.testing import PlannerSuite, RerankerSuite


class TestCutoff(RerankerSuite):
    @pytest.fixture(params=[{}, {"most": 0}, {"most": 99}, {"share": 0.5}], ids=str)
    def reranker(self, request):
        """Return the baseline, with several settings."""
        return Cutoff(**request.param)


class TestTemplatePlanner(PlannerSuite):
    @pytest.fixture
    def planner(self):
        """Return the deterministic planner."""
        return TemplatePlanner()


class TestNoPlanner(PlannerSuite):
    @pytest.fixture
    def planner(self):
        """Return the planner of a single pass."""
        return NoPlanner()
