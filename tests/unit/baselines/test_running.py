"""Equal terms: one search, one answer prompt, one budget; and whatever happens, a result."""

import threading

import pytest
from small_line import QUESTION

from remit.baselines.closed_book import ClosedBook
from remit.baselines.flare import Flare
from remit.baselines.ircot import IrCot
from remit.baselines.iter_retgen import IterRetGen
from remit.baselines.react import ReAct
from remit.baselines.running import broken
from remit.baselines.self_rag import SelfRag
from remit.baselines.self_refine import SelfRefine
from remit.baselines.system import Ended, missing
from remit.baselines.vanilla import Reranked, Vanilla
from remit.errors import Cancelled, MissingPrerequisite, ProviderFailed
from remit.llm.cancel import Patience
from remit.rerank.cutoff import Cutoff

GOOD = "QUOTE [1]: Ada Holm was born in Vik.\nANSWER: Vik"


def test_vanilla_sends_the_first_k_and_answers_once(make):
    """One search, one call, k passages, and the answer with its citation."""
    made = make([GOOD])
    result = made.run(Vanilla(k=2))
    assert ("Vik", "answer", 2, 1, Ended.DONE) == (
        result.answer,
        result.action,
        len(result.sent),
        result.cost.model_calls,
        result.ended,
    )
    assert result.draft.citations
    assert ("retrieve", "answer") == result.steps


def test_every_system_uses_the_one_answer_prompt(make):
    """What is asked for the answer is the same prompt in vanilla RAG and in a system that refines."""
    plain = make([GOOD])
    plain.run(Vanilla(k=2))
    refined = make([GOOD, "VERDICT: correct"])
    refined.run(SelfRefine(k=2))
    assert plain.chat.asked[0].messages == refined.chat.asked[0].messages


def test_nothing_outside_the_scope_is_searched_or_shown(make):
    """A passage that the asker may not read reaches no prompt and no result, whatever the system."""
    made = make(["So the answer is Vik.", GOOD])
    result = made.run(IrCot())
    assert not any("Erewhon" in text for text in made.prompts)
    assert all("secret" not in id for id in (*result.ranked, *result.sent))


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_a_budget_of_calls_is_exact(make, calls):
    """With n calls allowed n are made, and the answer held by then stands; with none there is none."""
    made = make([GOOD, "VERDICT: incorrect\nFEEDBACK: name the country"] * 4)
    result = made.run(SelfRefine(k=2), model_calls=calls)
    assert (calls, Ended.BUDGET) == (len(made.chat.asked), result.ended)
    assert (None if calls == 0 else "Vik") == result.answer


def test_too_few_tokens_end_it_before_the_call(make):
    """A call that would go beyond the tokens left is not made."""
    made = make([GOOD])
    assert (Ended.BUDGET, 0) == (made.run(ClosedBook(), tokens=10).ended, len(made.chat.asked))


def test_a_model_that_fails_is_a_failed_question_and_not_an_error(make):
    """A broken provider costs this question, not the run; the question stays in the denominator."""
    result = make([ProviderFailed("the engine broke")]).run(ClosedBook())
    assert (Ended.FAILED, None, "abstain") == (result.ended, result.answer, result.action)
    assert "engine broke" in result.failure


def test_what_no_question_could_do_without_stops_the_run(make):
    """A model that is not installed is no failure of a question: every question would fail so, and the figures lie."""
    with pytest.raises(MissingPrerequisite):
        make([MissingPrerequisite("no such file")]).run(ClosedBook())


def test_a_system_that_breaks_unforeseen_counts_as_not_answered():
    """A bug in a system is told by its type and words, and the question stays in the denominator."""
    result = broken(KeyError("x"))
    assert (None, "abstain", Ended.FAILED) == (result.answer, result.action, result.ended)
    assert "KeyError" in result.failure


def test_a_deadline_ends_a_question_and_a_stop_ends_the_run(make):
    """Time that runs out is a result; a run that is stopped is not, so that it is asked again when the run resumes."""
    assert Ended.TIME == make([GOOD]).run(Vanilla(), patience=Patience(deadline=0.0, clock=lambda: 1.0)).ended
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        make([GOOD]).run(Vanilla(), patience=Patience(stop=stop))


def test_a_system_that_needs_a_model_says_so(make):
    """Without a model the systems that need one do not apply, with the reason; the others do."""
    assert "a chat model" in missing(SelfRefine(), None, None)
    assert "log-probabilities" in missing(Flare(), make([]).chat, None)
    assert "" == missing(Vanilla(), None, None) == missing(IterRetGen(), None, None)


def test_a_reranker_chooses_from_more_and_the_order_before_the_cut_is_kept(make):
    """What was ranked is judged apart from what was sent."""
    result = make([GOOD]).run(Reranked(Cutoff(most=1), depth=4))
    assert (1, 4) == (len(result.sent), len(result.ranked))


def test_no_retrieval_shows_no_passage_and_cites_none(make):
    """The model alone: no search, no citation; NONE is no answer, in whatever sentence a small model puts it."""
    made = make(["ANSWER: Norway", "ANSWER: NONE", "The answer is: NONE"])
    result = made.run(ClosedBook())
    assert ("Norway", 0, ()) == (result.answer, result.searches, result.draft.citations)
    assert not any("Vik" in text for text in made.prompts)
    assert [None, None] == [made.run(ClosedBook()).answer for _ in range(2)]


class TestSelfRefine:
    def test_it_stops_when_the_feedback_is_content(self, make):
        """A verdict of correct ends it after one answer."""
        made = make([GOOD, "VERDICT: correct"])
        assert ("retrieve", "answer", "feedback") == made.run(SelfRefine(k=2)).steps

    @pytest.mark.parametrize("attempts", [1, 2, 4])
    def test_attempts_are_exact(self, make, attempts):
        """At most so many answers, and no feedback after the last one: nobody would read it."""
        made = make([GOOD, "VERDICT: incorrect"] * 5)
        steps = made.run(SelfRefine(k=2, attempts=attempts), model_calls=20).steps
        assert (attempts, attempts - 1) == (steps.count("answer"), steps.count("feedback"))

    def test_the_rewrite_is_told_the_history(self, make):
        """Earlier answers and their feedback reach the answer prompt."""
        made = make([GOOD, "VERDICT: incorrect\nFEEDBACK: name the country", GOOD, "VERDICT: correct"])
        made.run(SelfRefine(k=2))
        assert "Earlier answer: Vik" in made.prompts[2]
        assert "name the country" in made.prompts[2]

    def test_an_unreadable_verdict_is_not_taken_for_content(self, make):
        """Feedback without a verdict leads to another answer."""
        made = make([GOOD, "Hm.", GOOD, "VERDICT: correct"])
        assert 2 == made.run(SelfRefine(k=2)).steps.count("answer")


class TestIterRetGen:
    @pytest.mark.parametrize("iterations", [1, 3])
    def test_iterations_are_exact_and_the_answer_joins_the_query(self, make, iterations):
        """So many searches and answers; from the second on the query says what was answered."""
        made = make()
        result = made.run(IterRetGen(iterations=iterations))
        assert (iterations, iterations) == (result.searches, result.steps.count("answer"))

    def test_it_runs_without_a_model(self, make):
        """The extractive answerer is enough."""
        assert make().run(IterRetGen()).answer is not None


class TestIrCot:
    def test_each_thought_is_a_query_until_the_answer_stands_in_one(self, make):
        """A sentence, a search with it, and so on; then the reader answers from all that was collected."""
        made = make(["Ada Holm was born in Vik. And more.", "Vik is in Norway.", "So the answer is Norway.", GOOD])
        result = made.run(IrCot(k=1))
        assert ("retrieve", "think", "retrieve", "think", "retrieve", "think", "answer") == result.steps
        assert "And more" not in made.prompts[1]

    @pytest.mark.parametrize("rounds", [0, 1, 3])
    def test_rounds_are_exact(self, make, rounds):
        """At most so many sentences."""
        turns = [f"Thought number {at}." for at in range(rounds)]
        assert rounds == make([*turns, GOOD]).run(IrCot(rounds=rounds)).steps.count("think")

    def test_a_repeated_thought_ends_it(self, make):
        """The same sentence again would find the same passages again."""
        assert 2 == make(["Vik is a town.", "Vik is a town.", GOOD]).run(IrCot()).steps.count("think")


class TestReAct:
    def test_a_search_is_observed_and_finish_answers_from_what_was_seen(self, make):
        """Search shows passages to the next step; Finish ends it, and the common prompt answers."""
        made = make(["Thought: where?\nAction: Search[Ada Holm born]", "Action: Finish[Vik]", GOOD])
        result = made.run(ReAct(k=1))
        assert (("think", "retrieve", "think", "answer"), "Vik") == (result.steps, result.answer)
        assert "Observation: Ada Holm: Ada Holm was born in Vik." in made.prompts[1]

    def test_what_is_no_action_is_told_so(self, make):
        """A reply without an action costs a step and is answered with what an action looks like."""
        made = make(["I wonder.", "Action: Search[Vik]", "Action: Finish[Norway]", GOOD])
        made.run(ReAct(k=1))
        assert "no action" in made.prompts[1]

    @pytest.mark.parametrize("steps", [0, 1, 2])
    def test_steps_are_exact(self, make, steps):
        """At most so many thoughts, then the answer from what was seen."""
        turns = ["Action: Search[Vik]"] * steps + [GOOD] * bool(steps)
        assert steps == make(turns).run(ReAct(steps=steps)).steps.count("think")

    def test_finishing_without_a_search_rests_on_nothing(self, make):
        """The model's own word is an answer without a citation."""
        result = make(["Action: Finish[Norway]"]).run(ReAct())
        assert ("Norway", ()) == (result.answer, result.draft.citations)


class TestSelfRag:
    GRADES = "RELEVANT: {}\nSUPPORTED: {}\nUSEFUL: {}"

    def test_it_gives_the_answer_it_grades_best(self, make):
        """One answer a passage; the best by relevance, support and utility."""
        made = make(
            [
                "Yes",
                "QUOTE [1]: Ada Holm was born in Vik.\nANSWER: Vik",
                self.GRADES.format("yes", "partially", 2),
                "QUOTE [1]: Vik is a town in Norway.\nANSWER: Norway",
                self.GRADES.format("yes", "fully", 5),
            ]
        )
        result = made.run(SelfRag(passages=2), "Ada Holm Vik Norway born")
        assert ("Norway", 1) == (result.answer, result.searches)

    def test_it_may_decide_not_to_look_anything_up(self, make):
        """A no, at a probability of retrieving of at most 0.2, answers from what the model knows."""
        result = make(["No", "ANSWER: Norway"]).run(SelfRag())
        assert ("Norway", 0, ("reflect", "recall")) == (result.answer, result.searches, result.steps)

    def test_unreadable_grades_neither_win_nor_lose(self, make):
        """What cannot be read counts as middling, not as nothing."""
        system = SelfRag()
        assert system.score((None, None, None)) == system.score((0.5, 0.5, 0.0))

    def test_its_name_says_what_it_is(self):
        """Without trained reflection tokens it is an emulation, and every table says so."""
        assert "prompted emulation" in SelfRag().name


def test_the_question_of_the_tests_is_answerable(make):
    """The material works: the extractive answerer finds the right sentence."""
    assert "Vik" in make().run(Vanilla(), QUESTION).draft.claims[0].text
