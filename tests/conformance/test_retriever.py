from contextlib import ExitStack
from itertools import count

import pytest

from remit.corpus.opening import open_corpus
from remit.retrieve.hybrid import HybridRetriever
from remit.retrieve.index import Index
from remit.testing import EMBED, RetrieverSuite, Searching, fill


@pytest.fixture(params=["sqlite", "postgres"])
def stores(tmp_path, request):
    """Lend a function that fills a new store, and a stack that closes it; the store's folder comes with it."""
    schemas = request.getfixturevalue("schemas") if request.param == "postgres" else None
    with ExitStack() as opened:
        number = count()

        def make(*revisions):
            folder = tmp_path / f"store{next(number)}"
            database = None if schemas is None else schemas()
            corpus = opened.enter_context(open_corpus(folder, database, create=True))
            fill(corpus, *revisions)
            return folder, corpus, opened

        yield make


@pytest.mark.integration
class TestHybridReadingRows(RetrieverSuite):
    @pytest.fixture
    def searching(self, stores):
        """Return a function that makes a search which reads every visible row."""

        def make(*revisions):
            _, corpus, _ = stores(*revisions)
            return Searching(HybridRetriever(corpus, EMBED), corpus)

        return make


@pytest.mark.integration
class TestHybridOverSegments(RetrieverSuite):
    @pytest.fixture
    def searching(self, stores):
        """Return a function that makes a search over segments, brought up to date once; later writes are not in them."""

        def make(*revisions):
            folder, corpus, opened = stores(*revisions)
            index = opened.enter_context(Index(folder, corpus.connections))
            index.keep_up()
            return Searching(HybridRetriever(corpus, EMBED, index=index), corpus)

        return make
