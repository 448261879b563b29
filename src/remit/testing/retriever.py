"""The suite for a search engine: inherit `RetrieverSuite`, override `searching`."""

from __future__ import annotations

import pytest

from remit.testing.retriever_exact import RetrieverExact
from remit.testing.retriever_scope import RetrieverScope
from remit.testing.searching import Make


class RetrieverSuite(RetrieverScope, RetrieverExact):
    """What every search promises, whatever its legs and however it fuses them."""

    @pytest.fixture
    def searching(self) -> Make:
        """Return a function that makes a retriever over the revisions it is given, beside the corpus it searches.

        Rows are encoded by `remit.testing.EMBED`; queries have to be as well.
        """
        raise NotImplementedError("override the fixture `searching`: return a function from *revisions to a Searching")
