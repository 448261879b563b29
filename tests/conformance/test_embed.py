import pytest

from remit.adapters.minilm import MiniLm
from remit.llm.scripted import HashedWords
from remit.testing import EmbedSuite


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
