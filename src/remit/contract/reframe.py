"""What a model understood of a question, strictly read, and the contract it makes of the rules' one. Pure.

Whatever a model says, it can only choose among the words of the question: what must be named by its code stays, nothing that
the caller gave changes, and no collection, document, revision or date is opened by it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, cast, get_args

from remit.contract.contract import AnswerForm, Contract, RequiredFact
from remit.contract.dimensions import ANY_DIMENSION
from remit.contract.terms import content_terms

_LINES: Final = ("FORM", "ABOUT", "ASKED", "GIVEN")
_NONE: Final = "none"
_LONGEST: Final = 2_000


class Understood(NamedTuple):
    """The four lines of a reply: the form, what it is about, what is asked of it, and which conditions it fixes."""

    form: AnswerForm
    about: str
    asked: str | None
    given: tuple[tuple[str, str], ...]


def read(reply: str) -> Understood | None:
    """Return what a reply says where it has exactly the four lines that were asked for; None for anything else."""
    lines = [line.strip() for line in reply[:_LONGEST].strip().splitlines() if line.strip()]
    parts = [line.partition(":") for line in lines]
    if tuple(name.strip() for name, _, _ in parts) != _LINES:
        return None
    form, about, asked, given = (value.strip() for _, _, value in parts)
    if form.casefold() not in get_args(AnswerForm) or not about or not asked or not given:
        return None
    pairs = [] if given.casefold() == _NONE else [pair.partition("=") for pair in given.split(";") if pair.strip()]
    if any(not (key.strip() and sign and value.strip()) for key, sign, value in pairs):
        return None
    conditions = tuple((key.strip().casefold(), value.strip()) for key, _, value in pairs)
    return Understood(
        cast("AnswerForm", form.casefold()), about, None if asked.casefold() == _NONE else asked, conditions
    )


def reframed(contract: Contract, said: Understood, by: str) -> Contract | None:
    """Return the contract with what a model understood; None where a word of it does not stand in the question."""
    texts = [said.about, *filter(None, [said.asked]), *(part for pair in said.given for part in pair)]
    if not all(_copied(text, contract.question) for text in texts):
        return None
    language = contract.language
    kept = [fact for fact in contract.facts if fact.kind == "entity"]
    named = {word for fact in kept for word in (fact.name, *fact.words, *(fact.qualifier or ()))}
    about = _fact("topic", said.about, language, named)
    asked = None if said.asked is None else _fact("focus", said.asked, language, named)
    if about is None:
        return None
    facts = (*kept, about, *filter(None, [asked]), *_value(contract, said.form))
    stated = dict(said.given) | dict(contract.stated)  # what the rules read off the question stays
    origins = dict(contract.origins) | {"form": by, "facts": by, "stated": by}
    return contract.model_copy(
        update={
            "form": said.form,
            "facts": facts,
            "stated": tuple(stated.items()),
            "origins": tuple(origins.items()),
            "framing": f"{contract.framing} {by}",
        }
    )


def _copied(text: str, question: str) -> bool:
    words = re.findall(r"\w+", text.casefold())
    there = set(re.findall(r"\w+", question.casefold()))
    return bool(words) and there.issuperset(words)


def _fact(kind: str, text: str, language: str, named: set[str]) -> RequiredFact | None:
    found = content_terms(text, language)
    words = {term.term: text[term.start : term.end].casefold() for term in found}
    words = {term: word for term, word in words.items() if word not in named and term not in named}
    if not words:
        return None
    given = {"kind": kind, "name": " ".join(words.values()), "terms": tuple(words), "words": tuple(words.values())}
    return RequiredFact.model_validate(given)


def _value(contract: Contract, form: AnswerForm) -> tuple[RequiredFact, ...]:
    """Return the value that the form asks for: the rules' own where they saw the same form."""
    if form == contract.form:
        return tuple(fact for fact in contract.facts if fact.kind == "value")
    if form == "text":
        return ()
    dimensions = ANY_DIMENSION if form == "number" else ()
    return (RequiredFact(kind="value", name=f"a {form}", dimensions=dimensions),)
