"""The record: what is put, amended, superseded, deleted, and what each scope then sees."""

from datetime import date, timedelta

import pytest
from shelf import EMBED, NOW, TODAY, filled, new, scope_of, seen

from remit.contract.catalogue import Catalogue, Collection
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere

STAFF = scope_of("staff")
OLD, NEW = date(2026, 1, 1), date(2026, 7, 1)


@pytest.fixture
def store(tmp_path):
    """Return a function that opens a filled store and closes it after the test."""
    opened = []

    def fill(*revisions):
        opened.append(filled(tmp_path / f"store{len(opened)}", *revisions))
        return opened[-1]

    yield fill
    for corpus in opened:
        corpus.close()


def test_what_was_put_comes_back(store):
    """A revision is read back as it was written: metadata, passages, text."""
    first = new(text="One.\nTwo.", applies_to=(("line", ("1", "2")),), supersedes=("D@0",), valid_from=OLD)
    corpus = store(first)
    rows = corpus.readable(STAFF, at=TODAY, named=None, snapshot=corpus.snapshot()).rows
    assert [first.revision, first.revision] == [row.source for row in rows]
    assert first.passages == tuple(row.passage for row in rows)
    assert first.text == corpus.text("D@1", STAFF)


def test_the_same_again_changes_nothing(store):
    """Putting the same revision twice leaves one, and the snapshot as it was."""
    corpus = store(new())
    before = corpus.snapshot()
    assert "unchanged" == corpus.put(new(), now=NOW + timedelta(days=1)).effect
    assert before == corpus.snapshot()


def test_other_text_under_the_same_revision_is_refused(store):
    """Document and revision name one text; the store stays as it was."""
    corpus = store(new())
    before = corpus.snapshot()
    with pytest.raises(InvalidInput, match="already there with other text: give it a new revision"):
        corpus.put(new(text="Another."), now=NOW)
    assert before == corpus.snapshot()


def test_an_amendment_governs_every_later_read(store):
    """Labels taken away are gone for questions about the past too, and in reads of an older snapshot under way."""
    corpus = store(new(labels=["staff", "guests"]))
    before = corpus.snapshot()
    assert "amended" == corpus.put(new(labels=["staff"]), now=NOW).effect
    guests = scope_of("guests")
    assert ([], {}) == seen(corpus, guests, at=OLD)
    assert [] == seen(corpus, guests, snapshot=before)[0]
    assert corpus.text("D@1", guests) is None


def test_an_amendment_that_keeps_the_title_needs_no_vectors(store):
    """The passages that are there stay."""
    corpus = store(new())
    amended = new(labels=["hr"])._replace(passages=(), passage_vectors=EMBED.embed([]), sentence_vectors=())
    assert "amended" == corpus.put(amended, now=NOW).effect
    assert ["D@1#0"] == seen(corpus, scope_of("hr"))[0]


def test_each_date_gets_its_own_revision(store):
    """Ten days until June, twenty from July: superseding closes the old one from the new one's first day."""
    corpus = store(new(valid_from=OLD), new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",)))
    assert (["D@1#0"], {"D@2#0": "future"}) == seen(corpus, STAFF, at=date(2026, 6, 30))
    assert (["D@2#0"], {"D@1#0": "superseded"}) == seen(corpus, STAFF, at=NEW)


def test_order_of_arrival_does_not_matter(store):
    """The new revision may come first: the old one is closed all the same, and the digest is equal."""
    old, newer = new(valid_from=OLD), new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",))
    one, other = store(old, newer), store(newer, old)
    assert seen(one, STAFF) == seen(other, STAFF)
    assert one.snapshot() == other.snapshot()


def test_two_revisions_cannot_replace_each_other(store):
    """Both would be out of force and nobody told: the second is refused and names the first; a draft closes nothing."""
    corpus = store(new(supersedes=("D@2",)), new(revision="2", text="Two.", supersedes=("D@1",), status="draft"))
    with pytest.raises(InvalidInput, match="D@2 supersedes D@1, which supersedes it"):
        corpus.put(new(revision="2", text="Two.", supersedes=("D@1",)), now=NOW)
    assert ["D@1#0"] == seen(corpus, STAFF)[0]


def test_a_hidden_revision_closes_what_it_replaces_and_shows_nothing_else(store):
    """Who may not read the new revision does not get the old one as current, nor the new one at all."""
    corpus = store(
        new(valid_from=OLD), new(revision="2", text="Two.", labels=["hr"], valid_from=NEW, supersedes=("D@1",))
    )
    assert ([], {"D@1#0": "superseded"}) == seen(corpus, STAFF)


def test_superseding_another_document(store):
    """A revision may replace one of another document."""
    corpus = store(new(valid_from=OLD), new("E", text="Two.", valid_from=NEW, supersedes=("D@1",)))
    assert (["E@1#0"], {"D@1#0": "superseded"}) == seen(corpus, STAFF)
    assert ("E@1",) == tuple(r.id for r in corpus.revisions("E", STAFF, snapshot=corpus.snapshot()))
    assert NEW == corpus.revisions("D", STAFF, snapshot=corpus.snapshot())[0].valid_to


def test_a_future_revision_closes_nothing_today(store):
    """What starts tomorrow leaves today's revision visible."""
    tomorrow = TODAY + timedelta(days=1)
    corpus = store(new(), new(revision="2", text="Two.", valid_from=tomorrow, supersedes=("D@1",)))
    assert (["D@1#0"], {"D@2#0": "future"}) == seen(corpus, STAFF)
    assert (["D@2#0"], {"D@1#0": "superseded"}) == seen(corpus, STAFF, at=tomorrow)


def test_a_draft_replaces_nothing(store):
    """A draft that names what it would replace leaves it in force."""
    corpus = store(new(), new(revision="2", text="Two.", status="draft", supersedes=("D@1",)))
    assert (["D@1#0"], {"D@2#0": "draft"}) == seen(corpus, STAFF)


def test_two_current_revisions_stay_both(store):
    """Neither replaces the other: both are visible, for the validity reading to judge."""
    corpus = store(new(), new(revision="2", text="Two."))
    assert ["D@1#0", "D@2#0"] == seen(corpus, STAFF)[0]


def test_a_revision_by_its_name(store):
    """The named revision is visible whatever its dates; the others are set aside."""
    corpus = store(
        new(valid_from=OLD),
        new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",)),
        new("E", "3", text="Three."),
    )
    aside = {"D@2#0": "other revision", "E@3#0": "other revision"}
    assert (["D@1#0"], aside) == seen(corpus, STAFF, named="1")
    assert (["D@1#0"], aside) == seen(corpus, STAFF, named="D@1")
    assert [] == seen(corpus, STAFF, named="1 OR 1=1")[0]


@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_a_name_opens_no_draft(store, status):
    """A draft or withdrawn revision stays set aside though it is named."""
    assert ([], {"D@1#0": status}) == seen(store(new(status=status)), STAFF, named="1")


def test_an_older_snapshot_does_not_see_later_writes(store):
    """What is put after a snapshot is not in it; what is deleted after it is gone from it too."""
    corpus = store(new(), new("E", text="Two."))
    before = corpus.snapshot()
    corpus.put(new("F", text="Three."), now=NOW)
    corpus.put(new(revision="2", text="Newer.", valid_from=OLD, supersedes=("D@1",)), now=NOW)
    corpus.delete("E", now=NOW)
    assert (["D@1#0"], {}) == seen(corpus, STAFF, snapshot=before)


def test_a_delete_hides_at_once_and_from_the_past(store):
    """Deleting a document leaves no row, text, revision or vector, whatever date is asked for."""
    corpus = store(new(valid_from=OLD), new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",)))
    assert 2 == corpus.delete("D", now=NOW)
    assert ([], {}) == seen(corpus, STAFF, at=OLD)
    assert corpus.text("D@1", STAFF) is None
    assert () == corpus.revisions("D", STAFF, snapshot=corpus.snapshot())
    with pytest.raises(NothingThere):
        corpus.vectors(["D@1#0"], STAFF)
    assert 0 == corpus.delete("D", now=NOW)


def test_deleting_one_revision_keeps_the_others(store):
    """The older revision still answers for its time, and does not come back as current."""
    corpus = store(new(valid_from=OLD), new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",)))
    assert 1 == corpus.delete("D", now=NOW, revision="2")
    assert ["D@1#0"] == seen(corpus, STAFF, at=OLD)[0]
    assert ([], {"D@1#0": "superseded"}) == seen(corpus, STAFF)


def test_a_deleted_revision_can_be_put_again(store):
    """It is new then, and what its namesake had replaced is for the new one to say."""
    corpus = store(new(valid_from=OLD), new(revision="2", text="Two.", valid_from=NEW, supersedes=("D@1",)))
    corpus.delete("D", now=NOW, revision="2")
    assert "new" == corpus.put(new(revision="2", text="Other.", valid_from=NEW), now=NOW).effect
    assert ["D@1#0", "D@2#0"] == seen(corpus, STAFF)[0]


def test_a_shorter_revision_leaves_no_tail(store):
    """Ten passages, then four: four now, ten as of then."""
    corpus = store(
        new(text="\n".join(f"Line {n}." for n in range(10)), valid_from=OLD),
        new(revision="2", text="\n".join(f"Step {n}." for n in range(4)), valid_from=NEW, supersedes=("D@1",)),
    )
    assert (4, 10) == (len(seen(corpus, STAFF)[0]), len(seen(corpus, STAFF, at=OLD)[0]))


@pytest.mark.parametrize(
    "scope",
    [
        scope_of(),
        scope_of("staff", collections=frozenset()),
        scope_of("staff", documents=frozenset()),
        scope_of("staff", collections=frozenset({""})),
        scope_of("staff", collections=frozenset({"*"})),
        scope_of("Staff"),
        scope_of("ѕtaff"),  # noqa: RUF001 - meant as such
        scope_of("st%"),
        scope_of("staff' OR '1'='1"),
    ],
    ids=["none", "no collection", "no document", "blank", "wildcard", "case", "look-alike", "pattern", "injection"],
)
def test_a_scope_that_grants_nothing_reads_nothing(store, scope):
    """An empty, blank, wildcard or look-alike scope opens no row on any path."""
    corpus = store(new())
    assert ([], {}) == seen(corpus, scope)
    assert corpus.text("D@1", scope) is None
    assert () == corpus.revisions("D", scope, snapshot=corpus.snapshot())
    for read in (corpus.vectors, corpus.matrix):
        with pytest.raises(NothingThere):
            read(["D@1#0"], scope)


def test_no_labels_means_nobody(store):
    """A revision without labels is read by no scope."""
    corpus = store(new(labels=[]))
    assert ([], {}) == seen(corpus, scope_of("staff", "public"))


def test_vectors_come_in_the_order_asked_for(store):
    """Vectors and integers of passages stand in the caller's order, repeated where asked twice."""
    corpus = store(new(text="alpha beta\ngamma delta"))
    ids = ["D@1#1", "D@1#0", "D@1#1"]
    vectors, sentences = corpus.vectors(ids, STAFF)
    wanted = EMBED.embed(["gamma delta", "alpha beta", "gamma delta"])
    assert vectors == pytest.approx(wanted, abs=0.01)
    assert [1, 1, 1] == [len(rows) for rows in sentences]
    rows = corpus.matrix(ids, STAFF)
    assert vectors.tolist() == (rows.values.astype("float32") * rows.scales[:, None]).tolist()
    assert (0, 32) == corpus.matrix([], STAFF).values.shape


def test_one_encoder_a_store(store):
    """Vectors of two encoders are never mixed."""
    corpus = store(new())
    corpus.use_encoder(EMBED.name, EMBED.dimension)
    with pytest.raises(MissingPrerequisite, match="encoded by hashing/1"):
        corpus.use_encoder("another/1", 32)


def test_collections_are_kept(store):
    """The catalogue reads back as declared and is replaced whole."""
    corpus = store()
    corpus.declare(Catalogue(collections=(Collection(name="b", discoverable=True), Collection(name="a"))))
    assert ["a", "b"] == [c.name for c in corpus.catalogue().collections]
    corpus.declare(Catalogue(collections=(Collection(name="c"),)))
    assert ["c"] == [c.name for c in corpus.catalogue().collections]


def test_a_document_by_its_code(store):
    """A code finds its documents in any case, once for each collection they are in."""
    corpus = store(new("PR-1"), new("PR-1", "2", text="Two.", collection="hr"), new("pr-1", text="Three."))
    found = [(one.document, one.collection) for one in corpus.named("pR-1", STAFF)]
    assert [("PR-1", "books"), ("PR-1", "hr"), ("pr-1", "books")] == found
    assert () == corpus.named("PR-2", STAFF)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (new("a@b"), "blank or holds"),
        (new(" "), "blank or holds"),
        (new(revision="1#2"), "blank or holds"),
        (new(labels=["*"]), "grants nothing"),
        (new(labels=[" "]), "grants nothing"),
        (new(collection="*"), "no name"),
        (new(supersedes=("D@1",)), "supersedes itself"),
        (new(valid_from=NEW, valid_to=OLD), "before valid_from"),
        (new(digest="sha256:0"), "digest"),
        (new()._replace(passages=()), "no passages"),
        (new()._replace(sentence_vectors=()), "one vector"),
        (new(text="One.\nTwo.")._replace(text="One,\nTwo."), "digest"),
    ],
)
def test_what_cannot_be_right_is_not_stored(store, wrong, error):
    """A revision with a wrong id, label, date, digest or part is refused and leaves the store as it was."""
    corpus = store(new("X"))
    before = corpus.snapshot()
    with pytest.raises(InvalidInput, match=error):
        corpus.put(wrong, now=NOW)
    assert before == corpus.snapshot()


def test_a_label_with_a_comma_that_is_stored_still_opens(store):
    """An earlier version took such labels: what is stored opens to those who are in that group, and to nobody else."""
    corpus = store(new("A", labels=["board, staff"]))
    assert [["A@1#0"], []] == [seen(corpus, scope_of(group))[0] for group in ("board, staff", "board")]
