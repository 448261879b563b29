"""Two versions of one sentence: the same words in two sources, but for a few that take the place of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from remit.answer.evidence import Evidence
from remit.answer.found import same_value
from remit.answer.opposites import says_opposite
from remit.contract.contract import Contract
from remit.contract.terms import content_terms

_LOOKED_AT: Final = 24
"""Sentences, heaviest first, among which versions are looked for."""
_WEIGHING: Final = 0.6
"""Share of the drafted sentence's weight from which a sentence is about the question as well as that one."""
_SAME_TEXT: Final = 0.75
"""Share of the shorter passage's words that the other one has too, from which both are versions of one text."""
_SAME_WORDS, _LEAST_SAME = 0.5, 3
"""Share and number of the words of a sentence that have to stand in both, in their order."""
_WORD: Final = re.compile(r"\w+(?:[.,:/-]\w+)*")


class Versions(NamedTuple):
    """Two sentences that say the same of the same but for a few words."""

    one: Evidence
    other: Evidence


def versions(
    contract: Contract, cited: tuple[Evidence, ...], weighed: tuple[Evidence, ...], holds: frozenset[str]
) -> Iterator[Versions]:
    """Yield the pairs of versions out of a passage drafted from and another revision, both of which hold.

    They weigh about as much as the drafted sentence, which need not be one of them: a draft may miss the sentence that answers.

    What the question itself names never counts as what differs: two sentences on two things that it tells apart are no
    versions of one.
    """
    heavy = [e for e in weighed[:_LOOKED_AT] if e.weight >= _WEIGHING * cited[0].weight and e.fits]
    standing = [e for e in heavy if e.hit.passage.revision_id in holds and not says_opposite(contract.claim, e.text)]
    rests_on = {evidence.hit.passage.id for evidence in cited}
    asked = _content(contract.question, contract.language)
    for place, one in enumerate(standing):
        for other in standing[place + 1 :]:
            apart = other.hit.passage.revision_id != one.hit.passage.revision_id
            drafted = not {one.hit.passage.id, other.hit.passage.id}.isdisjoint(rests_on)
            if (
                drafted
                and apart
                and not _same(one, other)
                and _replaced(one, other, asked)
                and one_text(one.hit.passage.text, other.hit.passage.text)
            ):
                yield Versions(one, other)


def _same(one: Evidence, other: Evidence) -> bool:
    """Say whether both give the same amount, if in another unit."""
    if one.found is None or other.found is None or one.found.value is None:
        return False
    return isinstance(one.found.value[1], float) and same_value(one.found, other.found)


def _replaced(one: Evidence, other: Evidence, asked: frozenset[str]) -> bool:
    """Say whether a few words of a sentence were replaced by others, and the question names none of what they stand for."""
    first, second = _words(one.text), _words(other.text)
    if one.text == other.text or min(len(first), len(second)) < _LEAST_SAME:
        return False
    steps = [s for s in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if s[0] != "equal"]
    if not steps or any(step[0] != "replace" for step in steps):
        return False
    same = len(first) - sum(step[2] - step[1] for step in steps)
    if same < _LEAST_SAME or same < _SAME_WORDS * max(len(first), len(second)):
        return False
    places = [
        (
            _content(" ".join(first[step[1] : step[2]]), one.hit.source.language),
            _content(" ".join(second[step[3] : step[4]]), other.hit.source.language),
        )
        for step in steps
    ]
    return any(gone != come for gone, come in places) and not any(_tells(gone, come, asked) for gone, come in places)


def _tells(gone: frozenset[str], come: frozenset[str], asked: frozenset[str]) -> bool:
    """Say whether the question tells apart what stands in the same place of two sentences: it names one or both of them.

    A word of one side alone that is no code names nothing where other words stand with it: "president" of "President Ada
    Byron", which "Jo Marsh" replaces.
    """
    for mine, theirs in ((gone, come), (come, gone)):
        said = mine & asked
        if said and (mine == said or theirs & asked or any(char.isdigit() for word in said for char in word)):
            return True
    return False


def one_text(one: str, other: str) -> bool:
    """Say whether two passages are versions of one text: nearly all words of the shorter one stand in the other."""
    first, second = _word_set(one), _word_set(other)
    return len(first & second) >= _SAME_TEXT * min(len(first), len(second))


@lru_cache(maxsize=256)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(_words(text))


def _content(text: str, language: str) -> frozenset[str]:
    return frozenset(term.term for term in content_terms(text, language))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
