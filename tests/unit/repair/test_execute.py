"""The executor: what a plan may reach, what fails, what it costs and which draft stands."""

import pytest
from executing import AGAIN, failures, run

from remit.access.scope import Scope
from remit.contract.catalogue import Catalogue, Collection
from remit.observe.observation import RevisionFault, Validity
from remit.repair.ops import GenerateAnswer, Ref
from remit.repair.plan import Plan, Step
from remit.repair.planner import StepFailure


def test_a_better_draft_from_new_passages_is_kept(made, rows):
    """New evidence comes first, what was in use after it, each once; the trace says what each step did."""
    repaired, _ = run(made, AGAIN, rows[:2])
    assert repaired.accepted
    assert ["p1", "p2"] == [hit.passage.id for hit in repaired.ranking.hits]
    assert ("p1",) == repaired.gained
    assert "plan" == repaired.ranking.policy
    assert [("docs", "Retrieval"), ("final_answer", "GenerateAnswer")] == [
        (step.name, step.operation) for step in repaired.steps
    ]
    assert (("question",), ("p1", "p2")) == (repaired.steps[0].inputs, repaired.steps[0].outputs)
    assert ("question", "p1", "p2") == repaired.steps[1].inputs


def test_the_same_plan_gives_the_same_result(made, rows):
    """Nothing depends on chance or on an earlier run."""
    assert run(made, AGAIN, rows)[0] == run(made, AGAIN, rows)[0]


def test_every_search_is_inside_the_scope_and_the_snapshot(made, rows):
    """Whatever the plan, the retriever is handed the state's own scope and snapshot."""
    state = made.state(hits=rows[:1])
    text = 'a = Retrieval(question, 5, section="parent")\nb = Retrieval("seal", 5, collection="engineering")\n' + AGAIN
    _, parts = run(made, text, rows, state=state)
    assert 3 == len(parts.retriever.searches)
    assert {(state.scope, state.snapshot)} == {(scope, snapshot) for _, scope, snapshot in parts.retriever.searches}


def test_a_plan_reaches_no_collection_beyond_the_contract_and_its_expansions(made, rows):
    """A collection that is not approved fails the step alike, whether it is there or not, and nothing is searched."""
    state = made.state(hits=rows[1:2], collections=("procedures",))
    for name in ("hr", "no-such"):
        text = f'docs = Retrieval(question, 5, collection="{name}")\nfinal_answer = GenerateAnswer(question, docs)'
        repaired, parts = run(made, text, rows, state=state)
        assert [StepFailure.COLLECTION_NOT_APPROVED, StepFailure.NEEDS_FAILED_STEP] == failures(repaired)
        assert ([], [], False) == (parts.retriever.searches, parts.answerer.calls, repaired.accepted)
    repaired, _ = run(made, AGAIN.replace("10", '10, collection="engineering"'), rows, state=state)
    assert ("e1",) == repaired.gained
    repaired, _ = run(made, AGAIN, rows, state=state)
    assert ("p1",) == repaired.gained


def test_the_scope_closes_what_the_catalogue_opens(made, rows):
    """An approved expansion outside the scope's collections stays shut."""
    scope = Scope(principal="m", labels={"maintenance"}, collections={"procedures"}, policy="test")
    state = made.state(hits=rows[1:2], scope=scope)
    repaired, _ = run(made, AGAIN.replace("10", '10, collection="engineering"'), rows, state=state)
    assert StepFailure.COLLECTION_NOT_APPROVED in failures(repaired)


def test_a_secondary_collection_opens_only_where_one_in_use_widens_to_it(made, rows):
    """Where the contract names no collection, secondary ones need an approved way in."""
    text = AGAIN.replace("10", '10, collection="engineering"')
    for widens, gained in (((), ()), (("engineering",), ("e1",))):
        catalogue = Catalogue(
            collections=(
                Collection(name="procedures", expands_to=widens),
                Collection(name="engineering", primary=False),
            )
        )
        repaired, _ = run(made, text, rows, state=made.state(hits=rows[1:2], catalogue=catalogue))
        assert gained == repaired.gained


def test_what_a_retriever_hands_out_against_scope_or_filters_goes_no_further(made, rows):
    """A faulty engine is checked again: such rows are counted, and reach neither answerer nor trace."""
    retriever = made.retriever(rows, heeds=False)
    state = made.state(hits=rows[1:2], collections=("procedures",))
    repaired, parts = run(made, AGAIN, rows, state=state, retriever=retriever)
    assert ["p1", "p2"] == [hit.passage.id for hit in parts.answerer.calls[0].ranking.hits]
    assert 3 == repaired.steps[0].refused
    assert "x1" not in repaired.model_dump_json()


def test_the_current_revision_is_asked_for_by_a_filter(made, rows):
    """`revision="current"` narrows the search and leaves the contract's date alone."""
    state = made.state(hits=rows[1:2])
    _, parts = run(made, AGAIN.replace("10", '10, revision="current"'), rows, state=state)
    search = parts.retriever.searches[0][0]
    assert (True, state.contract.wanted) == (search.filters.current_only, search.wanted)


def test_a_parent_section_is_searched_in_its_own_document(made, rows):
    """`section="parent"` looks above the passages in use, in their documents only, and in turn."""
    state = made.state(hits=rows[:2])
    repaired, parts = run(made, AGAIN.replace("10", '10, section="parent"'), rows, state=state)
    filters = [search.filters for search, _, _ in parts.retriever.searches]
    assert [(("PR-101",), ("Seal replacement",)), (("PR-102",), ("Seal replacement",))] == [
        (one.documents, one.section) for one in filters
    ]
    assert {"p1", "p2"} == set(repaired.steps[0].outputs)
    repaired, _ = run(made, AGAIN.replace("10", '10, section="parent"'), rows, state=made.state())
    assert StepFailure.NO_PASSAGE_IN_USE == repaired.steps[0].failed


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("final_answer = GenerateAnswer(question, doc_list[7])", [StepFailure.INDEX_OUT_OF_RANGE]),
        (
            'a = Retrieval("unheard-of", 5)\nfinal_answer = GenerateAnswer(question, a)',
            [StepFailure.EMPTY_LIST],
        ),
        (
            'a = Retrieval("unheard-of", 5)\nfinal_answer = GenerateAnswer(question, a[0])',
            [StepFailure.INDEX_OUT_OF_RANGE],
        ),
        (
            'q = RewriteQuery("seal", "expand")\na = Retrieval(q[0], 5)\nfinal_answer = GenerateAnswer(question, a)',
            [StepFailure.NOTHING_TO_REWRITE, StepFailure.NEEDS_FAILED_STEP, StepFailure.NEEDS_FAILED_STEP],
        ),
        (
            "s = DecomposeQuery(question)\nfinal_answer = GenerateAnswer(s[0], doc_list)",
            [StepFailure.NOT_DECOMPOSABLE, StepFailure.NEEDS_FAILED_STEP],
        ),
        (
            's = DecomposeQuery("who is it and where is it?")\nfinal_answer = GenerateAnswer(s[2], doc_list)',
            [StepFailure.INDEX_OUT_OF_RANGE],
        ),
        (
            'r = RefineDoc("nothing alike", doc_list, "explain")\nfinal_answer = GenerateAnswer(question, r)',
            [StepFailure.NOTHING_REFINED, StepFailure.NEEDS_FAILED_STEP],
        ),
    ],
)
def test_a_failure_is_a_value_and_the_first_draft_stands(made, rows, text, failed):
    """A step that gives nothing says why; a plan that needs it is abandoned."""
    state = made.state(hits=rows[1:2])
    repaired, _ = run(made, text, rows, state=state)
    assert failed == failures(repaired)
    assert (False, state.ranking, state.draft) == (repaired.accepted, repaired.ranking, repaired.draft)
    assert repaired.why.startswith("abandoned")


def test_a_plan_goes_on_where_it_can(made, rows):
    """In a list of passages, what a failed step should have given is passed over."""
    text = 's = DecomposeQuery(question)\na = Retrieval(s[0], 5)\nb = Retrieval("flushed", 5)\n'
    repaired, _ = run(made, text + "final_answer = GenerateAnswer(question, [a, [b, [doc_list]]])", rows)
    assert (True, [StepFailure.NOT_DECOMPOSABLE, StepFailure.NEEDS_FAILED_STEP]) == (
        repaired.accepted,
        failures(repaired),
    )


def test_no_previous_answer_is_a_failure_too(made, rows):
    """`previous_pred` stands for nothing where the first draft had no answer."""
    text = "a = Retrieval(previous_pred, 5)\nfinal_answer = GenerateAnswer(question, a)"
    repaired, _ = run(made, text, rows, state=made.state())
    assert [StepFailure.NEEDS_FAILED_STEP, StepFailure.NEEDS_FAILED_STEP] == failures(repaired)


@pytest.mark.parametrize(("confidence", "kept"), [(0.9, True), (0.5, False), (0.4, False)])
def test_only_a_strictly_better_draft_replaces_the_first(made, rows, confidence, kept):
    """Ties keep the first answer and its ranking."""
    state = made.state(hits=rows[1:2])
    repaired, _ = run(made, AGAIN, rows, state=state, answerer=made.answerer([confidence]))
    assert kept == repaired.accepted
    assert kept == (repaired.ranking != state.ranking)
    assert ("p1", "e1", "h1") == repaired.gained


def test_an_answer_beats_none_and_none_beats_nothing(made, rows):
    """A draft with an answer is better than one without, at any confidence; not the other way round."""
    assert run(made, AGAIN, rows, state=made.state(), answerer=made.answerer([0.0]))[0].accepted
    assert not run(made, AGAIN, rows, answerer=made.answerer(silent=True))[0].accepted


def test_a_sound_revision_beats_confidence(made, rows):
    """A draft that rests on a revision seen not to hold gives way to one that does not."""
    fault = RevisionFault(revision="PR-102@1", reason="superseded")
    seen = made.observation(validity=Validity(holds=(), faults=(fault,), method="test"))
    state = made.state(hits=rows[1:2], draft=made.draft_on(rows[1], 0.99), seen=seen)
    assert run(made, AGAIN, rows, state=state, answerer=made.answerer([0.2]))[0].accepted


def test_no_new_passage_and_the_same_draft_is_no_progress(made, rows):
    """Answering again in the same way is named as what it is."""
    state = made.state(hits=rows[1:2])
    repaired, _ = run(made, "final_answer = GenerateAnswer(question, doc_list)", rows, state=state)
    assert (False, "no progress", ()) == (repaired.accepted, repaired.why, repaired.gained)


def test_another_estimate_can_be_passed(made, rows):
    """What is better is one function."""
    repaired, _ = run(made, AGAIN, rows, estimate=lambda contract, ranking, draft: float(-ranking.k))
    assert not repaired.accepted


def test_at_most_fifteen_passages_reach_the_answerer(made):
    """A ranking holds fifteen passages, in the plan's order."""
    many = [made.hit(f"p{n:02}", "the seal is flushed.") for n in range(30)]
    repaired, parts = run(made, AGAIN.replace("10", "40"), many, state=made.state(hits=many[29:]))
    assert [f"p{n:02}" for n in range(15)] == [hit.passage.id for hit in parts.answerer.calls[0].ranking.hits]
    assert 15 == repaired.ranking.k


def test_refining_keeps_the_link_to_the_source(made):
    """Only the kept sentences are offered; the passage and its spans stay, so that a quotation still verifies."""
    row = made.hit("p1", "the bolts are red. the seal is flushed for ten minutes. nobody knows.")
    text = 'r = RefineDoc("seal flushed", doc_list, "summarize")\nfinal_answer = GenerateAnswer(question, r)'
    state = made.state(hits=[row], draft=made.draft_on(row, 0.1))
    repaired, parts = run(made, text, [row], state=state)
    (shown,) = parts.answerer.calls[0].ranking.hits
    assert row.passage.sentences[1:2] == shown.passage.sentences
    assert row == repaired.ranking.hits[0]
    (cited,) = repaired.draft.citations
    assert cited.quote == row.passage.text[cited.start : cited.end] == "the seal is flushed for ten minutes."


def test_refining_what_was_refined_chooses_among_what_was_kept(made):
    """A second refinement brings nothing back that the first left out."""
    row = made.hit("p1", "the bolts are red. the seal is flushed for ten minutes. the seal is flushed by nobody.")
    first = 'a = RefineDoc("seal flushed ten minutes", doc_list, "summarize")\n'
    for then, kept in (("red bolts", 0), ("nobody", 1)):
        text = first + f'b = RefineDoc("{then}", a, "summarize")\nfinal_answer = GenerateAnswer(question, b)'
        repaired, parts = run(made, text, [row], state=made.state(hits=[row], draft=made.draft_on(row, 0.1)))
        assert kept == len(parts.answerer.calls), repaired


def test_a_step_in_between_asks_its_own_question(made, rows):
    """The last answer owes what the contract owes; a step in between is read as the question that it is."""
    text = 'a = GenerateAnswer("who flushed it", doc_list)\nb = Retrieval(a, 5)\nfinal_answer = GenerateAnswer(question, b)'
    state = made.state(hits=rows[1:2], form="number", facts=(made.fact("topic", "seal", "seal"),))
    _, parts = run(made, text, rows, state=state)
    between, last = (call.contract for call in parts.answerer.calls)
    assert ("who flushed it", "name", "who flushed it") == (between.claim, between.form, between.question)
    assert state.contract == last


def test_a_list_of_queries_is_searched_one_by_one(made, rows):
    """Retrieval takes all queries of a decomposition; what several find is merged."""
    text = 's = DecomposeQuery("is it felt and is it flushed?")\na = Retrieval(s, 5)\nfinal_answer = GenerateAnswer(question, a)'
    repaired, parts = run(made, text, rows)
    assert ["is it felt?", "is it flushed?"] == [search.query for search, _, _ in parts.retriever.searches]
    assert len(set(repaired.steps[1].outputs)) == len(repaired.steps[1].outputs)


def test_a_plan_that_was_not_checked_is_checked(made, rows):
    """The executor runs no plan that `parse` would turn away."""
    plan = Plan((Step("answer", GenerateAnswer(Ref("question"), Ref("doc_list"))),))
    repaired, parts = run(made, plan, rows)
    assert ([], False) == (parts.answerer.calls, repaired.accepted)


def test_an_instruction_reaches_an_answerer_that_takes_one(made, rows):
    """An answerer with `instructed` is told; another answers as it always does."""

    class Told(made.answerer):
        def instructed(self, instruction):
            self.instruction = instruction
            return self

    text = 'final_answer = GenerateAnswer(question, doc_list, "be brief")'
    answerer = Told()
    run(made, text, rows, answerer=answerer)
    assert ("be brief", 1) == (answerer.instruction, len(answerer.calls))
    assert 1 == len(run(made, text, rows)[1].answerer.calls)


def test_a_definition_changes_what_is_looked_for_and_is_recorded(made):
    """A rewritten term brings the passage that says it otherwise; the facts then ask for what was meant."""
    glossary = made.hit(
        "g1",
        "Barrier liquid is the shop-floor name for quench fluid.",
        document="EN-05",
        title="Words used in the works",
    )
    quench = made.hit("p9", "the quench fluid is kept at 2 bar.", document="EN-21")
    text = (
        'q = RewriteQuery(question, "clarify")\ndocs = Retrieval(q[0], 10)\n'
        "final_answer = GenerateAnswer(q[0], [docs, doc_list])"
    )
    fact = made.fact("topic", "pressure barrier liquid", "pressur", "barrier", "liquid")
    state = made.state("What pressure has the barrier liquid?", facts=(fact,))
    repaired, parts = run(made, text, [quench, glossary], state=state)
    drafted = parts.answerer.calls[0].contract
    assert "What pressure has the quench fluid?" == drafted.claim
    assert ("pressur", "quench", "fluid") == drafted.facts[0].terms
    assert [("barrier liquid", "quench fluid", "g1")] == [
        (one.phrase, one.meaning, one.passage) for one in repaired.synonyms
    ]
    assert "p9" in repaired.gained
    assert "g1" in repaired.steps[0].inputs
