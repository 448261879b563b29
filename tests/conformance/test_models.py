import pytest

from remit.adapters.minilm import MiniLm
from remit.errors import ProviderFailed
from remit.llm.scripted import HashedWords, ScriptedChat, Slow
from remit.testing import ChatSuite, EmbedSuite


@pytest.fixture(scope="module")
def minilm():
    """Return one encoder for all tests: loading takes the time."""
    return MiniLm()


@pytest.mark.integration
class TestMiniLm(EmbedSuite):
    @pytest.fixture
    def embed(self, minilm):
        """Return the default encoder."""
        return minilm


class TestHashedWords(EmbedSuite):
    @pytest.fixture
    def embed(self):
        """Return the encoder without weights."""
        return HashedWords()


class TestScriptedChat(ChatSuite):
    @pytest.fixture
    def chat(self):
        """Return a model with enough turns."""
        return ScriptedChat(["yes"] * 10)

    @pytest.fixture
    def slow(self):
        """Return a model that takes a minute."""
        return ScriptedChat([Slow("yes", 60.0)])

    @pytest.fixture
    def failing(self):
        """Return a model whose backend fails."""
        return ScriptedChat([ProviderFailed("the backend is down: start it")])
