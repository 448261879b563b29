"""A second quotation that ties the words of the question to the sentence quoted, where that sentence uses others.

Three kinds tie: a sentence that says what a word means ("Barrier liquid is the shop-floor name for quench fluid"); a
sentence of a subsection, where the quoted one stands in the section above and speaks for all of its subsections; and a
sentence that names the key of the table row quoted ("P-101 is a pump of model KX-250" for the row of KX-250).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from remit.answer.definitions import Definition, definitions
from remit.answer.evidence import Evidence, joint_weight
from remit.answer.facts import among, words_of
from remit.contract.contract import Contract
from remit.contract.terms import codes, term_set
from remit.rerank.ranking import Ranking

_CONSIDERED: Final = 20
_COST: Final = 0.97
"""What a second quotation costs: one sentence that says it all is the better evidence."""


class Joint(NamedTuple):
    """A sentence, the one that ties it to the question (None where it needs none), and their weight together."""

    main: Evidence
    tie: Evidence | None
    weight: float

    @property
    def cited(self) -> tuple[Evidence, ...]:
        """Return the one or two sentences."""
        return (self.main,) if self.tie is None else (self.main, self.tie)


def strongest(contract: Contract, ranking: Ranking, weighed: tuple[Evidence, ...]) -> Joint | None:
    """Return the sentence that carries the question best, alone or with one that ties it; None of nothing."""
    defined = {id(hit): tuple(definitions(hit)) for hit in {id(one.hit): one.hit for one in weighed}.values()}
    meanings = {id(evidence): tuple(_said(evidence, defined[id(evidence.hit)])) for evidence in weighed}
    words, joints = words_of(contract, ranking), []
    for main in weighed[:_CONSIDERED]:
        joints.append(Joint(main, None, main.weight))
        tie = _tie(contract, main, weighed, meanings) if main.fits else None
        if tie is not None:
            weight = joint_weight(contract, words, (main, tie))
            joints.append(Joint(main, tie, _COST * weight))
    return max(joints, key=lambda joint: joint.weight, default=None)


Meanings = dict[int, tuple[Definition, ...]]


def _tie(contract: Contract, main: Evidence, weighed: tuple[Evidence, ...], meanings: Meanings) -> Evidence | None:
    """Return the sentence that carries most of what `main` lacks of the question and is tied to it, or None."""
    missing = [term for fact in contract.facts if fact.kind in {"topic", "entity"} for term in fact.terms]
    missing = [term for term in missing if not _holds(main, term)]
    best, most = None, (0, 0.0)
    for other in weighed if missing else ():
        tied = other is not main and (
            _means(meanings[id(other)], main) or _below(other, main) or _names_row(contract, other, main)
        )
        carries = (sum(_holds(other, term) for term in missing), other.weight) if tied else (0, 0.0)
        if carries[0] and carries > most:
            best, most = other, carries
    return best


def _said(evidence: Evidence, defined: tuple[Definition, ...]) -> Iterator[Definition]:
    """Yield the definitions of a passage that a sentence of it gives itself."""
    for definition in defined:
        if definition.term in evidence.text and definition.meaning in evidence.text:
            yield definition


def _holds(evidence: Evidence, term: str) -> bool:
    said = " ".join((evidence.hit.source.title, *evidence.hit.passage.section, evidence.text))
    return among(term, term_set(said, evidence.hit.source.language))


def _means(said: tuple[Definition, ...], main: Evidence) -> bool:
    """Say whether what is defined is meant by words or a code that `main` uses."""
    language = main.hit.source.language
    around = " ".join((main.hit.source.title, *main.hit.passage.section, main.text))
    for definition in said:
        named = set(codes(definition.meaning))
        if named:
            return bool(named & set(codes(around)))
        meaning = term_set(definition.meaning, language)
        return bool(meaning) and len(meaning & term_set(around, language)) * 2 >= len(meaning)
    return False


def _names_row(contract: Contract, other: Evidence, main: Evidence) -> bool:
    """Say whether `other` is prose that names the key of the row quoted: the code in its first cell.

    A row whose key the question itself names needs no tie; what it lacks, prose about the same key does not give it.
    """
    if main.hit.passage.kind != "table" or other.hit.passage.kind == "table":
        return False
    _, _, key = main.text.split(";")[0].partition(":")
    keys = set(codes(key))
    return bool(keys & set(codes(other.text))) and not keys & set(codes(contract.question))


def _below(other: Evidence, main: Evidence) -> bool:
    """Say whether `other` stands in a subsection of the section that `main` stands in; a whole document is no section."""
    mine, section = main.hit.passage.section, other.hit.passage.section
    same = other.hit.passage.revision_id == main.hit.passage.revision_id
    return same and len(section) == len(mine) + 1 and section[: len(mine)] == mine and len(mine) > 1
