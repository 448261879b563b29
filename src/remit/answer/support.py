"""Does a quotation carry a statement: numbers, units, dates, codes and negation, compared exactly. Pure."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

from remit.answer.denials import DENIALS
from remit.answer.found import comparable
from remit.contract.compare import bound_before
from remit.contract.quantity import Quantity, dates, quantities, written_out
from remit.contract.stopwords import STOPWORDS
from remit.contract.terms import codes, content_terms, term_set, terms

_NUMERAL: Final = re.compile(r"(?P<sign>(?<![^\s(:;])[-\u2212])?\d+(?:[.,:/]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN: Final = re.compile(r"\d+[.,]\d+")
_NEGATION: Final = re.compile(
    rf"\b(?:{DENIALS}|nothing|without|nie|niemals|ohne|ne|pas|jamais|aucune?|sans|nunca|ning[uú]n\w*|sin)\b|n[\u2019']t\b",
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
_NUMBER_SIGN: Final = re.compile(r"\bno\.(?=\s*\d)", re.IGNORECASE)
"""The "No." of "Records No. 12116", which neither ends a sentence nor denies anything."""
_FUNCTION_WORDS: Final = frozenset[str]().union(*STOPWORDS.values())
_NUMERAL_FIRST: Final = re.compile(r"^\d+(?:[.,]\d+)*")
_COUNTED: Final = re.compile(r"[,.;:\n\d]|\b(?:and|or|und|oder|et|ou)\b")
"""Where the words that a number counts are over."""

_PER: Final = re.compile(r"\s*/\s*|\s+(?:per|pro|je|par|por|an?)\s+", re.IGNORECASE)
"""What stands between an amount and what it is per."""

_OF: Final = re.compile(r"\s+of\s+(?:(?:the|an?)\s+)?(?P<thing>[^\W\d_]{3,})")
_STEM: Final = 4
_WRITTEN: Final = re.compile(r"(?<!\w)[^\W\d_][\w'\u2019-]*")
_OPENERS: Final = " \"'\u201c\u2018(`*\u2022-"
_FAMILY, _ENDING = 5, 3
"""A name and another word are of one family ("America", "American") from so many letters, with so many more at the end."""
_NOUNS_ARE_CAPITAL: Final = frozenset({"de", "lb"})


Difference = Literal["date", "value", "unit", "applicability", "negation"]
"""In what a statement is not carried: a day, a number, a unit, the code of what it is about, or a yes that was a no."""


def supports(statement: str, quote: str, *, given: str = "") -> bool:
    """Say whether every number, unit, date, code and negation of `statement` stands in `quote`.

    `given` is the question: its codes may be repeated and its negation taken over, its numbers not.
    """
    return difference(statement, quote, given=given) is None


def difference(statement: str, quote: str, *, given: str = "") -> Difference | None:
    """Return in what `statement` says something else than `quote`, the first of them; None where the quote carries it."""
    statement, quote, given = written_out(_plain(statement)), written_out(_plain(quote)), _plain(given)
    if not _dates_stand(statement, quote):
        return "date"
    if not _numbers(statement) <= _numbers(quote) | _other_spellings(quote):
        return "value"
    if not _units_stand(statement, quote, given):
        return "unit"
    if not _bounds_stand(statement, quote):
        return "value"
    if not set(codes(statement)) <= set(codes(quote)) | set(codes(given)):
        return "applicability"
    return None if _negation_stands(statement, quote, given) else "negation"


def names(text: str) -> list[str]:
    """Return the words of `text` that are written as names: with a capital that no beginning of a sentence explains."""
    found, written = [], list(_WRITTEN.finditer(text))
    for place, word in enumerate(written):
        before = text[: word.start()].rstrip(_OPENERS)
        opens = not before or before[-1] in ".!?:;\n"
        after = written[place + 1] if place + 1 < len(written) else None
        goes_on = after is not None and text[word.end() : after.start()] == " " and after.group()[0].isupper()
        if word.group()[0].isupper() and len(word.group()) > 1 and (goes_on or not opens):
            found.append(word.group())
    return found


def names_stand(statement: str, quote: str, *, given: str = "", language: str = "en") -> bool:
    """Say whether every name of `statement` stands in `quote` or in what is given: the question, headings of the passage.

    True of languages that write every noun with a capital: there a capital tells nothing.
    """
    if language in _NOUNS_ARE_CAPITAL:
        return True
    whole = f"{quote}\n{given}"
    held, written = term_set(whole) | term_set(whole, language), {word.casefold() for word in _WRITTEN.findall(whole)}
    return all(name.casefold() in written or _named(name, held, language) for name in names(statement))


def _named(name: str, held: frozenset[str], language: str) -> bool:
    parts = [found.term for found in terms(name, language)]
    content = {found.term for found in content_terms(name, language)}
    atoms = [term for term in parts if term in content and not (len(parts) > 1 and term == parts[0] and "-" in term)]
    return all(term in held or any(_akin(term, other) for other in held) for term in atoms)


def _akin(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _FAMILY and len(long) - len(short) <= _ENDING and long.startswith(short) and long.isalpha()


def negated(text: str) -> bool:
    """Say whether `text` denies something; "must not exceed 6 bar" and "no more than two" set a bound and do not."""
    return _NEGATION.search(_BOUND.sub(" ", text)) is not None


def closest_clauses(statement: str, quote: str) -> list[str]:
    """Return the clauses of `quote` that share the most words with `statement`; none where none shares any."""
    clauses = [clause for clause in _CLAUSE.split(_NUMBER_SIGN.sub(" ", quote)) if clause and clause.strip()]
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


def _units_stand(statement: str, quote: str, given: str) -> bool:
    inside = quantities(quote)
    inside += tuple(above for one in inside for above in _above(one, quote, given))
    return all(_unit_stands(wanted, inside, quote) for wanted in quantities(statement))


def _bounds_stand(statement: str, quote: str) -> bool:
    """Say whether no amount of the statement is a least where the quote has a most, or of another thing than there."""
    inside = quantities(quote)
    for wanted in quantities(statement):
        held = [one for one in inside if comparable(one) == comparable(wanted)]
        bound, bounds = bound_before(statement, wanted.start), {bound_before(quote, one.start) for one in held}
        if bound is not None and bounds == {"to" if bound == "from" else "from"}:
            return False
        thing, things = _thing(statement, wanted), [_thing(quote, one) for one in held]
        if thing and things and all(thing.isdisjoint(other) for other in things if other) and all(things):
            return False
    return True


def _thing(text: str, amount: Quantity) -> frozenset[str]:
    """Return the terms of what an amount is of: "oil" of "9 litres of oil"; none where the text does not go on so."""
    found = _OF.match(text, amount.end)
    return frozenset() if found is None else term_set(found["thing"])


def _above(one: Quantity, quote: str, given: str) -> Iterator[Quantity]:
    """Yield an amount without what it is per, where the question says that: "45 EUR" of "45 EUR per night", asked per night."""
    above, *below = _PER.split(quote[one.start : one.end])
    if below and all(re.search(rf"\b{re.escape(word.strip())}\b", given, re.IGNORECASE) for word in below):
        yield from quantities(above)


def _unit_stands(wanted: Quantity, inside: tuple[Quantity, ...], quote: str) -> bool:
    """Say whether the quote holds this number with this unit; a number alone needs none."""
    counts_nothing = wanted.dimension == "count" and wanted.unit.casefold() in _FUNCTION_WORDS
    if wanted.dimension == "number" or counts_nothing:
        return True  # the numerals were compared already; "t", "m" and "s" are units though they end "isn't" and "I'm"
    if wanted.dimension != "count":
        kind, value = comparable(wanted)
        held = (comparable(one) for one in inside)
        return any(
            kind == same and isinstance(value, float) and math.isclose(float(other), value, rel_tol=1e-9)
            for same, other in held
        )
    noun = wanted.unit.split()[-1].casefold()[:_STEM]
    rivals = (held for held in inside if math.isclose(held.value, wanted.value, rel_tol=1e-9))
    return any(
        re.search(
            rf"(?<!\w){re.escape(noun)}",
            _COUNTED.split(_NUMERAL_FIRST.sub("", quote[held.start :].casefold(), count=1))[0],
        )
        for held in rivals
    )


def _negation_stands(statement: str, quote: str, given: str) -> bool:
    clauses = closest_clauses(f"{statement} {given}", quote) if given else closest_clauses(statement, quote)
    if not clauses:
        return negated(statement) <= negated(quote)
    allowed = {negated(statement), negated(statement) or negated(given)}
    return any(negated(clause) in allowed for clause in clauses)
