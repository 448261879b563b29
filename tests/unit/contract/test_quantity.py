"""Numbers with units and dates, as found in real sentences."""

from __future__ import annotations

from datetime import date

import pytest

from remit.contract.quantity import dates, quantities


@pytest.mark.parametrize(
    ("text", "value", "dimension", "written"),
    [
        ("The bolts are tightened to 45 N·m in a cross.", 45.0, "torque", "45 N·m"),
        ("flushed for 10 minutes with condensate", 10.0, "duration", "10 minutes"),
        ("changed every 2,500 operating hours.", 150_000.0, "duration", "2,500 operating hours"),
        ("Torque nm: 42; Pattern: cross", 42.0, "torque", "42"),
        ("tested at 16.5 bar", 16.5, "pressure", "16.5 bar"),
        ("outside for up to six weeks", 60_480.0, "duration", "six weeks"),
        ("above 102 °C the fitter stops", 102.0, "temperature", "102 °C"),
        ("not faster than 6 km/h", 6 / 3.6, "speed", "6 km/h"),
        ("trips at 7.1 mm/s", 0.0071, "speed", "7.1 mm/s"),
        ("alle 500 Stunden", 30_000.0, "duration", "500 Stunden"),
        ("after 350 cycles", 350.0, "cycle", "350 cycles"),
        ("dial 2260.", 2260.0, "number", "2260"),
        ("kept at \u221218 °C.", -18.0, "temperature", "\u221218 °C"),
        ("kept at minus 18 °C.", -18.0, "temperature", "minus 18 °C"),
        ("kept at -18 °C or below", -18.0, "temperature", "-18 °C"),
        ("returned after two school days", 2880.0, "duration", "two school days"),
        ("a fine of €1,200 applies", 1200.0, "money", "€1,200"),
    ],
)
def test_a_number_carries_its_dimension(text: str, value: float, dimension: str, written: str) -> None:
    """A number is read with its unit into the base unit of its dimension, and its span covers number and unit."""
    found = quantities(text)[0]
    assert (found.value, found.dimension, text[found.start : found.end]) == (pytest.approx(value), dimension, written)


def test_codes_and_dates_hold_no_numbers() -> None:
    """Digits of part codes and dates are not quantities."""
    assert quantities("P-101/B and PR-114 since 2026-03-01 or 8 March 2027") == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("due 2027-03-12.", date(2027, 3, 12)),
        ("on 8 March 2027 at noon", date(2027, 3, 8)),
        ("the 1st of June 2025", date(2025, 6, 1)),
        ("by March 8, 2027", date(2027, 3, 8)),
        ("am 3. Oktober 2026", date(2026, 10, 3)),
        ("in May 2022", date(2022, 5, 1)),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, day: date) -> None:
    """A date is found in the usual ways of writing it, with a whole month as its first day."""
    assert [found.day for found in dates(text)] == [day]


def test_an_impossible_day_is_no_date() -> None:
    """The 31st of June and month 13 are no dates."""
    assert [found.whole_month for found in dates("2026-06-31 and 2026-13-01")] == []
