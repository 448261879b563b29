"""Units of measure, single and compound."""

from __future__ import annotations

import pytest

from remit.contract.compare import in_unit, unit_wanted
from remit.contract.quantity import quantities, written_out
from remit.contract.units import fits, unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("40 ml/h", "40 ml per hour"),
        ("1 l/h", "1000 ml/h"),
        ("5 mg/kg", "5 mg per kg"),
        ("5 N/mm²", "5 MPa"),
        ("90 l/min", "5.4 m³/h"),
        ("20 square metres", "20 m²"),
        ("98.6 °F", "37 °C"),
        ("3 cubic metres", "3000 litres"),
        ("72 km/h", "20 m/s"),
        ("2 ppm", "0.0002 %"),
        ("10 000 h", "10,000 hours"),
    ],
)
def test_the_same_amount_in_other_words(one: str, other: str) -> None:
    """An amount is the same however its unit is written, and converts within its kind."""
    (left,), (right,) = quantities(one), quantities(other)
    assert (left.dimension, pytest.approx(left.value)) == (right.dimension, right.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("40 ml", "40 ml/h"),
        ("5 mg", "5 mg/kg"),
        ("5 kWh", "5 kW"),
        ("65 dB", "65 dB(A)"),
        ("20 metres", "20 square metres"),
        ("600 mmHg", "600 mm"),
        ("5000 IU", "5000 mg"),
        ("0.42 EUR", "0.42 EUR/kWh"),
        ("45 EUR per shift", "45 EUR per month"),
        ("30 g/l", "30 g"),
        ("18 rpm", "18 Hz"),
        ("75 kVA", "75 kW"),
    ],
)
def test_other_units_are_other_amounts(one: str, other: str) -> None:
    """A number with another unit is never the same amount."""
    (left,), (right,) = quantities(one), quantities(other)
    assert (left.dimension, left.value) != (right.dimension, right.value)


@pytest.mark.parametrize("written", ["pallets", "a", "n", "charge of", "per hour", "/h", "", "ml/", "x/y"])
def test_what_is_no_unit(written: str) -> None:
    """A word that is not in the list counts things, and a small letter that is a word is no unit."""
    assert unit(written) is None


def test_an_amount_per_something_is_of_what_stands_above_the_line() -> None:
    """Who asks for a mass may be told 5 mg/kg; who asks for ml/h is not told a volume."""
    assert (fits("mass/mass", ("mass",)), fits("volume", ("volume/duration",))) == (True, False)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the rate in ml/h?", "ml/h"),
        ("How many litres per minute does it move?", "litres per minute"),
        ("How many kWh does it use?", "kWh"),
        ("How many days of leave per year do I get?", "days"),
        ("How many pallets are there?", None),
    ],
)
def test_the_unit_that_is_asked_for(question: str, wanted: str | None) -> None:
    """A compound unit is seen whole; what is counted is no unit."""
    assert unit_wanted(question) == wanted


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("40 ml/h", "ml/h", True),
        ("40 ml/h", "ml per hour", True),
        ("2.4 l/h", "ml/h", False),
        ("5 mg/kg", "ml", False),
        ("60 kPa", "mmHg", False),
        ("three nurses", "ml", True),
    ],
)
def test_whether_a_text_leaves_the_unit_wanted(text: str, wanted: str, there: bool) -> None:
    """Amounts in none but other units leave it; a text without amounts does not."""
    assert in_unit(text, wanted) is there


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("42 million EUR", 42e6, "42 million EUR"),
        ("EUR 1.5m", 1.5e6, "EUR 1.5m"),
        ("2 bn USD", 2e9, "2 bn USD"),
        ("3,5 Mio. €", 3.5e6, "3,5 Mio. €"),
        ("850k EUR", 850e3, "850k EUR"),
        ("£3bn", 3e9, "£3bn"),
        ("1,2 Mrd. Euro", 1.2e9, "1,2 Mrd. Euro"),
        ("3 millions d'euros", 3e6, "3 millions d'euros"),
        ("CHF 900k", 900e3, "CHF 900k"),
    ],
)
def test_large_amounts_of_money(text: str, value: float, shown: str) -> None:
    """Words and letters that make a number large belong to it, with the currency before or behind it."""
    sentence = f"It cost {text} in all"
    (found,) = quantities(sentence)
    assert (found.dimension, found.value, sentence[found.start : found.end]) == ("money", value, shown)


def test_a_metre_is_no_million() -> None:
    """An m behind a number without a currency is a metre, and a capital K a kelvin."""
    assert [(one.dimension, one.value) for one in quantities("a 5m hose at 300 K")] == [
        ("length", 5000.0),
        ("temperature", 300.0),
    ]


def test_large_numbers_written_out() -> None:
    """A large number is compared by its digits, whatever words it is written in."""
    assert written_out("It rose from 42 million EUR to $2bn.") == "It rose from 42000000 EUR to $2000000000."
