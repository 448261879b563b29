"""What a corpus promises about writing: once is enough, nothing is left over, and what was read stays read."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.store import NewRevision, WritableCorpus
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere
from remit.testing.build import EMBED, NOW, TODAY, amended, fill, ids, new, read, scope_of

STAFF = scope_of("staff")
WRITERS = 4


class CorpusWrites:
    """Puts, amendments, deletes and snapshots."""

    def test_what_is_put_is_read_as_it_was(self, corpus: WritableCorpus) -> None:
        """Passages, their revision, text and vectors come back as they went in."""
        put = new("A", "1", "One line.", "Zwei Größen.", "故乡", applies_to=(("model", ("x", "y")),), language="de")
        fill(corpus, put)
        rows = read(corpus, STAFF).rows
        assert put.passages == tuple(row.passage for row in rows)
        assert {put.revision} == {row.source for row in rows}
        assert put.text == corpus.text("A@1", STAFF)
        whole, sentences = corpus.vectors(ids(rows), STAFF)
        assert np.allclose(whole, put.passage_vectors, atol=0.01)
        assert all(np.allclose(a, b, atol=0.01) for a, b in zip(sentences, put.sentence_vectors, strict=True))

    def test_matrix_is_what_vectors_are_made_of(self, corpus: WritableCorpus) -> None:
        """Stored integers times their scales are the vectors, in the order asked for."""
        fill(corpus, new("A", "1", "One line.", "Another line."))
        wanted = ["A@1#1", "A@1#0", "A@1#1"]
        stored = corpus.matrix(wanted, STAFF)
        assert np.array_equal(
            stored.values.astype(np.float32) * stored.scales[:, None], corpus.vectors(wanted, STAFF)[0]
        )

    def test_the_same_again_changes_nothing(self, corpus: WritableCorpus) -> None:
        """A second put of the same content makes no row and no snapshot."""
        fill(corpus, new("A"), new("B"))
        before, seen = corpus.snapshot(), read(corpus, STAFF)
        assert "unchanged" == corpus.put(new("A"), now=NOW).effect
        assert before == corpus.snapshot()
        assert seen == read(corpus, STAFF)

    def test_another_text_under_the_same_name_is_refused(self, corpus: WritableCorpus) -> None:
        """A revision's text never changes; the attempt leaves everything as it was."""
        fill(corpus, new("A", "1", "Ten days."))
        before = corpus.snapshot()
        with pytest.raises(InvalidInput):
            corpus.put(new("A", "1", "Twenty days."), now=NOW)
        assert before == corpus.snapshot()
        assert "Ten days." == corpus.text("A@1", STAFF)

    @pytest.mark.parametrize("label", ["", " ", "*", " staff", "staff "])
    def test_a_label_that_grants_nothing_is_refused(self, corpus: WritableCorpus, label: str) -> None:
        """Blanks and wildcards never get in, and neither does what came with them."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        with pytest.raises(InvalidInput):
            corpus.put(new("A", labels=["staff", label]), now=NOW)
        assert () == read(corpus, STAFF).rows
        assert () == corpus.stored("A")

    def test_amended_labels_hold_at_once(self, corpus: WritableCorpus) -> None:
        """Labels that are taken away close every later read, and passages and vectors stay for whoever has the new ones."""
        put = new("A", "1", "One line.", "Another line.")
        fill(corpus, put)
        assert "amended" == corpus.put(amended(put, labels=["board"]), now=NOW).effect
        assert () == read(corpus, STAFF).rows
        assert corpus.text("A@1", STAFF) is None
        board = scope_of("board")
        assert ["A@1#0", "A@1#1"] == ids(read(corpus, board).rows)
        assert 2 == len(corpus.matrix(["A@1#0", "A@1#1"], board).values)
        with pytest.raises(NothingThere):
            corpus.matrix(["A@1#0"], STAFF)

    def test_a_shorter_revision_leaves_no_tail(self, corpus: WritableCorpus) -> None:
        """After ten passages come four: four now, ten as of then, and no eleventh anywhere."""
        then, day = TODAY.replace(month=1), TODAY.replace(month=7)
        ten = new("A", "1", *(f"Old line {n}." for n in range(10)), valid_from=then)
        four = new("A", "2", *(f"New line {n}." for n in range(4)), valid_from=day, supersedes=("A@1",))
        fill(corpus, ten, four)
        assert [f"A@2#{n}" for n in range(4)] == ids(read(corpus, STAFF).rows)
        assert [f"A@1#{n}" for n in range(10)] == ids(read(corpus, STAFF, at=then).rows)
        assert len("\n".join(f"New line {n}." for n in range(4))) == len(corpus.text("A@2", STAFF) or "")

    def test_a_delete_is_seen_by_every_later_read(self, corpus: WritableCorpus) -> None:
        """A deleted document is in no read path, at older snapshots and dates neither."""
        fill(corpus, new("A"), new("B"))
        before = corpus.snapshot()
        assert 1 == corpus.delete("A", now=NOW)
        for snapshot in (before, corpus.snapshot()):
            assert ["B@1#0"] == ids(read(corpus, STAFF, snapshot=snapshot).rows)
            assert () == corpus.revisions("A", STAFF, snapshot=snapshot)
        assert corpus.text("A@1", STAFF) is None
        assert () == corpus.named("A", STAFF)
        assert () == corpus.stored("A")
        for path in (corpus.vectors, corpus.matrix):
            with pytest.raises(NothingThere):
                path(["A@1#0"], STAFF)
        assert 0 == corpus.delete("A", now=NOW)

    def test_deleting_a_revision_leaves_the_others(self, corpus: WritableCorpus) -> None:
        """One revision goes; what it had replaced stays replaced and does not come back by itself."""
        fill(corpus, new("A", "1"), new("A", "2", supersedes=("A@1",)), new("B"))
        assert 1 == corpus.delete("A", revision="2", now=NOW)
        assert ["B@1#0"] == ids(read(corpus, STAFF).rows)
        assert ["A@1"] == [one.id for one in corpus.stored("A")]
        assert {"A@1": "A@2"} == corpus.replaced_by_deleted()

    def test_what_only_deleted_revisions_replace_is_named(self, corpus: WritableCorpus) -> None:
        """Neither what another still replaces, nor what is gone itself, nor what a deleted draft would have replaced."""
        fill(corpus, new("A", "1"), new("A", "2", supersedes=("A@1",)), new("A", "3", supersedes=("A@1", "A@2")))
        assert {} == corpus.replaced_by_deleted()
        corpus.delete("A", revision="3", now=NOW)
        assert {"A@2": "A@3"} == corpus.replaced_by_deleted()
        corpus.delete("A", revision="2", now=NOW)
        assert ["A@1"] == list(corpus.replaced_by_deleted())
        fill(corpus, new("A", "3"), new("A", "2"), new("B", "1"), new("B", "2", status="draft", supersedes=("B@1",)))
        corpus.delete("B", revision="2", now=NOW)
        assert {} == corpus.replaced_by_deleted()

    def test_what_was_deleted_can_be_put_again(self, corpus: WritableCorpus) -> None:
        """A put after a delete is new."""
        fill(corpus, new("A"))
        corpus.delete("A", now=NOW)
        assert "new" == corpus.put(new("A"), now=NOW).effect
        assert ["A@1#0"] == ids(read(corpus, STAFF).rows)

    def test_a_later_write_changes_no_earlier_read(self, corpus: WritableCorpus) -> None:
        """Whoever reads at a snapshot reads what it held, whatever was put or amended since."""
        first = new("A", "1", "One line.")
        fill(corpus, first)
        then = corpus.snapshot()
        before = read(corpus, STAFF, snapshot=then)
        fill(corpus, new("A", "2", supersedes=("A@1",)), new("B"), amended(first, status="withdrawn"))
        assert before == read(corpus, STAFF, snapshot=then)
        assert before != read(corpus, STAFF)

    def test_snapshots_are_numbered_and_equal_content_has_equal_digests(self, corpus: WritableCorpus) -> None:
        """Each write counts one up; the digest follows from what is there, not from how it came about."""
        fill(corpus, new("A"), new("B", labels=["board"]))
        one = corpus.snapshot()
        corpus.delete("A", now=NOW)
        two = corpus.snapshot()
        corpus.delete("B", now=NOW)
        fill(corpus, new("B", labels=["board"]), new("A"))
        assert one.number < two.number < corpus.snapshot().number
        assert one.digest == corpus.snapshot().digest != two.digest

    def test_vectors_of_two_encoders_never_mix(self, corpus: WritableCorpus) -> None:
        """Another encoder, or the same one with another dimension, is refused."""
        fill(corpus, new("A"))
        for name, dimension in (("other", EMBED.dimension), (EMBED.name, 8)):
            with pytest.raises(MissingPrerequisite):
                corpus.use_encoder(name, dimension)

    def test_collections_are_as_declared(self, corpus: WritableCorpus) -> None:
        """The catalogue declared last is the one there is."""
        corpus.declare(Catalogue(collections=(Collection(name="old"),)))
        catalogue = Catalogue(collections=(Collection(name="books", title="Books", expands_to=("notes",)),))
        corpus.declare(catalogue)
        assert catalogue == corpus.catalogue()

    def test_four_writers_of_the_same_keys(self, corpus: WritableCorpus, another: WritableCorpus) -> None:
        """Twelve puts of three revisions at the same time store three, and each is new exactly once."""
        corpus.use_encoder(EMBED.name, EMBED.dimension)
        wanted = [new(document, "1", f"{document} one.", f"{document} two.") for document in "ABC"]

        def upsert(number: int) -> list[tuple[str, str]]:
            turned = wanted[number % 3 :] + wanted[: number % 3]
            store = (corpus, another)[number % 2]
            return [_effect(store, put) for put in turned]

        with ThreadPoolExecutor(WRITERS) as pool:
            effects = Counter(one for done in pool.map(upsert, range(WRITERS)) for one in done)
        expected = {(f"{d}@1", effect): n for d in "ABC" for effect, n in (("new", 1), ("unchanged", WRITERS - 1))}
        assert expected == effects
        assert [f"{d}@1#{n}" for d in "ABC" for n in range(2)] == sorted(ids(read(corpus, STAFF).rows))


def _effect(corpus: WritableCorpus, put: NewRevision) -> tuple[str, str]:
    done = corpus.put(put, now=NOW)
    return done.revision, done.effect
