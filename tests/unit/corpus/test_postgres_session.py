"""The few words that PostgreSQL says otherwise."""

import pytest

pytest.importorskip("psycopg")

from remit.corpus.postgres_session import _bound, holds, translated


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT 1 FROM t WHERE a = ? AND b = ?", "SELECT 1 FROM t WHERE a = %s AND b = %s"),
        ("SELECT :name", "SELECT %(name)s::text"),
        ("SELECT a FROM t LIMIT :limit", "SELECT a FROM t LIMIT %(limit)s::bigint"),
        ("a IN (SELECT value FROM json_each(:labels))", "a = ANY (%(labels)s::text[])"),
        ("key IN (SELECT value FROM json_each(:runs))", "key = ANY (%(runs)s::bigint[])"),
        ("SELECT json_group_array(s.target) FROM s", "SELECT coalesce(json_agg(s.target), '[]')::text FROM s"),
        ("SELECT a % 2", "SELECT a %% 2"),
        ("SELECT a::text", "SELECT a::text"),
    ],
)
def test_statements_are_translated(ours, theirs):
    """Parameters, lists and groups; everything else is the same in both."""
    assert theirs == translated(ours)


def test_lists_become_arrays_without_what_no_row_can_hold():
    """A label that cannot be stored opens nothing, and is no error either; None stays: it narrows nothing."""
    bound = _bound(
        {"labels": '["a", "b\\u0000", "c\\ud800", "\\u00e9"]', "documents": None, "keys": "[1, 2]", "number": 3}
    )
    assert {"labels": ["a", "é"], "documents": None, "keys": [1, 2], "number": 3} == bound


def test_what_can_be_held():
    """All but a zero character and half a surrogate pair."""
    assert [True, True, False, False] == [holds(text) for text in ("", "a\x01🙂\uffff", "a\0", "\ud800")]
