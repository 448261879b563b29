"""A question's candidates with what is found out about each once, before anything is counted."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.contract import Contract
from remit.llm.embed import Vectors
from remit.rerank.words import asked_terms, name_of, phrase, spoken, terms_of
from remit.retrieve.retriever import Hit

Array = NDArray[np.float64]
_SHARP: Final = 0.08
"""Of fused scores: a row so far below the best weighs 1/e."""


class Table(NamedTuple):
    """Candidates with what is found out about each once: n rows, sentences as unit vectors."""

    hits: list[Hit]
    asked: tuple[str, ...]
    question: tuple[str, ...]
    asked_phrase: str
    sentences: list[Vectors]
    nearness: list[Array]
    words: list[tuple[str, ...]]
    phrases: list[str]
    names: list[str]
    terms: list[frozenset[str]]
    titles: list[frozenset[str]]
    carried: Array
    weights: Array

    @classmethod
    def of(cls, contract: Contract, hits: list[Hit], question: Array, sentences: list[Vectors]) -> Table:
        """Return the table of candidates; terms of the question weigh by how few of the candidates hold them."""
        language = contract.language
        asked, heard = asked_terms(contract.claim, language), spoken(contract.claim)
        words = [spoken(hit.passage.text) for hit in hits]
        titles = [terms_of(spoken(" ".join((hit.source.title, *hit.passage.section))), language) for hit in hits]
        held = [terms_of(said, language) for said in words]
        carried = np.array(
            [[float(term in own or term in title) for term in asked] for own, title in zip(held, titles, strict=True)]
        ).reshape(len(hits), len(asked))
        rarity = np.log(1.0 + (len(hits) + 1.0) / (carried.sum(axis=0) + 0.5))
        return cls(
            hits=hits,
            asked=asked,
            question=heard,
            asked_phrase=phrase(heard),
            sentences=sentences,
            nearness=[_near(rows, question) for rows in sentences],
            words=words,
            phrases=[phrase(said) for said in words],
            names=[name_of(hit.source.title) for hit in hits],
            terms=held,
            titles=titles,
            carried=carried,
            weights=rarity / rarity.sum() if len(asked) else rarity,
        )

    @property
    def fused(self) -> Array:
        """Return the scores that the search gave."""
        return np.array([hit.score for hit in self.hits], dtype=np.float64)

    @property
    def relevance(self) -> Array:
        """Return for each row a weight in (0, 1], 1 for the best one found."""
        fused = self.fused
        best: Array = np.exp((fused - fused.max(initial=-np.inf)) / _SHARP) if len(fused) else fused
        return best

    @property
    def asked_for(self) -> Array:
        """Say for each row whether the question names its title."""
        return np.array([float(bool(name) and name in self.asked_phrase) for name in self.names])


def _near(rows: Vectors, question: Array) -> Array:
    """Return the cosines of a passage's sentences with the question."""
    if not len(rows) or rows.shape[1] != len(question):
        return np.zeros(0)
    return np.clip(rows.astype(np.float64) @ question, -1.0, 1.0)
