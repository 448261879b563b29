"""Which sentence to quote: the rules' weight of each and the span scorer's chance of an answer in it, together.

A few windows are read: those most like the question, and those whose title another of them says, for a question that goes
from one passage to the next finds its answer there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from remit.answer.evidence import Evidence
from remit.answer.orders import states
from remit.answer.span_scorer import Scored, SpanScorer
from remit.answer.titles import plain_title
from remit.answer.windows import Placed, windows
from remit.contract.contract import Contract
from remit.retrieve.retriever import Hit

FIRST, LED_TO = 3, 2
"""Windows read for their likeness to the question, and for being led to by one of those."""
MOST: Final = 1_800
"""Characters read for one question: reading is what an answer costs most."""
WEIGHT: Final = 0.5
"""How much the rules' weight of a sentence counts beside the scorer's chance of it."""
NEAR, CERTAIN = 0.6, 0.6
"""Share of the strongest weight from which a sentence is open to the scorer, and chance from which any is."""
_LEAST: Final = 0.01
_SHORTEST: Final = 4


class Chosen(NamedTuple):
    """A sentence, the scorer's reading of it, and the words of it that the scorer takes for the answer."""

    evidence: Evidence
    scored: Scored
    words: str


def readings(contract: Contract, weighed: Iterable[Evidence], scorer: SpanScorer) -> tuple[Chosen, ...]:
    """Return the sentences of the windows read, likeliest first."""
    held = {(evidence.hit.passage.id, evidence.span.end): evidence for evidence in weighed}
    placed = sorted(promising(tuple(held.values())), key=lambda one: -one.best)
    read = scorer.read(contract, [one.window for one in placed])
    found = []
    for scored in read.scored:
        window = placed[scored.window]
        evidence = held.get((window.hit.passage.id, window.spans[scored.sentence].end))
        if evidence is not None and states(contract.question, evidence.text):
            span = window.spans[scored.sentence]
            sentence = window.hit.passage.quote(span)
            found.append(Chosen(evidence, scored, sentence[scored.start : scored.end]))
    return tuple(found)


def likeliest(contract: Contract, read: tuple[Chosen, ...], strongest: float) -> Chosen | None:
    """Return the sentence that chance and weight together speak for; None of nothing.

    One that weighs far less than the `strongest` by the rules counts only where the scorer is sure of it, or where its
    passage is what the question names or another passage leads to: an answer of the second hop shares few words.
    """
    open_to = [one for one in read if _counts(contract, one, read, strongest)]
    return max(open_to, key=lambda one: (_together(one), one.scored.chance), default=None)


def _counts(contract: Contract, one: Chosen, read: tuple[Chosen, ...], strongest: float) -> bool:
    if one.evidence.weight >= NEAR * strongest or one.scored.chance >= CERTAIN:
        return True
    title = plain_title(one.evidence.hit.source.title)
    others = (other.evidence for other in read if other.evidence.hit is not one.evidence.hit)
    named = title in contract.question.casefold() or any(title in other.text.casefold() for other in others)
    return len(title) >= _SHORTEST and named


def _together(one: Chosen) -> float:
    return one.scored.whole * float(max(one.evidence.weight, _LEAST) ** WEIGHT)


def led_by(contract: Contract, evidence: Evidence, weighed: tuple[Evidence, ...]) -> Evidence | None:
    """Return the heaviest sentence of another passage that names what this one is about, where the question does not."""
    title = plain_title(evidence.hit.source.title)
    if len(title) < _SHORTEST or title in contract.question.casefold():
        return None
    return next((one for one in weighed if one.hit is not evidence.hit and title in one.text.casefold()), None)


def promising(weighed: tuple[Evidence, ...]) -> list[Placed]:
    """Return the windows to read: the two most like the question, those they lead to, and one more."""
    cosines: dict[str, dict[int, float]] = {}
    hits: dict[str, Hit] = {}
    for evidence in weighed:
        if evidence.hit.passage.kind == "prose":
            hits[evidence.hit.passage.id] = evidence.hit
            cosines.setdefault(evidence.hit.passage.id, {})[evidence.span.end] = evidence.cosine
    placed = [
        one
        for id, hit in hits.items()
        for one in windows(hit, [cosines[id].get(span.end, 0.0) for span in hit.passage.sentences])
    ]
    placed.sort(key=lambda one: (-one.best, one.hit.passage.id, one.spans[0].start))
    first = placed[:FIRST]
    said = " ".join(one.window.text.casefold() for one in first)
    titles = {one.window.title: plain_title(one.window.title) for one in placed[FIRST:]}
    led = [
        one for one in placed[FIRST:] if len(titles[one.window.title]) >= _SHORTEST and titles[one.window.title] in said
    ]
    return list(_within(first[:2] + led[:LED_TO] + first[2:]))


def _within(placed: list[Placed]) -> Iterator[Placed]:
    """Yield the windows, in this order, as long as they are not too much to read; one at least."""
    total = 0
    for one in placed:
        total += len(one.window.text)
        if total > MOST and total > len(one.window.text):
            return
        yield one
