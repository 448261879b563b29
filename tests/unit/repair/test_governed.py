"""A trained policy in a governed corpus: the protocol's actions on revisions and collections come before its plans."""

import pytest

from remit.contract.catalogue import Catalogue
from remit.observe.observation import RevisionFault, Validity
from remit.repair.encoder import EncoderPlanner
from remit.repair.governed import GovernedPlanner

HELD = Validity(holds=(), method="test")
FAULT = Validity(holds=(), faults=(RevisionFault(revision="PR-114@2", reason="superseded"),), method="test")
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
        policy = EncoderPlanner()
        return GovernedPlanner(policy).propose(*asked), policy.propose(*asked)

    return plan


def test_where_revisions_and_collections_are_in_order_the_policy_plans(planned):
    """The trained policy is asked as it was trained: the protocol adds nothing."""
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
