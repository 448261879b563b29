"""Parts share no family, and what leaks all the same is found."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.cases.nearness import likeness, near_pairs, shingles
from remit.cases.split import families, folds, leaks, split
from remit.errors import InvalidInput


class Item(NamedTuple):
    """A question to be split."""

    id: str
    question: str
    groups: tuple[str, ...] = ()


ITEMS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdefghij"), max_size=3), st.sampled_from(["one", "two", "three", "four"])),
    max_size=40,
).map(lambda rows: [Item(str(at), f"{word} {at}", tuple(groups)) for at, (groups, word) in enumerate(rows)])


@given(ITEMS, st.integers(0, 1000))
def test_no_group_stands_on_two_sides(items, seed):
    """Whatever the items and the seed, a group lies in one part, and nothing is lost or doubled."""
    parts = split(items, {"train": 0.7, "dev": 0.3}, seed=seed)
    assert sorted(item.id for item in items) == sorted(id for ids in parts.values() for id in ids)
    held = {
        name: {group for item in items if item.id in set(ids) for group in item.groups} for name, ids in parts.items()
    }
    assert set() == held["train"] & held["dev"]


@given(ITEMS, st.integers(0, 1000))
def test_no_group_stands_in_two_folds(items, seed):
    """Folds divide no group either."""
    parts = folds(items, 4, seed=seed)
    found = [group for ids in parts for group in {g for item in items if item.id in set(ids) for g in item.groups}]
    assert len(found) == len(set(found))


def test_groups_join_over_others():
    """Two questions with no group in common are one family where a third shares one with each."""
    items = [Item("1", "x", ("a",)), Item("2", "y", ("a", "b")), Item("3", "z", ("b",)), Item("4", "w", ("c",))]
    found = families(items, threshold=None)
    assert found["1"] == found["2"] == found["3"] != found["4"]


def test_near_duplicates_are_one_family():
    """Questions that differ by a word of many are not divided, whatever their groups say."""
    long = "in which year did the northern harbour company of the old town build its second stone bridge"
    items = [Item("1", long, ("a",)), Item("2", f"{long} please", ("b",)), Item("3", "who sailed first", ("c",))]
    found = families(items)
    assert found["1"] == found["2"] != found["3"]


def test_the_seed_decides_and_the_order_does_not():
    """The same seed gives the same parts from items in any order; another seed gives others."""
    items = [Item(str(at), f"question number {at} of many", (str(at),)) for at in range(60)]
    shares = {"train": 0.5, "dev": 0.5}
    first = split(items, shares, seed=1)
    again = split(items[::-1], shares, seed=1)
    assert {name: set(ids) for name, ids in first.items()} == {name: set(ids) for name, ids in again.items()}
    assert first != split(items, shares, seed=2)


def test_shares_are_met_as_nearly_as_families_allow():
    """Of single questions, a part gets its share."""
    items = [Item(str(at), f"question number {at} of many", (str(at),)) for at in range(100)]
    parts = split(items, {"train": 0.8, "dev": 0.2}, seed=3, threshold=None)
    assert {"train": 80, "dev": 20} == {name: len(ids) for name, ids in parts.items()}


@pytest.mark.parametrize("shares", [{}, {"a": 1.0, "b": 0.5}, {"a": 1.5, "b": -0.5}])
def test_shares_that_do_not_add_up_are_refused(shares):
    """A part of the questions may not vanish silently."""
    with pytest.raises(InvalidInput, match="shares"):
        split([Item("1", "x")], shares, seed=1)


def test_leaks_are_found_and_told_apart():
    """A shared group, the same id and a near-duplicate each count; within a part nothing leaks."""
    long = "in which year did the northern harbour company of the old town build its second stone bridge"
    train = [Item("1", "who", ("a",)), Item("2", long, ("b",)), Item("5", f"{long} now", ("b",))]
    dev = [Item("3", "what", ("a",)), Item("4", f"{long} please", ("c",)), Item("6", "free", ("d",))]
    found = leaks({"train": train, "dev": dev})
    assert {("1", "3"), ("2", "4"), ("5", "4")} == {(leak.one, leak.other) for leak in found}
    assert {"the same group a", "near-duplicate questions"} == {leak.why for leak in found}


@given(st.lists(st.text("abcde ", min_size=20, max_size=60), min_size=2, max_size=12, unique=True))
def test_near_pairs_are_those_of_an_exhaustive_search(texts):
    """What MinHash proposes and exact comparison keeps is what comparing all pairs finds, at shares that matter."""
    named = {str(at): text for at, text in enumerate(texts)}
    found = {(near.one, near.other) for near in near_pairs(named, threshold=0.9)}
    keys = list(named)
    wanted = {
        (one, other)
        for at, one in enumerate(keys)
        for other in keys[at + 1 :]
        if likeness(shingles(named[one]), shingles(named[other])) >= 0.9
    }
    assert wanted == found


def test_candidates_are_few():
    """Questions that have nothing in common are not compared: the work grows with the near-duplicates, not with all pairs."""
    texts = {str(at): f"alpha{at} beta{at} gamma{at} delta{at} epsilon{at}" for at in range(2000)}
    assert [] == near_pairs(texts, threshold=0.5)
