"""What goes with the passages that were chosen, so that a small choice hides nothing a decision rests on.

A passage of the same text on another thing, or of another version, is its twin: which of them holds is not for a reranker to
say. And what is only informative does not stand alone where an authoritative source was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from remit.contract.terms import content_terms
from remit.rerank.words import spoken
from remit.retrieve.retriever import Hit

MOST: Final = 2
"""So many twins of one passage, and so many authoritative passages, are sent with the choice."""
_SAME: Final = 0.7
"""Share of the longer text's content words that the other one has too, from which both are of one text."""
_UNDER_ONE_HEADING: Final = 0.4
"""Share of the shorter text's, where both stand under a heading of the same words in documents of their own."""
_LEAST: Final = 5
_LONGEST: Final = 8000
"""So many characters of a passage are compared."""


def in_company(chosen: Sequence[Hit], candidates: Sequence[Hit], *, most: int) -> tuple[Hit, ...]:
    """Return what was chosen, each passage followed by its twins, and last the authoritative passages that are called for.

    `candidates` are in the order found; there are at most `most` in all, and nothing that was chosen makes room.
    """
    taken, sent = {hit.passage.id for hit in chosen}, list[Hit]()
    room = most - len(chosen)

    def joining(those: Iterable[Hit]) -> list[Hit]:
        return list(islice((hit for hit in those if hit.passage.id not in taken), max(0, min(MOST, room))))

    for hit in chosen:
        with_it = joining(other for other in candidates if twins(hit, other))
        taken.update(other.passage.id for other in with_it)
        room -= len(with_it)
        sent += [hit, *with_it]
    if sent and not any(_authoritative(hit) for hit in sent):
        sent += joining(filter(_authoritative, candidates))
    return tuple(sent)


def _authoritative(hit: Hit) -> bool:
    return hit.source.authority == "authoritative"


def twins(one: Hit, other: Hit) -> bool:
    """Say whether two passages of different revisions are of one text, but for what it is about."""
    if one.source.id == other.source.id:
        return False
    first, second = _words(one), _words(other)
    shorter, longer = sorted((len(first), len(second)))
    if shorter < _LEAST:
        return False
    shared, heading = len(first & second), _heading(one)
    under_one = bool(heading) and heading == _heading(other)
    return shared >= _SAME * longer or (under_one and shared >= _UNDER_ONE_HEADING * shorter)


def _heading(hit: Hit) -> tuple[str, ...]:
    """Return the words of the innermost heading, without its number."""
    return tuple(word for word in spoken(" ".join(hit.passage.section[-1:])) if not word.isdigit())


def _words(hit: Hit) -> frozenset[str]:
    return frozenset(term.term for term in content_terms(hit.passage.text[:_LONGEST], hit.source.language))
