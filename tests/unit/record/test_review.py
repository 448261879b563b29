"""The states of a reviewed item: leases, verdicts, adjudication, and that what is settled stays so."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.errors import InvalidInput
from remit.record.review import (
    Answer,
    Authority,
    Correct,
    Decline,
    Event,
    Quoted,
    State,
    Taken,
    apply,
    claim,
    content_of,
    give,
    release,
    state_of,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUOTED = Quoted(document="D", revision="1", start=0, end=3, quote="abc")
VERDICTS = [
    Answer(text="12 months", citations=(QUOTED,)),
    Answer(text="18 months", citations=(QUOTED,)),
    Correct(revision="D@1", changes={"status": "withdrawn"}),
    Decline(why="no"),
]


class Book:
    """Events of one item in memory, each written as the store would: from the state that holds."""

    def __init__(self, reviewers=1):
        self.events, self.reviewers, self.now = [], reviewers, NOW

    @property
    def state(self):
        return state_of(self.events)

    def add(self, *happened):
        version = self.state.version
        self.events += [Event(version + 1 + at, self.now, what) for at, what in enumerate(happened)]
        return self.state

    def claims(self, by):
        until = self.now + timedelta(minutes=15)
        return self.add(
            claim(self.state, by, asker="asker", reviewers=self.reviewers, at=self.now, until=until)
        ).version

    def gives(self, by, lease, verdict):
        authority = Authority(by=by, source="key 1")
        return self.add(*give(self.state, lease, verdict, authority, reviewers=self.reviewers, at=self.now))


def test_one_reviewer_settles_an_item():
    """Where one verdict is enough, it settles the item, and the stand is that of the verdict."""
    for verdict, stand in zip(VERDICTS[1:], ("answered", "corrected", "declined"), strict=True):
        book = Book()
        assert stand == book.gives("ann", book.claims("ann"), verdict).stand
        assert book.state.terminal


def test_nobody_else_takes_what_is_taken():
    """A lease keeps others out until it runs out; then its holder's verdict comes too late, and another may take the item."""
    book = Book()
    lease = book.claims("ann")
    with pytest.raises(Taken, match="is with ann"):
        book.claims("ben")
    book.now += timedelta(minutes=16)
    later = book.claims("ben")
    with pytest.raises(Taken, match="run out"):
        book.gives("ann", lease, VERDICTS[0])
    assert "answered" == book.gives("ben", later, VERDICTS[0]).stand


def test_a_lease_works_once_and_for_its_holder():
    """A verdict under somebody else's lease, an old one, a used one or a made-up one is refused."""
    book = Book(reviewers=2)
    first = book.claims("ann")
    renewed = book.claims("ann")
    for by, lease in (("ben", renewed), ("ann", first), ("ann", 99)):
        with pytest.raises(Taken):
            book.gives(by, lease, VERDICTS[0])
    book.gives("ann", renewed, VERDICTS[0])
    with pytest.raises(Taken):
        book.gives("ann", renewed, VERDICTS[0])


def test_a_lease_can_be_given_back():
    """What is given back can be taken by the next one, and no longer be judged by the first."""
    book = Book()
    lease = book.claims("ann")
    with pytest.raises(Taken):
        release(book.state, lease, "ben")
    book.add(release(book.state, lease, "ann"))
    assert book.claims("ben")
    with pytest.raises(Taken):
        book.gives("ann", lease, VERDICTS[0])


def test_reviewers_who_agree_settle_and_those_who_differ_do_not():
    """Two equal answers settle an item whatever their spelling; two different ones make a dispute for a third person."""
    book = Book(reviewers=2)
    leases = {by: book.claims(by) for by in ("ann", "ben")}
    with pytest.raises(Taken):
        book.claims("cleo")
    book.gives("ann", leases["ann"], VERDICTS[0])
    assert "open" == book.state.stand
    assert "answered" == book.gives("ben", leases["ben"], Answer(text="12  Months.", citations=(QUOTED,))).stand
    book = Book(reviewers=2)
    leases = {by: book.claims(by) for by in ("ann", "ben")}
    book.gives("ann", leases["ann"], VERDICTS[0])
    assert "disputed" == book.gives("ben", leases["ben"], VERDICTS[1]).stand
    for by in ("ann", "ben"):
        with pytest.raises(InvalidInput, match="already"):
            book.claims(by)
    lease = book.claims("cleo")
    with pytest.raises(Taken):
        book.claims("dan")
    state = book.gives("cleo", lease, VERDICTS[3])
    assert ("declined", "cleo") == (state.stand, state.settled.authority.by)


def test_whoever_asked_does_not_review():
    """The asker of a question cannot take its item."""
    with pytest.raises(InvalidInput, match="their own question"):
        Book().claims("asker")


def test_a_correction_is_made_once():
    """A proposed correction is made or refused once, by somebody else's right to write, and nothing else can be applied."""
    book, writer = Book(), Authority(by="wren", source="key 2")
    for unsettled in (book.state,):
        with pytest.raises(Taken):
            apply(unsettled, writer, done=True)
    book.gives("ann", book.claims("ann"), VERDICTS[2])
    assert book.add(apply(book.state, writer, done=True)).applied.done
    with pytest.raises(Taken):
        apply(book.state, writer, done=False)


def test_answers_are_compared_by_their_words():
    """Case, punctuation and composed accents make no difference; other words, revisions or changes do."""
    same = [Answer(text=text, citations=(QUOTED,)) for text in ("Café, 12 Months", "café 12 months!")]
    assert 1 == len({content_of(one) for one in same})
    assert len(VERDICTS) == len({content_of(one) for one in VERDICTS})


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "give", "release", "wait", "apply"]),
        st.sampled_from(["ann", "ben", "cleo", "asker"]),
        st.integers(0, 12),
        st.sampled_from(VERDICTS),
    ),
    max_size=40,
)


@settings(max_examples=300)
@given(STEPS, st.integers(1, 3))
def test_whatever_people_do_an_item_stays_sound(steps, reviewers):
    """No order of acts gives two holders more than there may be, two verdicts of one person, or an end that changes."""
    book = Book(reviewers)
    settled = None
    for act, by, lease, verdict in steps:
        try:
            match act:
                case "claim":
                    book.claims(by)
                case "give":
                    book.gives(by, lease, verdict)
                case "release":
                    book.add(release(book.state, lease, by))
                case "apply":
                    book.add(apply(book.state, Authority(by=by, source="key"), done=True))
                case "wait":
                    book.now += timedelta(minutes=6)
        except InvalidInput:
            continue
        state = book.state
        judges = [given.authority.by for _, given in state.verdicts]
        assert len(judges) == len(set(judges))
        assert "asker" not in judges
        assert len({one.by for one in state.held(book.now)}) <= max(reviewers - len(state.verdicts), 1)
        if settled is not None:
            assert settled == (state.stand, state.settled)
        if state.terminal:
            settled = (state.stand, state.settled)
            assert () == state.leases
        assert state.terminal or state.stand in {"open", "disputed"}
    assert State().stand == "open"
