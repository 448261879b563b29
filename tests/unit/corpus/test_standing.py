"""How a revision stands at a date."""

from datetime import date

import pytest
from shelf import new

from remit.corpus.standing import Closing, first_closings, set_aside, standing

JANUARY, JULY, DECEMBER = date(2026, 1, 1), date(2026, 7, 1), date(2026, 12, 1)


@pytest.mark.parametrize(
    ("fields", "start", "at", "reason"),
    [
        ({}, None, JULY, None),
        ({"status": None}, None, JULY, None),
        ({"status": None}, JULY, JULY, "superseded"),
        ({"status": "draft"}, None, JULY, "draft"),
        ({"status": "withdrawn", "valid_from": DECEMBER}, None, JULY, "withdrawn"),
        ({"valid_from": JULY}, None, JULY, None),
        ({"valid_from": DECEMBER}, None, JULY, "future"),
        ({"valid_to": DECEMBER}, None, JULY, None),
        ({"valid_to": JULY}, None, JULY, "expired"),
        ({"valid_to": JANUARY}, DECEMBER, JULY, "expired"),
        ({"valid_to": DECEMBER}, JULY, JULY, "superseded"),
        ({}, DECEMBER, JULY, None),
        ({"status": "superseded"}, None, JANUARY, "superseded"),
        ({"status": "superseded", "valid_to": JULY}, None, JANUARY, None),
        ({"status": "superseded", "valid_to": JULY}, None, JULY, "superseded"),
        ({"status": "superseded"}, JULY, JANUARY, None),
        ({"status": "superseded"}, JULY, JULY, "superseded"),
    ],
)
def test_why_a_revision_is_set_aside(fields, start, at, reason):
    """Status, dates and what replaces a revision decide, by date; `valid_to` is the first day it no longer holds."""
    assert reason == set_aside(new(**fields).revision, start, at)


def test_a_revision_is_shown_as_of_the_date():
    """In its time it is current and its end is known; afterwards it is superseded."""
    revision = new(status="superseded").revision
    then, now = standing(revision, JULY, JANUARY), standing(revision, JULY, DECEMBER)
    assert ("current", JULY) == (then.status, then.valid_to)
    assert ("superseded", JULY) == (now.status, now.valid_to)


def test_the_first_replacement_counts():
    """Of several that replace one revision the earliest ends it."""
    assert {"D@1": JANUARY} == first_closings([Closing("D@1", JULY), Closing("D@1", JANUARY)])
