import pytest
from reranking import random_head, vectors_of

from remit.errors import ProviderFailed
from remit.llm.scripted import ScriptedChat
from remit.rerank.cutoff import Cutoff
from remit.rerank.encoder import EncoderReranker
from remit.rerank.listwise import Listwise
from remit.testing import RerankerSuite
from remit.testing.build import EMBED


class TestEncoder(RerankerSuite):
    @pytest.fixture(params=[{}, {"temperature": 0.7}], ids=str)
    def reranker(self, request):
        """Return the policy with weights drawn at random, greedy and drawing."""
        return EncoderReranker(EMBED, vectors_of, head=random_head(4), **request.param)


class TestListwise(RerankerSuite):
    @pytest.fixture(params=["[2], [1], [99], [2]", "None", "no numbers", ProviderFailed("down")], ids=str)
    def reranker(self, request):
        """Return the policy over a model that says the same each time."""
        return Listwise(ScriptedChat([request.param] * 4), Cutoff())
