"""The extractive answerer: the documents' own sentences at exact spans, and the shortest span that answers. No model."""

from __future__ import annotations

import re
from typing import Final

from remit.access.scope import Scope
from remit.answer.bridge import Joint, strongest
from remit.answer.choose import Chosen, led_by, likeliest, readings
from remit.answer.compare import Verdict, compare
from remit.answer.conditions import place_of
from remit.answer.draft import Citation, Claim, Draft
from remit.answer.evidence import Evidence, weigh
from remit.answer.lives import life_date
from remit.answer.numbers import whole_amount
from remit.answer.span_scorer import SpanScorer, certain, reads
from remit.contract.budget import Budget
from remit.contract.contract import Contract
from remit.contract.frame import interrogative
from remit.contract.terms import term_set
from remit.contract.units import unit
from remit.corpus.document import Passage, Span
from remit.llm.cancel import Patience
from remit.llm.embed import Embed, Vectors
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Hit, Retriever

_LIST_LIMIT: Final = 12
SURE: Final = 0.1
"""Chance of a span from which the scorer's word goes before the rules' and the whole sentence's."""
_WRITTEN: Final = 0.9
"""Support of a value that a passage about the thing itself writes down."""
_REASON: Final = re.compile(
    r"\b(?:because|due to|owing to|so that|in order to|weil|parce que)\b[^;]+|(?<=, )since\b[^;]+", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+")
_LEADING: Final = re.compile(r"(?:because|due to|owing to|weil|parce que)\b[^,;]+(?=,)", re.IGNORECASE)
"""A reason that opens its sentence ends at the comma."""


class Extractive:
    """Answers with a quotation: the heaviest sentence of the ranking, and the span of it that answers.

    Rules find that span, and where they are not certain, the span scorer, if the encoder is the one it was trained on.
    """

    def __init__(self, embed: Embed, retriever: Retriever) -> None:
        """Take the encoder of questions and the retriever that keeps sentence vectors."""
        self._embed = embed
        self._retriever = retriever
        self._last: tuple[tuple[Contract, tuple[Hit, ...], str], tuple[Evidence, ...]] | None = None
        reader = reads(embed)
        self._scorer = None if reader is None else SpanScorer(reader)
        self.name = "extractive/1" if self._scorer is None else f"extractive/3 {self._scorer.name}"

    def draft(self, contract: Contract, ranking: Ranking, scope: Scope, budget: Budget, patience: Patience) -> Draft:
        """Return a draft that quotes one sentence, or a list with its lead-in; no passages: an empty draft."""
        patience.check()
        verdict = compare(contract, ranking)
        if verdict is not None:
            return _compared(verdict, self.name)
        weighed = self.weigh(contract, ranking, scope)
        best = strongest(contract, ranking, weighed)
        if best is None:
            return Draft(answer=None, method=self.name, why="no passage to answer from")
        chosen = self._chosen(contract, best, weighed)
        if chosen is not None:
            return self._read(contract, best, chosen, weighed)
        quote, answer = self._quoted(contract, best.main)
        cited = [_citation(best.main, quote)]
        if best.tie is not None:
            cited.append(_citation(best.tie, best.tie.span))
        claim = Claim(text=cited[0].quote, citations=tuple(cited), support=best.weight)
        return Draft(answer=answer, claims=(claim,), confidence=best.weight, method=self.name)

    def weigh(self, contract: Contract, ranking: Ranking, scope: Scope) -> tuple[Evidence, ...]:
        """Return the ranking's sentences, heaviest first. What was weighed last is kept: who observes asks for the same."""
        asked, last = (contract, ranking.hits, scope.digest), self._last
        if last is None or last[0] != asked:
            last = self._last = (asked, self._weigh(contract, ranking, scope))
        return last[1]

    def _weigh(self, contract: Contract, ranking: Ranking, scope: Scope) -> tuple[Evidence, ...]:
        if not ranking.hits:
            return ()
        question = self._embed.embed(list(dict.fromkeys((contract.claim, interrogative(contract.claim)))))
        return weigh(
            contract,
            ranking,
            question,
            lambda passage: self._vectors(passage, scope),
            self._likeness,
        )

    def _vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Return one vector a sentence; a passage that was cut to some of its sentences has none stored of that cut."""
        stored = self._retriever.sentence_vectors(passage, scope)
        if len(stored) == len(passage.sentences):
            return stored
        return self._embed.embed([passage.quote(span) for span in passage.sentences])

    def _likeness(self, word: str, others: tuple[str, ...]) -> float:
        one = self._embed.embed([word])[0]
        return max((float(one @ self._embed.embed([other])[0]) for other in others), default=0.0)

    def _chosen(self, contract: Contract, best: Joint, weighed: tuple[Evidence, ...]) -> Chosen | None:
        """Return the sentence and words that the scorer takes for the answer, where it is to be asked and is sure."""
        ruled = None if best.main.found is None else best.main.found.text
        if self._scorer is None or best.main.hit.passage.kind == "table" or certain(contract, best.main.text, ruled):
            return None
        chosen = likeliest(contract, readings(contract, weighed, self._scorer), best.main.weight)
        if chosen is None or chosen.scored.chance < SURE or _within(chosen, best.main):
            return None
        words = chosen.words
        repeats = term_set(words) <= term_set(contract.question) or unit(words) is not None
        return None if repeats else chosen

    def _read(self, contract: Contract, best: Joint, chosen: Chosen, weighed: tuple[Evidence, ...]) -> Draft:
        """Return the draft of what was read: the sentence, with the one that ties it to the question where there is one."""
        evidence = chosen.evidence
        tie = best.tie if evidence is best.main else led_by(contract, evidence, weighed)
        cited = tuple(_citation(one, one.span) for one in (evidence, tie) if one is not None)
        claim = Claim(text=cited[0].quote, citations=cited, support=evidence.weight)
        answer = life_date(contract.claim, evidence.text) or whole_amount(
            chosen.words.strip().rstrip("."), evidence.text
        )
        chance = round(chosen.scored.chance, 6)
        return Draft(answer=answer, claims=(claim,), confidence=evidence.weight, chance=chance, method=self.name)

    def _quoted(self, contract: Contract, best: Evidence) -> tuple[Span, str]:
        """Return the span to quote and the answer; a lead-in that ends in a colon brings the items that follow it."""
        passage = best.hit.passage
        follows = [span for span in passage.sentences if span.start >= best.span.end]
        if best.text.rstrip().endswith(":") and follows:
            items = follows[:_LIST_LIMIT]
            shown = [passage.quote(item).strip(" -*•\t").rstrip(".;,") for item in items]
            return Span(best.span.start, items[-1].end), "; ".join(shown)
        found = best.found
        answer = life_date(contract.claim, best.text) or _reason(contract, best.text) or _placed(contract, best)
        answer = answer or (best.text if found is None else found.text)
        short = contract.form in {"name", "list", "date", "number"} or answer != best.text
        return best.span, answer.strip().rstrip(".") if short else answer.strip()


def _within(chosen: Chosen, best: Evidence) -> bool:
    """Say whether the scorer only takes a part of the words that the rules take of the same sentence."""
    found = best.found
    short = found is not None and found.text != best.text and chosen.evidence is best
    words = _ARTICLE.sub("", chosen.words.casefold())
    return short and found is not None and words in found.text.casefold()


def _placed(contract: Contract, best: Evidence) -> str | None:
    """Return a bare yes or no with the heading that says where its rule holds, where the question leaves that open."""
    if best.found is None or best.found.value is None or best.found.value[0] != "boolean":
        return None
    place = place_of(contract.question, best.text, best.hit.passage.section[1:], contract.language)
    return None if place is None else f"{best.found.text} ({place})"


def _compared(verdict: Verdict, method: str) -> Draft:
    """Return the draft of a comparison: a claim for each sentence that it rests on, those with the values first."""
    claims = []
    for part in verdict.rests_on:
        passage = part.hit.passage
        citation = Citation.of(
            document=passage.document,
            revision=passage.revision,
            passage=passage.id,
            span=part.span,
            quote=passage.quote(part.span),
        )
        claims.append(Claim(text=citation.quote, citations=(citation,), support=_WRITTEN))
    return Draft(answer=verdict.answer, claims=tuple(claims), confidence=_WRITTEN, method=f"{method} compared")


def _reason(contract: Contract, sentence: str) -> str | None:
    """Return the clause that says why, where that is asked and the sentence has one."""
    if not any(fact.dimensions == ("reason",) for fact in contract.facts):
        return None
    found = _LEADING.match(sentence) or _REASON.search(sentence)
    return None if found is None else found.group()


def _citation(evidence: Evidence, span: Span) -> Citation:
    passage = evidence.hit.passage
    return Citation.of(
        document=passage.document,
        revision=passage.revision,
        passage=passage.id,
        span=span,
        quote=passage.quote(span),
    )
