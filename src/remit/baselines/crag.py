"""CRAG (Yan et al., 2024): score the passages; keep the best strips of good ones, look elsewhere where none is good, or both.

Faithful: any passage at the upper threshold makes the retrieval correct, any at the lower one ambiguous, else it is incorrect; correct keeps the best six
strips (three sentences or fifty words) of the passages at the upper threshold, rescored; incorrect asks an outside source with at most three keywords; ambiguous
does both. Emulated: the T5 evaluator is a sentence encoder's cosine, brought to the published scale by a logistic fit on 500 training questions of nq; the published
thresholds are per task, those of PopQA stand here. The outside source is the corpus that the asker may read beyond the first search: another approved collection where
there is one; the web never. Keywords come from the question's content words where there is no chat model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.reading import labelled
from remit.baselines.system import Need
from remit.baselines.work import Work, once
from remit.contract.terms import content_terms
from remit.corpus.document import Span
from remit.retrieve.retriever import Hit

PROMPT: Final = "crag.txt"
Verdict = Literal["correct", "ambiguous", "incorrect"]


class Scored(NamedTuple):
    """A passage or a strip of one, and its score in [-1, 1]."""

    hit: Hit
    score: float


@dataclass(frozen=True, slots=True)
class Crag:
    """Corrects retrieval before the one answer. `slope` and `middle` bring a cosine to the evaluator's scale."""

    k: int = 10
    upper: float = 0.592
    lower: float = -0.995
    strips: int = 6
    sentences: int = 3
    words: int = 50
    keywords: int = 3
    slope: float = 15.0
    middle: float = 0.64
    paper: str = "Yan et al. (2024), Corrective Retrieval Augmented Generation"

    @property
    def name(self) -> str:
        """Its name with its thresholds."""
        return f"crag upper={self.upper} lower={self.lower}"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beyond the common parts: without a model, keywords are the question's content words."""
        return frozenset()

    def answer(self, work: Work) -> Draft:
        """Return the draft from the strips that were kept."""
        hits = work.search(work.question, self.k)
        scored = self.scored(work, hits)
        said = self.judged([one.score for one in scored])
        work.did(said)
        strips: list[Hit] = []
        if said != "incorrect":
            good = [one.hit for one in scored if said == "ambiguous" or one.score >= self.upper]
            strips += self.refined(work, good)
        if said != "correct":
            strips += self.refined(work, work.search(self._keywords(work), self.k))
        return work.draft(strips)

    def judged(self, scores: Sequence[float]) -> Verdict:
        """Return what the scores of the passages make of the retrieval; no passage at all is incorrect."""
        best = max(scores, default=-math.inf)
        return "correct" if best >= self.upper else "ambiguous" if best >= self.lower else "incorrect"

    def scored(self, work: Work, hits: Iterable[Hit], strips: Iterable[Hit] | None = None) -> list[Scored]:
        """Return the score of each passage, or of each strip of one: that of its sentence most like the question."""
        whole = list(hits)
        question = work.means.embed.embed([work.question])[0]
        near: dict[tuple[str, int], float] = {}
        for hit in whole:
            vectors = work.means.line.retriever.sentence_vectors(hit.passage, work.asked.scope)
            starts = [span.start for span in hit.passage.sentences]
            near |= {(hit.passage.id, start): float(row @ question) for start, row in zip(starts, vectors, strict=True)}
        return [Scored(hit, self._scale(_nearest(hit, near))) for hit in (whole if strips is None else strips)]

    def refined(self, work: Work, hits: Iterable[Hit]) -> list[Hit]:
        """Return the best strips of passages, best first: each a stretch of its passage, where a quotation is found."""
        whole = once(hits)
        strips = [strip for hit in whole for strip in cut(hit, self.sentences, self.words)]
        work.did("refine")
        scored = self.scored(work, whole, strips)
        return [one.hit for one in sorted(scored, key=lambda one: -one.score)[: self.strips]]

    def _scale(self, cosine: float) -> float:
        return 2.0 / (1.0 + math.exp(-self.slope * (cosine - self.middle))) - 1.0

    def _keywords(self, work: Work) -> str:
        words = list(dict.fromkeys(term.term for term in content_terms(work.question)))[: self.keywords]
        if work.means.chat is None:
            return " ".join(words) or work.question
        reply = work.say(load(PROMPT), max_tokens=32, question=work.question, keywords=str(self.keywords))
        work.did("rewrite")
        said = labelled(reply.text, "KEYWORDS")
        named = [part.strip(" .\"'") for part in (said or "").replace(";", ",").split(",")]
        return " ".join([part for part in named if part][: self.keywords]) or " ".join(words) or work.question


def cut(hit: Hit, sentences: int, words: int) -> list[Hit]:
    """Return a passage's strips: so many sentences, or fewer once they have so many words."""
    passage, strips = hit.passage, []
    held: list[Span] = []
    for span in passage.sentences or (Span(passage.start, passage.end),):
        held.append(span)
        if len(held) == sentences or sum(len(passage.quote(one).split()) for one in held) >= words:
            strips.append(_strip(hit, held))
            held = []
    return strips + ([_strip(hit, held)] if held else [])


def _nearest(hit: Hit, near: Mapping[tuple[str, int], float]) -> float:
    """Return the cosine of the sentence of a passage, or of a strip of it, that is most like the question; -1 without any."""
    return max((near[hit.passage.id, span.start] for span in hit.passage.sentences), default=-1.0)


def _strip(hit: Hit, spans: list[Span]) -> Hit:
    """Return the stretch of a passage as a passage of its own, at its place in the document."""
    start, end = spans[0].start, spans[-1].end
    text = hit.passage.quote(Span(start, end))
    changed = {"start": start, "end": end, "text": text, "sentences": tuple(spans)}
    return hit.model_copy(update={"passage": hit.passage.model_copy(update=changed)})
