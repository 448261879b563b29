import pytest

from remit.corpus.opening import open_corpus
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


@pytest.mark.integration
class TestPostgresCorpus(CorpusSuite):
    @pytest.fixture
    def database(self, schemas):
        """Return a schema in which nothing is yet."""
        return schemas()

    @pytest.fixture
    def corpus(self, database, tmp_path):
        """Lend a new store."""
        with open_corpus(tmp_path / "store", database, create=True) as corpus:
            yield corpus

    @pytest.fixture
    def another(self, corpus, database, tmp_path):
        """Lend the same record, opened from another directory, as another host would."""
        with open_corpus(tmp_path / "other", database, create=True) as other:
            yield other
