"""The listwise reranker over the smallest real weights: held to the schema, even a model that never keeps to the form is read."""

import time

import pytest
from small_model import small_model

from remit.adapters.gguf import GgufChat
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.llm.chat import Wanted
from remit.rerank.choice_reply import SCHEMA
from remit.rerank.cutoff import Cutoff
from remit.rerank.listwise import Listwise
from remit.testing.build import candidates_of, contract_of, hits_of, scope_of

pytestmark = pytest.mark.integration

HITS = hits_of("The pump is drained.", "Marie Curie was born in Warsaw.", "Pierre Curie worked in Paris.")


@pytest.fixture(scope="module")
def chat():
    """Return the smallest real chat model in this process."""
    weights = GgufChat(small_model(), context=2048)
    yield weights
    weights.close()


def test_a_real_model_held_to_the_schema_makes_a_choice(chat):
    """One call, read as a choice among what was shown, and the same again; nothing is left to the fallback."""
    policy = Listwise(chat.wanting(Wanted(SCHEMA)), Cutoff(), room=2048)
    told = []
    for _ in range(2):
        budget = Budget.of(Limits(seconds=600.0), now=time.monotonic())
        told.append(
            policy.rank(
                contract_of("Where was Marie Curie born?"), candidates_of(HITS), scope_of("staff"), budget, Patience()
            )
        )
    assert told[0].hits == told[1].hits
    assert "the model chose" in told[0].reason
    assert [hit for hit in told[0].hits if hit not in HITS] == []
    assert "+json" in policy.name
