"""What a corpus promises about permission: every way to read takes the scope, and what is not granted is not there."""

from __future__ import annotations

from itertools import combinations

import pytest

from remit.access.scope import Scope
from remit.corpus.store import WritableCorpus
from remit.errors import NothingThere
from remit.testing.build import fill, ids, new, read, scope_of

LABELS = ("staff", "board", "équipe")
NOTHING = {
    "no labels": scope_of(),
    "a blank label": scope_of(""),
    "a label of spaces": scope_of(" "),
    "a wildcard": scope_of("*"),
    "another pattern": scope_of("%", "st_ff", "s?aff", ".*"),
    "a label never given": scope_of("nobody"),
    "another case": scope_of("STAFF", "Board"),
    "a trailing space": scope_of("staff "),
    "a look-alike letter": scope_of("\u0455taff", "b\u043eard"),
    "full-width letters": scope_of("\uff53\uff54\uff41\uff46\uff46"),
    "an invisible letter": scope_of("staff\u200b", "\u2060board"),
    "decomposed accents": scope_of("e\u0301quipe"),
    "a quote": scope_of("staff' OR '1'='1", 'staff"]', "staff,board"),
    "public where nothing is": scope_of("public"),
    "no collections": scope_of(*LABELS, collections=()),
    "a blank collection": scope_of(*LABELS, collections=("",)),
    "every collection by wildcard": scope_of(*LABELS, collections=("*",)),
    "an unknown collection": scope_of(*LABELS, collections=("Books", "b\u043eoks")),
    "no documents": scope_of(*LABELS, documents=()),
    "an unknown document": scope_of(*LABELS, documents=("a", "*", "")),
}
"""Scopes that must find nothing in `_several`, by what makes them empty."""


class CorpusScope:
    """Nothing outside the scope is returned or counted, on any path."""

    @pytest.mark.parametrize("scope", NOTHING.values(), ids=NOTHING)
    def test_what_grants_nothing_finds_nothing(self, corpus: WritableCorpus, scope: Scope) -> None:
        """An empty filter is not "no filter", and what merely looks like a label is none."""
        _several(corpus)
        assert [] == _seen(corpus, scope)

    @pytest.mark.parametrize("label", LABELS)
    def test_each_label_opens_its_own(self, corpus: WritableCorpus, label: str) -> None:
        """A label opens the rows that carry it and no others, on every path."""
        _several(corpus)
        expected = {"staff": ["A", "C"], "board": ["B", "C"], "équipe": ["E"]}
        assert expected[label] == _seen(corpus, scope_of(label))

    def test_no_labels_means_nobody(self, corpus: WritableCorpus) -> None:
        """A revision without labels is private, whoever asks."""
        _several(corpus)
        assert "D" not in _seen(corpus, scope_of(*LABELS, "public", "", "*"))

    def test_a_scope_narrows_by_collection_and_document(self, corpus: WritableCorpus) -> None:
        """Both narrow what the labels open, and neither opens anything."""
        _several(corpus)
        assert ["C"] == _seen(corpus, scope_of("staff", collections=("notes",)))
        assert ["A"] == _seen(corpus, scope_of("staff", documents=("A", "B")))
        assert [] == _seen(corpus, scope_of("staff", collections=("notes",), documents=("A",)))

    def test_another_label_never_hides(self, corpus: WritableCorpus) -> None:
        """Whoever holds more labels sees at least the same, for every set of labels."""
        _several(corpus)
        held = [set(some) for n in range(len(LABELS) + 1) for some in combinations(LABELS, n)]
        seen = {frozenset(some): set(_seen(corpus, scope_of(*some))) for some in held}
        assert all(seen[few] <= seen[many] for few in seen for many in seen if few <= many)

    def test_set_aside_is_scoped_too(self, corpus: WritableCorpus) -> None:
        """What does not hold is told to those alone who may read it."""
        fill(corpus, new("A", status="withdrawn", labels=["board"]), new("B", status="draft"))
        assert ["B@1#0"] == [row.passage.id for row, _ in read(corpus, scope_of("staff")).set_aside]

    def test_labels_are_those_of_each_revision(self, corpus: WritableCorpus) -> None:
        """Of a document's revisions each is read by its own labels, in the list of revisions as well."""
        fill(corpus, new("A", "1", labels=["board"]), new("A", "2", supersedes=("A@1",)))
        newest = corpus.snapshot()
        assert ["A@2"] == [one.id for one in corpus.revisions("A", scope_of("staff"), snapshot=newest)]
        assert ["A@1"] == [one.id for one in corpus.revisions("A", scope_of("board"), snapshot=newest)]
        assert corpus.text("A@1", scope_of("staff")) is None

    def test_hidden_and_missing_are_told_alike(self, corpus: WritableCorpus) -> None:
        """From the error nobody learns whether a passage exists."""
        _several(corpus)
        for path in (corpus.vectors, corpus.matrix):
            told = []
            for id in ("B@1#0", "X@1#0"):
                with pytest.raises(NothingThere) as caught:
                    path(["A@1#0", id], scope_of("staff"))
                told.append(str(caught.value).replace(id, "ID"))
            assert told[0] == told[1]

    def test_a_name_is_found_in_any_case_and_no_pattern_is_one(self, corpus: WritableCorpus) -> None:
        """The one read beyond a scope finds documents by their ids alone, and says which of them the scope opens."""
        _several(corpus)
        for name in ("A", "a"):
            assert (("A", "books", True),) == corpus.named(name, scope_of("staff"))
            assert (("A", "books", False),) == corpus.named(name, scope_of("nobody"))
        assert {()} == {corpus.named(name, scope_of("staff")) for name in ("", "*", "%", "_", "A@1", "X", "\u0410")}

    def test_a_collection_is_open_where_any_of_its_revisions_is(self, corpus: WritableCorpus) -> None:
        """A collection is open to a scope that opens a revision of it, and to no other."""
        _several(corpus)
        opened = [corpus.opens("books", scope_of(*labels)) for labels in (("staff",), ("nobody",), ())]
        assert [True, False, False] == opened
        assert not corpus.opens("other", scope_of("staff"))


def _several(corpus: WritableCorpus) -> None:
    """Put five documents: for staff, for the board, for both, for nobody, and under an accented label."""
    fill(
        corpus,
        new("A", labels=["staff"]),
        new("B", labels=["board"]),
        new("C", labels=["staff", "board"], collection="notes"),
        new("D", labels=[]),
        new("E", labels=["équipe"]),
    )


def _seen(corpus: WritableCorpus, scope: Scope) -> list[str]:
    """Return the documents that a scope sees, having looked whether every path agrees."""
    readable = read(corpus, scope)
    assert () == readable.set_aside
    found = [id.partition("@")[0] for id in ids(readable.rows)]
    snapshot = corpus.snapshot()
    for document in "ABCDE":
        seen = document in found
        assert seen == bool(corpus.revisions(document, scope, snapshot=snapshot))
        assert seen == (corpus.text(f"{document}@1", scope) is not None)
        for path in (corpus.vectors, corpus.matrix):
            assert seen == _opens(path, f"{document}@1#0", scope)
    return sorted(found)


def _opens(path: object, id: str, scope: Scope) -> bool:
    assert callable(path)
    try:
        path([id], scope)
    except NothingThere:
        return False
    return True
