"""What a corpus promises about odd input and about readers beside writers: a typed error or nothing, never half of it."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from remit.contract.value import text_digest
from remit.corpus.store import NewRevision, WritableCorpus
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere
from remit.llm.scripted import HashedWords
from remit.testing.build import EMBED, NOW, fill, new, read, scope_of

STAFF = scope_of("staff")
LINES = 5
NAMES = ("", "@", "A@", "@1", "A@1@1", "A@1#0", "%", "A@1' OR '1'='1", "a\nb", "\x00", "A" * 10_000, "🙂")


class CorpusOdd:
    """Names that name nothing, vectors that do not fit, and readers that look while something is written."""

    @pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
    def test_what_names_nothing_finds_nothing(self, corpus: WritableCorpus, name: str) -> None:
        """Any text may be looked up, on every path: there is nothing, and that is all."""
        fill(corpus, new("A"), new("B"))
        _finds_nothing(corpus, name)

    def test_half_a_surrogate_names_nothing(self, corpus: WritableCorpus) -> None:
        """Text that no store can hold may be looked up all the same."""
        fill(corpus, new("A"), new("B"))
        _finds_nothing(corpus, "A\ud800")

    def test_vectors_of_another_width_are_refused(self, corpus: WritableCorpus) -> None:
        """One revision with vectors that do not fit would break every search over it."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        other = HashedWords(EMBED.dimension // 2)
        put = new("A", "1", "One line.")
        narrow = other.embed(["One line."])
        _refused(corpus, put._replace(passage_vectors=narrow))
        _refused(corpus, put._replace(sentence_vectors=(narrow,)))

    def test_vectors_that_are_no_numbers_are_refused(self, corpus: WritableCorpus) -> None:
        """NaN and infinity are an encoder's mistake, and none of the store's rows."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        put = new("A", "1", "One line.")
        for wrong in (np.nan, np.inf):
            spoiled = np.full_like(put.passage_vectors, wrong)
            _refused(corpus, put._replace(passage_vectors=spoiled))
            _refused(corpus, put._replace(sentence_vectors=(spoiled,)))

    def test_vectors_need_an_encoder(self, corpus: WritableCorpus) -> None:
        """Before it is said where vectors come from, none are taken: they could never be compared."""
        with pytest.raises((InvalidInput, MissingPrerequisite)):
            corpus.put(new("A"), now=NOW)
        assert () == corpus.stored("A")

    def test_text_that_cannot_be_written_is_refused(self, corpus: WritableCorpus) -> None:
        """Half a surrogate in a text, a title or a label is an error of the input, and nothing of it is stored."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        for put in (new("A", "1", "Half \ud800."), new("A", title="Half \ud800"), new("A", labels=["half\ud800"])):
            _refused(corpus, put)

    def test_a_digest_that_is_not_that_of_the_text_is_refused(self, corpus: WritableCorpus) -> None:
        """Citations are verified by it."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        _refused(corpus, new("A", digest=text_digest("another text")))

    @pytest.mark.parametrize("name", ["", " ", "a@b", "a#b", "a\nb", "a\x00b"])
    def test_names_that_could_be_read_two_ways_are_refused(self, corpus: WritableCorpus, name: str) -> None:
        """`document@revision#passage` has to come apart in one way."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        for put in (new(name), new("A", name)):
            with pytest.raises(InvalidInput):
                corpus.put(put, now=NOW)

    def test_readers_never_see_half_a_write(self, corpus: WritableCorpus, another: WritableCorpus) -> None:
        """While revisions replace each other, whoever reads sees one of them, whole."""
        fill(corpus, _version(0))
        done = threading.Event()

        def look() -> list[Counter[str]]:
            seen = []
            while not done.is_set():
                seen.append(Counter(row.source.id for row in read(another, STAFF).rows))
            return seen

        with ThreadPoolExecutor(2) as pool:
            looking = [pool.submit(look) for _ in range(2)]
            try:
                for number in range(1, 20):
                    corpus.put(_version(number), now=NOW)
            finally:
                done.set()
            seen = [one for reader in looking for one in reader.result()]
        assert seen
        assert {(1, LINES)} == {(len(one), one.total()) for one in seen}


def _version(number: int) -> NewRevision:
    lines = (f"Line {line} of version {number}." for line in range(LINES))
    return new("V", str(number), *lines, supersedes=(f"V@{number - 1}",) if number else ())


def _refused(corpus: WritableCorpus, put: NewRevision) -> None:
    with pytest.raises((InvalidInput, MissingPrerequisite)):
        corpus.put(put, now=NOW)
    assert () == corpus.stored("A")
    assert () == read(corpus, STAFF).rows


def _finds_nothing(corpus: WritableCorpus, name: str) -> None:
    assert () == corpus.named(name, STAFF)
    assert corpus.text(name, STAFF) is None
    assert () == corpus.stored(name)
    assert 0 == corpus.delete(name, now=NOW)
    assert () == corpus.revisions(name, STAFF, snapshot=corpus.snapshot())
    assert () == read(corpus, scope_of("staff", documents=(name,))).rows
    if name != "A@1#0":
        for path in (corpus.vectors, corpus.matrix):
            with pytest.raises(NothingThere):
                path([name], STAFF)
