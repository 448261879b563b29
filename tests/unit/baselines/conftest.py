import pytest
import small_line


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """A store of five documents, one of them closed to the reader; not to be changed."""
    with small_line.corpus_of(tmp_path_factory.mktemp("baselines") / "store") as held:
        yield held


@pytest.fixture
def make(corpus):
    """Make the parts: `make(turns)` with a scripted model, `make()` with the extractive answerer."""
    return lambda turns=None: small_line.made(corpus, turns)
