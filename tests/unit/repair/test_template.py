"""The template planner: each action's precondition, its plan, what it expects, and when it repeats."""

import pytest

from remit.access.scope import Scope
from remit.contract.budget import Cost
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import RevisionWanted
from remit.decide.point import OperatingPoint
from remit.observe.observation import CitationCheck, RevisionFault, Unmeasured, Validity
from remit.repair.parse import parse
from remit.repair.plan import Plan
from remit.repair.template import TemplatePlanner

SEARCH = "final_answer = GenerateAnswer(question, [docs, doc_list])"
ALONE = Catalogue()


def propose(made, state, tried=frozenset(), point=None):
    """Return what the planner proposes."""
    return TemplatePlanner(point).propose(state, made.budget(), frozenset(tried), made.patience)


def actions(made, state):
    """Return the actions offered one after another, each marked as tried, until one is repeated."""
    tried, found = set(), []
    for _ in range(20):
        planned = propose(made, state, tried)
        if planned.plan is None or planned.proposal.repeated:
            return found, planned
        found.append(planned.proposal.action)
        tried.add(planned.proposal.fingerprint)
    raise AssertionError("the planner never repeats itself")


def lacking(made, *hits, draft=None, names=("seal flush",), words=("seal", "flush"), **more):
    """Return a state in which one topic is not held."""
    seen = made.observation(coverage=made.lacking(*names), relevance=made.relevant(*hits))
    facts = tuple(made.fact("topic", name, *words) for name in names)
    return made.state(hits=hits, seen=seen, facts=facts, draft=draft, **{"catalogue": ALONE, **more})


@pytest.fixture
def seal(made):
    """Return one passage, the first of its document."""
    return made.hit("p1", "the seal is flushed")


def test_nothing_is_proposed_where_nothing_is_lacking(made, seal):
    """A right draft is left alone."""
    planned = propose(made, made.state(hits=[seal]))
    assert (None, None, "template/1") == (planned.plan, planned.proposal.plan, planned.proposal.policy)
    assert not planned.proposal.new


@pytest.mark.parametrize("reason", ["superseded", "undated", "conflicting-metadata", "expired"])
def test_a_revision_that_does_not_hold_asks_for_the_current_one(made, seal, reason):
    """A fault of validity comes first, names the document, and leaves out what was in use."""
    fault = RevisionFault(revision="PR-114@2", reason=reason)
    seen = made.observation(validity=Validity(holds=(), faults=(fault,), method="test"))
    proposal = propose(made, made.state(hits=[seal], seen=seen)).proposal
    assert ("current_revision", "the current revision of PR-114") == (proposal.action, proposal.expects)
    search = 'docs = Retrieval(question, 10, revision="current")'
    assert f"{search}\nfinal_answer = GenerateAnswer(question, docs)" == proposal.plan


def test_the_current_revision_is_not_asked_for_against_the_contract(made, seal):
    """A question about a past date or a named revision wants that one; other applicability is no matter of revision."""
    fault = RevisionFault(revision="PR-114@2", reason="expired")
    seen = made.observation(validity=Validity(holds=(), faults=(fault,), method="test"))
    today = made.state().contract.wanted.at
    for wanted in (RevisionWanted(at=today, historical=True), RevisionWanted(at=today, named="2")):
        assert propose(made, made.state(hits=[seal], seen=seen, wanted=wanted)).plan is None
    other = RevisionFault(revision="PR-114@2", reason="other-applicability")
    seen = made.observation(validity=Validity(holds=(), faults=(other,), method="test"))
    assert propose(made, made.state(hits=[seal], seen=seen)).plan is None


def test_a_missing_fact_beside_a_relevant_passage_fetches_the_section_above(made):
    """The parent is asked for where the document certainly has passages that are not in use."""
    fifth = made.hit("p5", "the seal is to flush", ordinal=4)
    proposal = propose(made, lacking(made, fifth)).proposal
    assert ("parent_section", "the section that holds: seal flush") == (proposal.action, proposal.expects)
    assert f'docs = Retrieval(question, 10, section="parent")\n{SEARCH}' == proposal.plan
    only = made.hit("p0", "the seal is to flush", ordinal=0)
    assert "parent_section" not in actions(made, lacking(made, only))[0]
    flat = made.hit("p5", "the seal is to flush", ordinal=4, section=())
    assert "parent_section" not in actions(made, lacking(made, flat))[0]


def test_a_word_that_no_passage_has_is_rewritten(made, seal):
    """A term is reworded where it stands nowhere in the evidence; first clarified, later expanded."""
    state = lacking(made, seal, words=("seal", "barrier"))
    proposal = propose(made, state).proposal
    assert ("rewrite_term", "passages that say in other words: barrier") == (proposal.action, proposal.expects)
    assert (
        'q = RewriteQuery(question, "clarify")\ndocs = Retrieval(q[0], 10)\n'
        "final_answer = GenerateAnswer(q[0], [docs, doc_list])"
    ) == proposal.plan
    assert ["rewrite_term", "rewrite_term"] == actions(made, state)[0]
    assert [] == actions(made, lacking(made, seal, words=("seal",)))[0]


def test_a_word_that_a_passage_only_explains_is_rewritten_too(made):
    """A glossary in use holds the word and no fact about it."""
    row = made.hit("g", "Barrier liquid is the shop-floor name for quench fluid.", section=())
    proposal = propose(made, lacking(made, row, words=("barrier", "liquid"))).proposal
    assert "passages that say in other words: barrier, liquid" == proposal.expects


def test_approved_collections_are_searched_a_few_at_a_time(made, seal):
    """What the contract names widens to what its owner approved, in the declared order."""
    state = lacking(made, seal, words=("seal",), collections=("procedures",), catalogue=made.catalogue)
    proposal = propose(made, state).proposal
    assert ("expand_collection", "Engineering notes, Technical tables on: seal flush") == (
        proposal.action,
        proposal.expects,
    )
    assert (
        'docs = Retrieval(question, 6, collection="engineering")\n'
        'docs_2 = Retrieval(question, 6, collection="tables")\n'
        "final_answer = GenerateAnswer(question, [docs, docs_2, doc_list])"
    ) == proposal.plan
    scope = Scope(principal="m", labels={"maintenance"}, collections={"procedures", "engineering"}, policy="test")
    narrow = propose(
        made, lacking(made, seal, words=("seal",), collections=("procedures",), catalogue=made.catalogue, scope=scope)
    )
    assert f'docs = Retrieval(question, 10, collection="engineering")\n{SEARCH}' == narrow.proposal.plan


def test_many_approved_collections_take_several_plans(made, seal):
    """Four collections a plan, so that what was in use still has room."""
    names = tuple(f"c{n}" for n in range(6))
    catalogue = Catalogue(collections=(Collection(name="procedures", expands_to=names),))
    state = lacking(made, seal, words=("seal",), collections=("procedures",), catalogue=catalogue)
    assert ["expand_collection", "expand_collection"] == actions(made, state)[0]


def test_without_named_collections_only_secondary_ones_are_widened_to(made, seal):
    """A first search has looked into the primary ones already; a hidden one is not named in what is expected."""
    state = lacking(made, seal, words=("seal",), catalogue=made.catalogue)
    assert [] == actions(made, state)[0]
    hidden = Catalogue(
        collections=(
            Collection(name="procedures", expands_to=("vault", "tables")),
            Collection(name="vault", title="The vault", primary=False),
            Collection(name="tables"),
        )
    )
    proposal = propose(made, lacking(made, seal, words=("seal",), catalogue=hidden)).proposal
    assert f'docs = Retrieval(question, 10, collection="vault")\n{SEARCH}' == proposal.plan
    assert "other approved sources on: seal flush" == proposal.expects


def test_a_question_that_is_several_is_taken_apart(made, seal):
    """Each part is searched for; where one part says what the other is about, its answer is followed up."""
    joined = lacking(made, seal, words=("seal",), question="Who flushes the seal and how long does it take?")
    proposal = propose(made, joined).proposal
    assert "decompose" == proposal.action
    assert "evidence for each of: Who flushes the seal?; how long does it take?" == proposal.expects
    assert "bridge" not in proposal.plan
    linked = lacking(
        made, seal, words=("seal",), question="How long is the seal of the pump named in IR-2026-03 flushed?"
    )
    assert "followed = Retrieval(bridge, 7)" in propose(made, linked).proposal.plan
    assert [] == actions(made, lacking(made, seal, words=("seal",), question="How long is it flushed?"))[0]


def test_a_model_answers_again_from_the_passage_that_holds_all(made, seal):
    """RePAIR's figure 1: the right passage is there, the draft names another; one GenerateAnswer and nothing else."""
    wrong = made.hit("p0", "the gasket is red", title="Gaskets", section=())
    right = made.hit("p1", "seal flush", section=())
    paid = made.draft_on(wrong, cost=Cost(model_calls=1))
    planned = propose(made, lacking(made, wrong, right, draft=paid))
    assert "answer_again" == planned.proposal.action
    assert "final_answer = GenerateAnswer(question, [doc_list[1], doc_list])" == planned.proposal.plan
    assert planned.plan.answers_only
    quoted = lacking(made, wrong, right, draft=made.draft_on(wrong))
    assert "answer_again" not in actions(made, quoted)[0]


def test_a_model_whose_quotations_failed_is_asked_once_more(made, seal):
    """Nothing is lacking but the proof: the same passages, another instruction, once per set of evidence."""
    seen = made.observation(
        relevance=made.relevant(seal), citations=CitationCheck(verified=(), failed=("sha256:x",), method="test")
    )
    state = made.state(hits=[seal], draft=made.draft_on(seal, cost=Cost(model_calls=1)), seen=seen)
    found, last = actions(made, state)
    assert (["answer_again"], True) == (found, last.proposal.repeated)
    assert [] == actions(made, made.state(hits=[seal], seen=seen))[0]


def test_the_actions_come_in_the_order_of_the_protocol(made):
    """Validity, section, word, collection, parts; each once, then the first as repeated."""
    fifth = made.hit("p5", "the seal is red", ordinal=4)
    fault = RevisionFault(revision="PR-101@1", reason="undated")
    seen = made.observation(
        coverage=made.lacking("seal flush"),
        relevance=made.relevant(fifth),
        validity=Validity(holds=(), faults=(fault,), method="test"),
    )
    state = made.state(
        "Who flushes the seal and how long does it take?",
        hits=[fifth],
        seen=seen,
        facts=(made.fact("topic", "seal flush", "seal", "barrier"),),
        collections=("procedures",),
    )
    found, last = actions(made, state)
    assert [
        "current_revision", "parent_section", "rewrite_term", "expand_collection", "decompose", "rewrite_term",
    ] == found  # fmt: skip
    assert (True, "current_revision", False) == (last.proposal.repeated, last.proposal.action, last.proposal.new)


def test_other_evidence_makes_a_plan_new_but_not_the_plan_that_brought_it(made, seal):
    """A fingerprint holds for one set of passages and one snapshot; an accepted plan is not proposed on its own result."""
    state = lacking(made, seal, words=("seal", "barrier"))
    first = propose(made, state).proposal
    other = lacking(made, seal, made.hit("p2", "more"), words=("seal", "barrier"))
    assert first.plan == propose(made, other, {first.fingerprint}).proposal.plan
    ranked = other.ranking.model_copy(update={"reason": first.plan})
    assert first.plan != propose(made, other._replace(ranking=ranked), {first.fingerprint}).proposal.plan


def test_nothing_found_and_nothing_measured_count_as_lacking(made):
    """Missing is not zero and no pass: all facts are looked for again."""
    empty = lacking(made, words=("barrier",))
    assert "rewrite_term" == propose(made, empty).proposal.action
    unread = made.observation(coverage=Unmeasured(reason="broken"), relevance=Unmeasured(reason="broken"))
    state = made.state(seen=unread, facts=(made.fact("topic", "barrier", "barrier"),), catalogue=ALONE)
    assert "rewrite_term" == propose(made, state).proposal.action


def test_the_operating_point_says_what_is_enough(made, seal):
    """A support of 0.1 is enough where the point says so."""
    state = lacking(made, seal, words=("seal", "barrier"))
    assert propose(made, state, point=OperatingPoint(coverage=0.05)).plan is None


def test_every_plan_is_one_and_costs_nothing(made):
    """What the planner writes parses back to the plan it hands over, and no model was asked."""
    fifth = made.hit("p5", "the seal is red", ordinal=4)
    state = lacking(
        made, fifth, words=("barrier",), question="How long is the seal of the pump named in IR-1 flushed?",
        collections=("procedures",), catalogue=made.catalogue,
    )  # fmt: skip
    tried = set()
    while not (planned := propose(made, state, tried)).proposal.repeated:
        assert isinstance(parse(planned.proposal.plan), Plan)
        assert (planned.plan, Cost()) == (parse(planned.proposal.plan), planned.proposal.cost)
        assert planned.plan.fingerprint(("p5",), state.snapshot.digest) == planned.proposal.fingerprint
        tried.add(planned.proposal.fingerprint)
    assert 5 == len(tried)
