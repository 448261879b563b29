"""What the command line says to people: plain text, 80 columns, nothing a terminal would obey."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from remit.answer.draft import Citation
from remit.contract.budget import Budget
from remit.decide.decision import Action
from remit.observe.observation import Agreement, CitationCheck, Coverage, Observation, Relevance
from remit.record.answered import Answered, Place

WIDTH: Final = 80
_OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters and the marks that reverse the direction of text: a document must not steer a terminal."""

WHY: Final = {
    "new_plan": "a plan that was not tried yet may establish what is missing",
    "supported": "every required fact is supported and every citation verifies",
    "nothing_readable": "nothing you may read is named by the question",
    "outside_scope": "a passage in use lies outside what you may read",
    "access_unmeasured": "what you may read could not be established",
    "parameter_open": "the answer depends on something the question leaves open",
    "revision_ambiguous": "the question fits several revisions",
    "sources_contradict": "authoritative sources contradict each other",
    "nothing_found": "nothing was found",
    "not_relevant": "what was found is not about the question",
    "fact_missing": "a required fact is not supported by what was found",
    "revision_not_established": "it is not established that the revision found holds",
    "citation_unverified": "a citation could not be verified",
    "draft_differs": "the draft differs from its own source",
    "not_applicable": "what was found holds for something else",
    "reading_unmeasured": "a reading that the decision rests on could not be taken",
    "budget_exhausted": "the time or the budget ran out",
    "changed_since": "the source changed while the answer was made",
    "part_failed": "a part of the service failed",
    "not_answerable_from_readable": "it cannot be answered from what you may read",
}


def plain(text: str) -> str:
    """Return text that is safe to print: no escape sequences, no reversed lines."""
    return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def as_json(data: Any) -> str:
    """Return indented JSON in which control characters and direction marks are escapes."""
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    return re.sub(
        r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text
    )


def folded(text: str, *, lead: str = "", hang: str | None = None) -> str:
    """Return text wrapped at 80 columns; `lead` opens the first line, `hang` the others (default: as many blanks)."""
    rest = " " * len(lead) if hang is None else hang
    lines = plain(text).splitlines() or [""]
    wrapped = (
        textwrap.fill(line, WIDTH, initial_indent=lead if first else rest, subsequent_indent=rest)
        for first, line in zip([True] + [False] * len(lines), lines, strict=False)
    )
    return "\n".join(line.rstrip() for line in wrapped)


def answered(done: Answered) -> Iterator[str]:
    """Yield the lines of an asker's view: decision, answer with citations, what is missing, why."""
    outcome = done.outcome
    yield str(outcome.shown.action).upper().replace("_", " ")
    yield ""
    if outcome.answer is not None:
        marks = "".join(f"[{number}]" for number in range(1, len(outcome.citations) + 1))
        yield folded(f"{outcome.answer} {marks}", lead="  ")
    elif outcome.message:
        yield folded(outcome.message, lead="  ")
    for key, values in outcome.choices:
        yield folded(", ".join(values), lead=f"  {plain(key)}: ")
    for number, citation in enumerate(outcome.citations, start=1):
        yield ""
        yield from cited(number, citation, done.places.get(citation.passage))
    if outcome.shown.action is Action.REVIEW:
        yield from _contradicting(done)
    if outcome.shown.missing and outcome.answer is None:
        yield ""
        yield folded(", ".join(outcome.shown.missing), lead="missing  ")
    yield ""
    yield folded(why(done), lead="why      ")
    yield folded(done.trace, lead="trace    ")


def cited(number: int, citation: Citation, place: Place | None) -> Iterator[str]:
    """Yield a numbered citation: document, revision and section, then the quotation."""
    where = str(place or Place(citation.document, citation.revision, "", ()))
    yield folded(where, lead=f"  [{number}] ")
    yield folded(f"“{citation.quote}”", lead="      ")


def _contradicting(done: Answered) -> Iterator[str]:
    """Yield the sources that contradict each other, each once, where the outcome may name them."""
    if done.outcome.closed or done.observation is None or not isinstance(done.observation.agreement, Agreement):
        return
    pairs = ((conflict.first, conflict.second) for conflict in done.observation.agreement.conflicts)
    for passage in dict.fromkeys(one for pair in pairs for one in pair):
        yield folded(str(done.places.get(passage, passage)), lead="  -   ")


def why(done: Answered) -> str:
    """Return one line: the reason in words, and where the outcome is open, what it was read off."""
    reason = WHY[done.outcome.shown.reason]
    told = not done.outcome.closed and done.outcome.shown.action is not Action.DENY
    if not told or done.observation is None or done.budget is None:
        return reason
    rounds = f"{done.rounds} more {'search' if done.rounds == 1 else 'searches'}" if done.rounds else "first search"
    return f"{reason} ({', '.join([*_figures(done.observation), rounds])})"


def spent(budget: Budget, seconds: float) -> str:
    """Return what a question used of its limits."""
    used, limits = budget.used, budget.limits
    price = "unknown" if used.price is None else f"{used.price:g}"
    return (
        f"rounds {used.rounds} of {limits.rounds}, model calls {used.model_calls} of {limits.model_calls}, "
        f"tokens {used.tokens} of {limits.tokens}, {seconds:.2f} s of {limits.seconds:g} s, price {price}"
    )


def _figures(seen: Observation) -> Iterator[str]:
    if isinstance(seen.relevance, Relevance):
        yield f"relevance {seen.relevance.best:.2f}"
    if isinstance(seen.coverage, Coverage):
        yield f"coverage {seen.coverage.share:.2f}"
    if isinstance(seen.citations, CitationCheck):
        yield f"{len(seen.citations.verified)} of {len(seen.citations.verified + seen.citations.failed)} quotes verified"
