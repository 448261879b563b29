"""Does a quotation carry a statement: numbers, units, dates, codes and negation, compared exactly. Pure."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final

from remit.contract.quantity import Quantity, dates, quantities
from remit.contract.stopwords import STOPWORDS
from remit.contract.terms import codes, content_terms

_NUMERAL: Final = re.compile(r"(?P<sign>(?<![^\s(:;])[-\u2212])?\d+(?:[.,:/]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN: Final = re.compile(r"\d+[.,]\d+")
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|forbidden|prohibited|banned"
    r"|nicht|kein\w*|nie|niemals|ohne|verboten|ne|pas|jamais|aucune?|sans|interdit\w*|nunca|ning[uú]n\w*|sin)\b|n[\u2019']t\b",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"\b(?:(?:must|may|shall|should|do|does|can)\s*not\s+exceed|not\s+exceeding"
    r"|(?:not?|nicht|pas)\s+(?:\w+\s+){0,3}?(?:more|less|later|earlier|longer|fewer|higher|lower|larger|smaller|mehr|weniger"
    r"|länger|später|früher|plus|moins)\s+(?:than|als|de|que)|not\s+only|no\s+matter|not\s+before|not\s+until"
    r"|no\.(?=\s*\d))",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"(?<!\d)[.;!?\n\u3002\uff01\uff1f]+|[.;!?\n]+(?!\d)|\b(?:but|except|unless|aber|außer|mais|sauf)\b"
)
_FUNCTION_WORDS: Final = frozenset[str]().union(*STOPWORDS.values())
_COUNTED: Final = re.compile(r"[,.;:\n\d]|\b(?:and|or|und|oder|et|ou)\b")
"""Where the words that a number counts are over."""

_STEM: Final = 4


def supports(statement: str, quote: str, *, given: str = "") -> bool:
    """Say whether every number, unit, date, code and negation of `statement` stands in `quote`.

    `given` is the question: its codes may be repeated and its negation taken over, its numbers not.
    """
    statement, quote, given = _plain(statement), _plain(quote), _plain(given)
    return (
        _dates_stand(statement, quote)
        and _numbers(statement) <= _numbers(quote) | _other_spellings(quote)
        and _units_stand(statement, quote)
        and set(codes(statement)) <= set(codes(quote)) | set(codes(given))
        and _negation_stands(statement, quote, given)
    )


def negated(text: str) -> bool:
    """Say whether `text` denies something; "must not exceed 6 bar" and "no more than two" set a bound and do not."""
    return _NEGATION.search(_BOUND.sub(" ", text)) is not None


def closest_clauses(statement: str, quote: str) -> list[str]:
    """Return the clauses of `quote` that share the most words with `statement`; none where none shares any."""
    clauses = [clause for clause in _CLAUSE.split(quote) if clause and clause.strip()]
    wanted = {found.term for found in content_terms(statement)}
    shared = [len(wanted & {found.term for found in content_terms(clause)}) for clause in clauses]
    best = max(shared, default=0)
    return [clause for clause, count in zip(clauses, shared, strict=True) if count == best] if best else []


def _plain(text: str) -> str:
    """Return text with one spelling of digits and letters, whatever their width or script of digits."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(char, char)) for char in folded)


def _dates_stand(statement: str, quote: str) -> bool:
    inside = dates(quote)
    return all(
        any(
            (wanted.day.year, wanted.day.month) == (held.day.year, held.day.month)
            and (wanted.whole_month or (not held.whole_month and wanted.day == held.day))
            for held in inside
        )
        for wanted in dates(statement)
    )


def _numbers(text: str) -> set[str]:
    """Return the numerals outside of dates and codes, in one spelling: 4,000 is 4000, and 6,50 is 6.5."""
    for held in reversed(dates(text)):
        text = f"{text[: held.start]} {text[held.end :]}"
    for code in sorted(codes(text), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(code)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return {
        ("-" if match["sign"] else "") + _spelled(match.group().lstrip("-\u2212")) for match in _NUMERAL.finditer(text)
    }


def _other_spellings(text: str) -> set[str]:
    """Return the values of numbers written as words, and the years of dates."""
    written = (re.match(r"[^\W\d_]+", text[found.start :]) for found in quantities(text))
    words = {word.group() for word in written if word}
    values = {f"{found.value:g}" for word in words for found in quantities(f"{word} pieces")}
    return values | {str(held.day.year) for held in dates(text)}


def _spelled(digits: str) -> str:
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _PLAIN.fullmatch(digits):
        digits = digits.replace(",", ".")
        # Three decimals may be thousands in another country: 4.000 stays apart from 4.
        if len(digits.partition(".")[2]) != 3:  # noqa: PLR2004
            digits = digits.rstrip("0").rstrip(".")
    return digits


def _units_stand(statement: str, quote: str) -> bool:
    inside = quantities(quote)
    return all(_unit_stands(wanted, inside, quote) for wanted in quantities(statement))


def _unit_stands(wanted: Quantity, inside: list[Quantity], quote: str) -> bool:
    """Say whether the quote holds this number with this unit; a number alone needs none."""
    if wanted.dimension == "number" or wanted.unit.casefold() in _FUNCTION_WORDS:
        return True  # the numerals were compared already
    if wanted.dimension != "count":
        return any(
            held.dimension == wanted.dimension and math.isclose(held.value, wanted.value, rel_tol=1e-9)
            for held in inside
        )
    noun = wanted.unit.split()[-1].casefold()[:_STEM]
    rivals = (held for held in inside if math.isclose(held.value, wanted.value, rel_tol=1e-9))
    return any(noun in _COUNTED.split(quote[held.start :].casefold().lstrip("0123456789"))[0] for held in rivals)


def _negation_stands(statement: str, quote: str, given: str) -> bool:
    clauses = closest_clauses(f"{statement} {given}", quote) if given else closest_clauses(statement, quote)
    if not clauses:
        return negated(statement) <= negated(quote)
    allowed = {negated(statement), negated(statement) or negated(given)}
    return any(negated(clause) in allowed for clause in clauses)
