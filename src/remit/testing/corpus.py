"""The suite for a corpus: inherit `CorpusSuite`, override `corpus`."""

from __future__ import annotations

import pytest

from remit.corpus.store import WritableCorpus
from remit.testing.corpus_dates import CorpusDates
from remit.testing.corpus_odd import CorpusOdd
from remit.testing.corpus_scope import CorpusScope
from remit.testing.corpus_writes import CorpusWrites


class CorpusSuite(CorpusWrites, CorpusScope, CorpusDates, CorpusOdd):
    """What every corpus promises. Where a store can be opened twice, `another` hands out the second opening."""

    @pytest.fixture
    def corpus(self) -> WritableCorpus:
        """Return an empty corpus."""
        raise NotImplementedError("override the fixture `corpus`: return an empty WritableCorpus")

    @pytest.fixture
    def another(self, corpus: WritableCorpus) -> WritableCorpus:
        """Return the same store, opened once more: half of the writers write there."""
        return corpus
