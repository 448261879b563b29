"""The scope: what it admits, when nothing can lie inside, and what its digest depends on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from remit.access.scope import Filters, Scope
from remit.testing.build import scope_of

NAMES = st.sets(st.sampled_from("abc"), max_size=3).map(frozenset)
MAYBE = st.none() | NAMES


@given(NAMES, MAYBE, MAYBE, NAMES, st.sampled_from("abc"), st.sampled_from("abc"))
def test_a_row_is_inside_by_label_collection_and_document(
    labels, collections, documents, carried, collection, document
):
    """All three have to fit; one that is not narrowed fits any."""
    scope = Scope(principal="x", labels=labels, collections=collections, documents=documents, policy="t")
    expected = (
        not labels.isdisjoint(carried)
        and collection in (collections if collections is not None else {collection})
        and document in (documents if documents is not None else {document})
    )
    assert expected == scope.admits(carried, collection, document)
    assert not (scope.empty and expected)


@given(NAMES, NAMES, MAYBE, NAMES)
def test_one_label_more_never_takes_away(labels, more, collections, carried):
    """What a scope admits, a scope with more labels admits."""
    few = Scope(principal="x", labels=labels, collections=collections, policy="t")
    many = few.model_copy(update={"labels": labels | more})
    assert few.admits(carried, "a", "a") <= many.admits(carried, "a", "a")


def test_nothing_lies_in_an_empty_scope():
    """No labels, or narrowed to nothing: an empty part is not "no part"."""
    assert [True, True, True, False] == [
        scope.empty for scope in (scope_of(), scope_of("a", collections=()), scope_of("a", documents=()), scope_of("a"))
    ]


def test_the_digest_tells_scopes_apart():
    """Caches are keyed by it: principal, labels, each narrowing and the policy count, and nothing else does."""
    scope = scope_of("a", "b", collections=("c",))
    others = [
        scope.model_copy(update=change)
        for change in (
            {"principal": "other"},
            {"labels": frozenset({"a"})},
            {"labels": frozenset({"a", "b", "c"}), "collections": None},
            {"collections": None},
            {"collections": frozenset()},
            {"collections": None, "documents": frozenset({"c"})},
            {"policy": "other"},
        )
    ]
    assert 1 + len(others) == len({one.digest for one in (scope, *others)})
    assert scope.digest == scope_of("b", "a", collections=("c",)).digest
    assert scope.digest == scope.model_copy(update={"reason": "words"}).digest


def test_widening_drops_the_contract_and_keeps_the_labels():
    """What a principal may read at all is by labels alone."""
    assert scope_of("a") == scope_of("a", collections=("c",), documents=("d",)).widened()


@pytest.mark.parametrize("field", ["labels", "principal", "scope", "collection"])
def test_unknown_filters_are_refused(field):
    """What nobody knows how to narrow by is an error, not ignored."""
    with pytest.raises(ValidationError):
        Filters.model_validate({field: ["x"]})
