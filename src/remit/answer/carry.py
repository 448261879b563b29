"""Is an answer carried by what it quotes? Its statements, and how far a quotation holds each of them. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from remit.answer.modality import says_it_is_allowed, speaks_of_it
from remit.answer.numerals import as_english
from remit.answer.support import closest_clauses, names_stand, negated, supports
from remit.contract.contract import AnswerForm, Contract
from remit.contract.frame import language_of
from remit.contract.quantity import dates
from remit.contract.stopwords import STOPWORDS
from remit.contract.terms import content_terms, term_set

PARAPHRASE: Final = 0.8
"""How many of a sentence's own words must stand in its quotations; numbers, dates, codes, names and negation always must."""

_YES: Final = frozenset({"yes", "ja", "oui", "si", "sí", "sim", "da", "はい", "是"})
_NO: Final = frozenset({"no", "nein", "non", "não", "nej", "nee", "いいえ", "否"})
_FIRST_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])|\n+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_TELLING: Final = 3
"""How many more function words of another language tell that a text is in that one."""

_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class Statement(NamedTuple):
    """One thing the answer says, and the form it must have."""

    text: str
    form: AnswerForm


def statements(answer: str, form: AnswerForm) -> list[Statement]:
    """Return what an answer of this form says, one by one: sentences of a text, items of a list, else the whole."""
    match form:
        case "text":
            parts = _SENTENCE.split(answer)
        case "list":
            parts = re.split(r"[;\n]", answer)
            parts = answer.split(", ") if len(parts) == 1 else parts
        case "boolean":
            word = _FIRST_WORD.match(answer.strip())
            parts = [word.group()] if word else []
        case _:
            parts = [answer]
    texts = (_BULLET.sub("", part).strip() for part in parts)
    return [Statement(text, form) for text in dict.fromkeys(texts) if text]


def carried(statement: Statement, contract: Contract, quotes: list[str], *, headings: str = "") -> float | None:
    """Return how far quotations carry a statement, in (0, 1]; None where they do not.

    `headings` are those the quotations stand under: a name may come from there, as from the question, and nothing else may.
    Numbers of the quotations are in English spelling; those of the statement are read by the language it is in.
    """
    whole = "\n".join(quotes)
    if not whole:
        return None
    statement = statement._replace(text=read_by(statement.text, contract))
    asked = set(term_set(contract.question, contract.language))
    held = set(term_set(whole, contract.language)) | set(term_set(whole))
    if statement.form == "boolean":
        return _boolean(statement.text, contract, whole, asked & held)
    if not supports(statement.text, whole, given=contract.question):
        return None
    if not says_it_is_allowed(statement.text, whole, contract.language):
        return None
    if statement.form != "text" and not speaks_of_it(contract.question, whole, contract.language):
        return None
    given = f"{contract.question}\n{headings}"
    if statement.form == "text" and not names_stand(statement.text, whole, given=given, language=contract.language):
        return None
    said = {found.term for found in content_terms(statement.text, contract.language)}
    if statement.form == "date" and dates(statement.text):
        return 1.0
    own = said - asked or said
    share = len(own & held) / len(own) if own else 0.0
    needed = PARAPHRASE if statement.form == "text" else 1.0
    return share if share >= needed else None


def read_by(statement: str, contract: Contract) -> str:
    """Return a statement with its numbers in English spelling; it is in its own language where its words tell, else the question's."""
    told = language_of(statement)
    return as_english(statement, contract.language if told == "en" and not _tells_english(statement) else told)


def _tells_english(statement: str) -> bool:
    return any(word.casefold() in STOPWORDS["en"] for word in _WORD.findall(statement))


def _boolean(word: str, contract: Contract, quote: str, shared: set[str]) -> float | None:
    """Return 1 where a yes or no may rest on the quote: they share a word, and a plain yes does not meet a "not"."""
    if word.casefold() not in _YES | _NO or not shared:
        return None
    denied = [negated(clause) for clause in closest_clauses(contract.question, quote)]
    if word.casefold() in _YES and not speaks_of_it(contract.question, quote, contract.language):
        return None
    contradicts = bool(denied) and all(denied) and not negated(contract.question) and word.casefold() in _YES
    return None if contradicts else 1.0


def in_language(answer: str, contract: Contract, quotes: list[str]) -> bool:
    """Say whether an answer is in the language of the question, is the documents' own words, or is too short to tell."""
    said = " ".join(answer.split()).casefold()
    if contract.form != "text" or any(said.rstrip(".") in " ".join(quote.split()).casefold() for quote in quotes):
        return True
    written, asked = _scripts(answer), _scripts(contract.question)
    if written and asked and not written & asked:
        return False
    words = [word.casefold() for word in _WORD.findall(answer)]
    counts = {code: sum(word in stop for word in words) for code, stop in STOPWORDS.items()}
    own = counts.get(contract.language, 0)
    return counts.get(language_of(answer), 0) < own + _TELLING


def _scripts(text: str) -> set[str]:
    """Return the scripts that a fifth of the letters or more are of, by the first word of their Unicode names."""
    names = [unicodedata.name(char, "").partition(" ")[0] for char in text if char.isalpha()]
    return {name for name in names if names.count(name) * 5 >= len(names)}
