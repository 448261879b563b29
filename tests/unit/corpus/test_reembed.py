"""Going over to another encoder."""

from datetime import timedelta

import numpy as np
import pytest
from hashing import HashingEmbed
from shelf import NOW, new, scope_of

from remit.errors import MissingPrerequisite

STAFF = scope_of("staff")


class Other(HashingEmbed):
    """Another encoder, of twice the length, that can fail after some texts."""

    name = "other/1"
    dimension = 64

    def __init__(self, after=10**6):
        super().__init__()
        self._after = after

    def embed(self, texts):
        if len(self.texts) + len(texts) > self._after:
            raise KeyboardInterrupt
        self.texts += texts
        first = HashingEmbed().embed(texts)
        return np.concatenate([first, first], axis=1) / np.float32(np.sqrt(2))


@pytest.fixture
def corpus(shelves):
    """Return a store with three documents."""
    with shelves(*(new(name, text=f"{name} one.\n{name} two.") for name in "ABC")) as (_, corpus):
        yield corpus


def widths(corpus):
    """Return how long the vectors of the store are."""
    ids = [f"{name}@1#{at}" for name in "ABC" for at in (0, 1)]
    whole, sentences = corpus.vectors(ids, STAFF)
    return {whole.shape[1], *(each.shape[1] for each in sentences)}


def test_all_vectors_are_of_the_new_encoder(corpus):
    """Every passage and sentence is encoded anew, the content stays, readers see another state."""
    before = corpus.snapshot()
    assert 6 == corpus.reembed(Other(), now=NOW)
    assert {64} == widths(corpus)
    assert (before.digest, before.number + 1) == (corpus.snapshot().digest, corpus.snapshot().number)
    corpus.use_encoder("other/1", 64)
    with pytest.raises(MissingPrerequisite, match="re-embed"):
        corpus.use_encoder("hashing/1", 32)
    corpus.check_encoder("other/1", 64)
    with pytest.raises(MissingPrerequisite, match="was encoded by other/1"):
        corpus.check_encoder("hashing/1", 32)
    assert 0 == corpus.reembed(Other(), now=NOW)


def test_an_interrupted_change_goes_on_and_the_old_vectors_serve(corpus):
    """Until the end the old vectors are whole; what was made is not made again."""
    with pytest.raises(KeyboardInterrupt):
        corpus.reembed(Other(after=8), now=NOW)
    assert {32} == widths(corpus)
    corpus.use_encoder("hashing/1", 32)
    rest = Other()
    assert 6 == corpus.reembed(rest, now=NOW)
    assert ["A", "B", "C"] != sorted({text[0] for text in rest.texts})
    assert {64} == widths(corpus)


def test_what_comes_in_meanwhile_is_taken_along(corpus):
    """A revision stored, and one deleted, between two steps end with the right vectors."""
    seen = []

    def step(progress):
        if not seen:
            corpus.put(new("D", text="D one."), now=NOW)
            corpus.delete("C", now=NOW)
        seen.append(progress)

    assert 5 == corpus.reembed(Other(), now=NOW, step=step)
    assert 64 == corpus.vectors(["D@1#0", "A@1#0"], STAFF)[0].shape[1]
    assert seen[-1].done == seen[-1].total


def test_a_third_encoder_begins_anew(corpus):
    """Vectors that were made for another encoder are not mixed in."""
    with pytest.raises(KeyboardInterrupt):
        corpus.reembed(Other(after=8), now=NOW)
    third = Other()
    third.name = "third/1"
    assert 6 == corpus.reembed(third, now=NOW)
    assert 6 == len({text for text in third.texts if "\n" in text})


def test_a_writer_of_the_old_encoder_is_refused(corpus):
    """Whoever began with the old encoder cannot store its vectors afterwards."""
    corpus.reembed(Other(), now=NOW)
    with pytest.raises(MissingPrerequisite, match="re-embed"):
        corpus.put(new("E", text="E one."), now=NOW + timedelta(days=1))
