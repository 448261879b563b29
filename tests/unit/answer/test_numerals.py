"""Numbers as languages write them."""

import pytest
from written import asked, hit, revision

from remit.answer.carry import Statement, carried
from remit.answer.cite import cite
from remit.answer.numerals import as_english
from remit.answer.reply import Parsed, Quoted


@pytest.mark.parametrize(
    ("text", "language", "read"),
    [
        ("1,5 mm", "de", "1.5 mm"),
        ("1.5 mm", "de", "1.5 mm"),
        ("1.500 kg", "de", "1,500 kg"),
        ("1,500 kg", "de", "1.500 kg"),
        ("1.234.567,89 EUR", "de-AT", "1,234,567.89 EUR"),
        ("1,500 kg", "en", "1,500 kg"),
        ("1,5 mm and 2,345,678", "en", "1.5 mm and 2,345,678"),
        ("am 01.05.2026 um 6,5 bar", "de", "am 01.05.2026 um 6.5 bar"),
        ("Teile 1,2,3 und 10.0.0.1", "de", "Teile 1,2,3 und 10.0.0.1"),
        ("M12 und P-1,5", "de", "M12 und P-1.5"),
    ],
)
def test_numbers_are_read_by_the_language(text, language, read):
    """Dates, addresses and enumerations stay; every character keeps its place."""
    assert read == as_english(text, language)
    assert len(text) == len(read)


@pytest.mark.parametrize(
    ("question", "said", "quote", "language", "stands"),
    [
        ("How wide is the gap?", "1.5 mm", "Der Spalt ist 1,5 mm breit.", "de", True),
        ("How wide is the gap?", "1,5 mm", "The gap is 1.5 mm.", "en", True),
        ("How wide is the gap?", "1,5 mm", "The gap is 1,5 mm.", "en", True),
        ("How wide is the gap?", "15 mm", "Der Spalt ist 1,5 mm breit.", "de", False),
        ("How heavy is it?", "1500 kg", "Das Gerät wiegt 1.500 kg.", "de", True),
        ("How heavy is it?", "1,500 kg", "Das Gerät wiegt 1.500 kg.", "de", True),
        ("How heavy is it?", "1,500 kg", "Das Gerät wiegt 1,500 kg.", "de", False),
        ("How heavy is it?", "1.5 kg", "Das Gerät wiegt 1.500 kg.", "de", False),
        ("How heavy is it?", "1,500 kg", "It weighs 1,500 kg.", "en", True),
        ("Wie schwer ist das Gerät?", "1.500 kg", "It weighs 1,500 kg.", "en", True),
        ("Wie schwer ist das Gerät?", "1.500 kg", "Das Gerät wiegt 1.500 kg.", "de", True),
        ("Wie schwer ist das Gerät?", "1,500 kg", "It weighs 1,500 kg.", "en", False),
    ],
)
def test_the_same_amount_is_the_same_however_it_is_written(question, said, quote, language, stands):
    """A decimal comma is a decimal point; 1,500 of one language is not 1,500 of another."""
    one = hit(revision("unit", language=language), quote)
    made = cite(Parsed(said, (Quoted(1, quote),), ()), asked(question), (one,))
    assert (said if stands else None) == made.answer
    assert stands == (carried(Statement(said, "number"), asked(question), [as_english(quote, language)]) is not None)
