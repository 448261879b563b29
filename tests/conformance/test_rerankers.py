from types import SimpleNamespace

import numpy as np
import pytest
from reranking import random_head, vectors_of

from remit.errors import ProviderFailed
from remit.llm.scripted import ScriptedChat, SharedWords
from remit.rerank.cutoff import Cutoff
from remit.rerank.encoder import EncoderReranker
from remit.rerank.listwise import Listwise
from remit.rerank.score import CrossEncoder, MaxSim, Score
from remit.testing import RerankerSuite
from remit.testing.build import EMBED


class TestEncoder(RerankerSuite):
    @pytest.fixture(params=[{}, {"temperature": 0.7}], ids=str)
    def reranker(self, request):
        """Return the policy with weights drawn at random, greedy and drawing."""
        return EncoderReranker(EMBED, vectors_of, head=random_head(4), **request.param)


class TestCutoff(RerankerSuite):
    @pytest.fixture(params=[{}, {"most": 3, "share": 0.5}], ids=str)
    def reranker(self, request):
        """Return the order found, cut at a number and at a share of the best."""
        return Cutoff(**request.param)


class TestListwise(RerankerSuite):
    @pytest.fixture(
        params=["[2], [1], [99], [2]", "None", '{"passages": [2, 1]}', "no numbers", ProviderFailed("down")], ids=str
    )
    def reranker(self, request):
        """Return the policy over a model that says the same each time."""
        return Listwise(ScriptedChat([request.param] * 4), Cutoff())


class TestLocalWeights(RerankerSuite):
    @pytest.fixture
    def reranker(self):
        """Return the policy `lm` in a context that long passages do not fit into: two calls are made then."""
        return Listwise(ScriptedChat(["[2], [1]"] * 4), Cutoff(), kind="lm", room=4096)


class Letters:
    """An encoder whose tokens are letters."""

    name = "letters/1"

    def read_pair(self, first, second):
        """Return one state a letter."""
        return SimpleNamespace(states=np.array([[ord(c) % 7, ord(c) % 5, 1.0] for c in first]).reshape(-1, 3))


class Fails:
    """A scorer that cannot score."""

    name = "fails/1"

    def score(self, question, hits, patience):
        """Raise."""
        raise ProviderFailed("down")


class TestScore(RerankerSuite):
    @pytest.fixture(
        params=[
            (MaxSim(Letters()), -1.0),
            (CrossEncoder(SharedWords()), 0.0),
            (CrossEncoder(SharedWords()), 0.9),
            (Fails(), 0.0),
        ],
        ids=str,
    )
    def reranker(self, request):
        """Return a pointwise policy over scorers without weights."""
        scorer, threshold = request.param
        return Score(scorer, Cutoff(), threshold=threshold)
