"""The systems that write plans: RAG-Critic and RePAIR, run by the common executor."""

from dataclasses import replace

import pytest

from remit.baselines.dynamic_rag import DynamicRag
from remit.baselines.governed import Governed
from remit.baselines.plans import takes_the_new
from remit.baselines.rag_critic import TAXONOMY, RagCritic, tags
from remit.baselines.repair import Repair
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.parse import parse
from remit.repair.planner import NO_PLANNER, Planned
from remit.repair.rewrite import GlossaryRewriter
from remit.rerank.cutoff import Cutoff

VIK = "QUOTE [1]: Ada Holm was born in Vik.\nANSWER: Vik"
NORWAY = "QUOTE [1]: Vik is a town in Norway.\nANSWER: Norway"
PLAN = 'found = Retrieval("Vik Norway", 2)\nfinal_answer = GenerateAnswer(question, found)'


def critic(made, **given):
    """Return RAG-Critic over the line's parts."""
    line = made.line
    parts = (line.retriever, line.answerer, GlossaryRewriter(line.retriever), ClauseDecomposer())
    return RagCritic(PlanExecutor(*parts, estimate=takes_the_new), **given)


class Writes:
    """A planner that gives one plan, or the same again."""

    name = "writes/1"

    def __init__(self, text=PLAN):
        self.text, self.asked = text, 0

    def propose(self, state, budget, tried, patience):
        self.asked += 1
        plan = parse(self.text)
        fingerprint = plan.fingerprint((), state.snapshot.digest)
        return Planned(
            Proposal(plan=self.text, fingerprint=fingerprint, repeated=fingerprint in tried, policy=self.name), plan
        )


class TestRagCritic:
    def test_named_errors_lead_to_a_plan_whose_answer_stands(self, make):
        """Critic, planner, plan: its operations are put down and its answer is given, however it compares."""
        made = make([VIK, "incomplete; wrong relation", PLAN, NORWAY])
        result = made.run(critic(made, k=2))
        assert ("Norway", ("retrieve", "answer", "criticise", "plan", "Retrieval", "answer")) == (
            result.answer,
            result.steps,
        )
        assert "errors of the previous answer: incomplete, wrong relation" in made.prompts[2]

    def test_an_answer_without_named_errors_stands(self, make):
        """The critic is content: no plan is asked for."""
        made = make([VIK, "correct"])
        assert ("Vik", 2) == (made.run(critic(made)).answer, len(made.chat.asked))

    @pytest.mark.parametrize("reply", ["I would search again.", "import os\nos.remove('x')", "final_answer = Foo()"])
    def test_a_plan_that_is_none_keeps_the_first_answer(self, make, reply):
        """A failed plan is never turned into an empty answer, and nothing of it is executed."""
        made = make([VIK, "incomplete", reply])
        assert "Vik" == made.run(critic(made)).answer

    def test_a_plan_that_fails_while_it_runs_keeps_the_first_answer(self, make):
        """A plan whose answer is none leaves the first one standing."""
        made = make([VIK, "incomplete", "final_answer = GenerateAnswer(question, doc_list[99])"])
        assert "Vik" == made.run(critic(made)).answer

    def test_the_taxonomy_has_the_published_size(self):
        """Seven names of the first level and nineteen of the second."""
        assert (7, 19) == (len(TAXONOMY), sum(map(len, TAXONOMY.values())))

    def test_tags_are_read_off_free_text(self):
        """Names of the taxonomy count, other words do not."""
        assert ("incomplete", "wordy") == tags("It is Wordy, and INCOMPLETE. Also blue.")


class TestRepair:
    def test_a_better_plan_replaces_the_first_answer(self, make):
        """The plan runs for every question, governance off; what it led to stands where it is estimated better."""
        made = make([VIK, NORWAY])
        executor = PlanExecutor(
            made.line.retriever,
            made.line.answerer,
            GlossaryRewriter(made.line.retriever),
            ClauseDecomposer(),
            estimate=lambda contract, ranking, draft: float(draft.answer == "Norway"),
        )
        result = made.run(Repair(Writes(), executor, k=2))
        assert ("Norway", ("retrieve", "answer", "plan", "Retrieval", "answer")) == (result.answer, result.steps)

    def test_a_plan_that_is_no_better_leaves_the_first_answer(self, make):
        """A tie keeps the first: vanilla RAG is the lower bound."""
        made = make([VIK, NORWAY])
        executor = PlanExecutor(
            made.line.retriever,
            made.line.answerer,
            GlossaryRewriter(made.line.retriever),
            ClauseDecomposer(),
            estimate=lambda *_: 0.5,
        )
        assert "Vik" == made.run(Repair(Writes(), executor, k=2)).answer

    def test_no_plan_costs_nothing_more(self, make):
        """A planner that proposes none leaves the draft."""
        made = make([VIK])
        assert ("Vik", 1) == (made.run(Repair(NO_PLANNER, made.line.executor)).answer, len(made.chat.asked))

    @pytest.mark.parametrize("rounds", [0, 1])
    def test_rounds_of_the_budget_are_exact(self, make, rounds):
        """With no round left nothing is planned."""
        made = make([VIK, NORWAY])
        planner = Writes()
        made.run(Repair(planner, made.line.executor, rounds=3), rounds=rounds)
        assert rounds == planner.asked

    def test_it_runs_without_a_model(self, make):
        """The template planner and the extractive answerer are enough."""
        made = make()
        assert made.run(Repair(made.line.planner, made.line.executor)).answer is not None


class TestDynamicRag:
    def test_the_reranker_says_how_many_reach_the_generator(self, make):
        """K is the reranker's; the candidates before the stop are kept."""
        result = make([VIK]).run(DynamicRag(Cutoff(most=2), depth=4))
        assert (2, 4, "dynamicrag (cutoff/1)") == (len(result.sent), len(result.ranked), DynamicRag(Cutoff()).name)

    def test_nothing_chosen_is_no_answer_and_no_call(self, make):
        """The published prompt would answer from the model's own knowledge; here it abstains."""
        made = make([VIK])
        result = made.run(DynamicRag(Cutoff(most=0)))
        assert (None, "abstain", 0) == (result.answer, result.action, len(made.chat.asked))


class TestGoverned:
    def test_the_line_answers_with_its_citations(self, make):
        """What Remit released, with its steps, passages and cost."""
        made = make()
        line = replace(made.line, point=OperatingPoint(relevance=0.0, coverage=0.0))
        result = made.run(Governed(line), "When was the ship Alda built?")
        assert "answer" == result.action
        assert "1899" in result.answer
        assert result.draft.citations
        assert "alda@1#0" in result.sent
        assert ("retrieve", "rerank", "answer") == result.steps[:3]

    def test_a_refusal_is_no_answer(self, make):
        """A draft that was withheld is no answer, and the decision is told."""
        made = make()
        result = made.run(Governed(made.line), "What does the harbour master of Bergen earn?")
        assert None is result.answer
        assert result.action not in {"answer", "retrieve_again"}
        assert result.action in result.draft.why
