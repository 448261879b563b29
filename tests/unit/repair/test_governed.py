"""A trained policy in a governed corpus: the protocol's actions on revisions and collections come before its plans."""

import pytest

from remit.contract.catalogue import Catalogue
from remit.llm.scripted import ScriptedChat
from remit.observe.observation import RevisionFault, Validity
from remit.repair.governed import GovernedPlanner
from remit.repair.planner import NO_PLANNER
from remit.repair.prompted import PromptedPlanner
from remit.repair.template import TemplatePlanner

HELD = Validity(holds=(), method="test")
FAULT = Validity(holds=(), faults=(RevisionFault(revision="PR-114@2", reason="superseded"),), method="test")
PLAN = 'docs = Retrieval("torque", 3)\nfinal_answer = GenerateAnswer(question, [docs, doc_list])'
ASKED = "When was the designer of Old Bridge born?"


@pytest.fixture
def planned(made):
    """Return how to plan a question by both, with what was tried before."""

    def plan(validity=HELD, *, catalogue=None, collections=(), tried=frozenset()):
        seen = made.observation(coverage=made.lacking("birth"), validity=validity)
        facts = (made.fact("topic", "birth", "born"),)
        hits = [made.hit("p1", "Old Bridge was designed by Ann Lee.")]
        more = {"facts": facts, "collections": collections, "catalogue": catalogue or Catalogue()}
        state = made.state(ASKED, hits, seen=seen, draft=made.draft_on(hits[0], 0.1), **more)
        asked = state, made.budget(), frozenset(tried), made.patience
        policy = PromptedPlanner(ScriptedChat([PLAN] * 9))
        return GovernedPlanner(policy).propose(*asked), policy.propose(*asked)

    return plan


def test_where_revisions_and_collections_are_in_order_the_policy_plans(planned):
    """The policy is asked as it was trained: the protocol adds nothing."""
    found, alone = planned()
    assert found.plan == alone.plan
    assert found.plan is not None


def test_a_revision_that_does_not_hold_is_mended_first(planned):
    """The policy does not see validity; the current revision is asked for, and the policy plans once that has run."""
    found, alone = planned(FAULT)
    assert ("current_revision", True) == (found.proposal.action, found.plan != alone.plan)
    again, alone = planned(FAULT, tried={found.proposal.fingerprint})
    assert again.plan == alone.plan


def test_approved_collections_that_were_not_looked_into_are(planned, made):
    """What the asker may read beside the collection asked of is searched before the policy plans."""
    found, _ = planned(collections=("procedures",), catalogue=made.catalogue)
    assert found.proposal.action == "expand_collection"


def test_the_rest_plans_where_the_policy_would_leave_the_draft_alone(made):
    """The controller does not release the draft, so fixed plans follow; once they have run they are offered as repeated."""
    hit = made.hit("p1", "Old Bridge was designed by Ann Lee.")
    seen = made.observation(coverage=made.lacking("birth"), validity=HELD)
    state = made.state(
        ASKED, [hit], facts=(made.fact("topic", "birth", "born"),), seen=seen, draft=made.draft_on(hit, 0.1)
    )
    planner, tried = GovernedPlanner(NO_PLANNER, rest=TemplatePlanner()), set()
    for _ in range(10):
        found = planner.propose(state, made.budget(), frozenset(tried), made.patience)
        if not found.proposal.new:
            break
        tried.add(found.proposal.fingerprint)
    assert tried
    assert (True, planner.name) == (found.proposal.repeated, found.proposal.policy)
    assert GovernedPlanner(NO_PLANNER).propose(state, made.budget(), frozenset(), made.patience).plan is None
