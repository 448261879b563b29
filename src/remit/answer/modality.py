"""What is allowed or demanded of whom: "may read" is no "may sign", though both name Bob and a contract. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from remit.contract.terms import Term, content_terms, term_set

_MODAL: Final = {
    "en": r"may|must|shall|should|can(?:not)?|could|(?:allowed|permitted|required|entitled|authori[sz]ed|obliged|forbidden|free)\s+to|(?:has|have|need|needs)\s+to",
    "de": r"darf|d\u00fcrfen|muss|m\u00fcssen|soll|sollen|kann|k\u00f6nnen",
    "fr": r"peut|peuvent|doit|doivent|(?:autoris\u00e9e?s?|tenue?s?|oblig\u00e9e?s?)\s+(?:\u00e0|de)",
    "es": r"puede|pueden|debe|deben|(?:autorizad[oa]s?|obligad[oa]s?)\s+a|tienen?\s+que",
}
"""Words of permission and duty; the verb follows them, in German it ends the clause."""
_MODALS: Final = {code: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for code, words in _MODAL.items()}
_END: Final = re.compile(r"[.;:!?\n]|\b(?:but|unless|if|when|aber|wenn|mais|si|pero)\b", re.IGNORECASE)
_JOINED: Final = re.compile(r",\s|\b(?:and|or|et|ou|y|o)\b", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"\b(?:who|(?:which|what)\s+[\w-]+(?:\s+[\w-]+)?|qui|qui\u00e9n(?:es)?)\s*$", re.IGNORECASE
)
"""What stands before the modal where nothing is turned round: the verb follows at once."""
_ABLE: Final = re.compile(r"\b(?:can(?:not)?|could|kann|k\u00f6nnen|peut|peuvent|puede|pueden)\b", re.IGNORECASE)
_IN_MAY: Final = re.compile(r"\W+(?:\d|of\b|and\b|to\b)")
_REACH, _MOST = 200, 100
"""Characters from a modal within which its verb stands, and how many modals of a text are looked at."""
_LATE: Final = frozenset({"de"})
_BESIDE: Final = frozenset(
    {"also", "still", "ever", "even", "first", "therefore", "thus", "instead", "both", "auch", "nur", "aussi"}
)


def demanded(text: str, language: str = "en") -> list[str]:
    """Return the terms of the verbs behind each word of permission or duty in `text`."""
    code = language.partition("-")[0].casefold()
    return [verb for modal in _modals(text, code) for verb in _verbs(text[modal.end() :][:_REACH], code)]


def says_it_is_allowed(statement: str, quote: str, language: str = "en") -> bool:
    """Say whether each verb of permission or duty in a statement stands in the quotation."""
    held = term_set(quote, language)
    return all(verb in held for verb in demanded(statement, language))


def speaks_of_it(question: str, quote: str, language: str = "en") -> bool:
    """Say whether a quotation that gives leave or duty gives it for something that a question after leave or duty names.

    An answer of a word or two has no verb: to "Who may sign?" the name in "Bob may read" is none. What somebody can do is no permission.
    """
    asked = _asked(_ABLE.sub(" ", question), language)
    if asked <= term_set(quote, language):
        return True
    named = {found.term for found in content_terms(question, language)}
    given = demanded(quote, language)
    return not given or any(verb in named for verb in given)


def _asked(question: str, language: str) -> set[str]:
    """Return the verb of a question after leave or duty; where the words are turned round, all that could be it."""
    code = language.partition("-")[0].casefold()
    asked: set[str] = set()
    for modal in _modals(question, code):
        rest = question[modal.end() :][:_REACH]
        turned = code not in _LATE and not _SUBJECT.search(question[: modal.start()][-_REACH:])
        asked |= {one.term for one in content_terms(rest, code)} if turned else set(_verbs(rest, code))
    return asked


def _modals(text: str, code: str) -> Iterator[re.Match[str]]:
    for modal in islice(_MODALS.get(code, _MODALS["en"]).finditer(text), _MOST):
        if not (modal.group() == "May" and _IN_MAY.match(text, modal.end())):
            yield modal


def _verbs(rest: str, code: str) -> Iterator[str]:
    """Yield the verb at the head of what follows a modal, and those joined to it: "approve and sign"; in German the last word."""
    clause = _END.split(rest, maxsplit=1)[0]
    if code in _LATE:
        yield from (one.term for one in content_terms(clause, code)[-1:])
        return
    for part in _JOINED.split(clause):
        found = [one for one in content_terms(part, code) if _may_be_verb(one, part)]
        yield from (one.term for one in found[:1])
        if len(found) != 1:
            return


def _may_be_verb(found: Term, clause: str) -> bool:
    written = clause[found.start : found.end].casefold()
    return written.isalpha() and not written.endswith("ly") and written not in _BESIDE
