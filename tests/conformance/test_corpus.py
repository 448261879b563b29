import pytest

from remit.corpus.sqlite import SqliteCorpus
from remit.testing import CorpusSuite


@pytest.mark.integration
class TestSqliteCorpus(CorpusSuite):
    @pytest.fixture
    def corpus(self, tmp_path):
        """Lend a new store."""
        with SqliteCorpus.open(tmp_path / "store", create=True) as corpus:
            yield corpus

    @pytest.fixture
    def another(self, corpus, tmp_path):
        """Lend the same store, opened once more."""
        with SqliteCorpus.open(tmp_path / "store") as other:
            yield other
