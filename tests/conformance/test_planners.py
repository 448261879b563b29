"""Planners that learn or ask a model keep what every planner promises."""

import pytest

from remit.llm.scripted import ScriptedChat
from remit.repair.encoder import EncoderPlanner
from remit.repair.governed import GovernedPlanner
from remit.repair.judge import Judge, JudgedPlanner
from remit.repair.prompted import PromptedPlanner
from remit.repair.template import TemplatePlanner
from remit.testing import PlannerSuite

PLAN = 'docs = Retrieval("torque", 3)\nfinal_answer = GenerateAnswer(question, [docs, doc_list])'


class TestEncoder(PlannerSuite):
    @pytest.fixture
    def planner(self):
        return EncoderPlanner()


class TestGoverned(PlannerSuite):
    @pytest.fixture
    def planner(self):
        return GovernedPlanner(EncoderPlanner())


class TestCascade(PlannerSuite):
    @pytest.fixture
    def planner(self):
        return GovernedPlanner(EncoderPlanner(), rest=TemplatePlanner())


class TestPrompted(PlannerSuite):
    @pytest.fixture
    def planner(self):
        return PromptedPlanner(ScriptedChat([PLAN] * 500))


class TestJudged(PlannerSuite):
    @pytest.fixture
    def planner(self):
        chat = ScriptedChat(["Correct."] * 500)
        return JudgedPlanner(TemplatePlanner(), Judge(chat))
