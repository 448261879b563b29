from contextlib import ExitStack
from itertools import count

import pytest

from remit.corpus.sqlite import SqliteCorpus
from remit.retrieve.hybrid import HybridRetriever
from remit.testing import EMBED, RetrieverSuite, Searching, fill


@pytest.mark.integration
class TestHybridOverSqlite(RetrieverSuite):
    @pytest.fixture
    def searching(self, tmp_path):
        """Lend a function that fills a new store and searches it."""
        with ExitStack() as opened:
            number = count()

            def make(*revisions):
                corpus = opened.enter_context(SqliteCorpus.open(tmp_path / f"store{next(number)}", create=True))
                fill(corpus, *revisions)
                return Searching(HybridRetriever(corpus, EMBED), corpus)

            yield make
