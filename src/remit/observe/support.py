"""How likely the draft is to be supported: signals of evidence and draft, and what the learned evaluator makes of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from remit.answer.draft import Draft
from remit.answer.evidence import Evidence, quoted
from remit.answer.found import same_value
from remit.contract.contract import Contract
from remit.contract.terms import content_terms, term_set
from remit.observe.evaluator import Evaluator
from remit.observe.names import of_names
from remit.observe.observation import Coverage, Relevance, Signal, Support
from remit.observe.versions import one_text
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit

METHOD: Final = "signals/4"
_FORMS: Final = ("number", "date", "name", "boolean", "list", "text")
_KINDS: Final = ("topic", "focus", "entity", "value")
_NEAR: Final = 5
_LOOKED_AT: Final = 12


class Seen(NamedTuple):
    """What the signals are taken from, besides contract and draft: `relevance` and `coverage` among it are those readings."""

    found: Candidates
    ranking: Ranking
    weighed: tuple[Evidence, ...]
    relevance: Relevance
    coverage: Coverage


def support(contract: Contract, draft: Draft, seen: Seen, evaluator: Evaluator | None) -> Support:
    """Return the reading. Every signal comes from the question, the draft and passages inside the scope."""
    signals = tuple(
        (name, None if value is None else round(value, 6)) for name, value in _signals(contract, draft, seen)
    )
    reading = Support(probability=None, signals=signals, method=METHOD)
    return reading if evaluator is None else judged(reading, evaluator, drafted=draft.answer is not None)


def judged(reading: Support, evaluator: Evaluator, *, drafted: bool) -> Support:
    """Return the same signals with what an evaluator makes of them; what was not drafted is certainly not supported."""
    probability = evaluator.probability(dict(reading.signals)) if drafted else 0.0
    return reading.model_copy(update={"probability": round(probability, 6), "method": f"{METHOD} {evaluator.name}"})


def _signals(contract: Contract, draft: Draft, seen: Seen) -> Iterator[Signal]:
    cited = quoted(draft, seen.weighed)
    main = cited[0] if cited else None
    yield "relevance", seen.relevance.best
    yield "coverage", seen.coverage.share
    chances = {score.passage: score.probability for score in seen.relevance.passages}
    yield "likeliest", max(chances.values(), default=None)
    yield "likely", None if main is None else chances.get(main.hit.passage.id)
    yield "confidence", draft.confidence
    yield "words", draft.chance
    yield "passages", float(seen.ranking.k)
    yield "quotations", float(len(draft.citations))
    yield from ((f"form_{form}", float(contract.form == form)) for form in _FORMS)
    yield "answer_words", math.log1p(len((draft.answer or "").split()))
    yield from _of_search(seen.found.hits, None if main is None else main.hit.passage.id)
    yield from _of_sentence(contract, main)
    yield from _of_rivals(main, seen.weighed)
    yield from of_names(contract, seen.ranking, main, seen.weighed)


def _of_search(hits: tuple[Hit, ...], cited: str | None) -> Iterator[Signal]:
    """Yield how far the cited passage and the first ones stand out of what was found; versions of a text count as one."""
    texts = _distinct(hits)
    dense = sorted((hit.dense for hit in texts if hit.dense is not None), reverse=True)
    lexical = sorted((hit.lexical for hit in texts if hit.lexical is not None), reverse=True)
    place = next((place for place, hit in enumerate(hits) if hit.passage.id == cited), None)
    hit = None if place is None else hits[place]
    yield "rank", None if place is None else 1.0 / (1.0 + place)
    yield "dense", None if hit is None else hit.dense
    yield "dense_first", _at(dense, 0)
    yield "dense_gap", _gap(dense, 1)
    yield "dense_lead", _gap(dense, _NEAR)
    yield "lexical_first", _at(lexical, 0)
    yield "lexical_lead", _ratio(_at(lexical, _NEAR), _at(lexical, 0))
    yield "lexical_share", None if hit is None else _ratio(hit.lexical, _at(lexical, 0))
    yield "dense_behind", None if hit is None or hit.dense is None or not dense else dense[0] - hit.dense


def _of_sentence(contract: Contract, main: Evidence | None) -> Iterator[Signal]:
    """Yield how far the quoted sentence, its passage and its title speak of what the question speaks of."""
    asked = frozenset(term.term for term in content_terms(contract.claim, contract.language))
    yield "question_words", math.log1p(len(asked))
    yield "cosine", None if main is None else main.cosine
    yield "weight", None if main is None else main.weight
    for kind in _KINDS:
        carried = () if main is None else zip(contract.facts, main.support, strict=True)
        yield f"support_{kind}", min((share for fact, share in carried if fact.kind == kind), default=None)
    if main is None:
        yield from (
            (name, None) for name in ("spans", "sentence_words", "in_sentence", "in_passage", "in_title", "title")
        )
        return
    passage, title = main.hit.passage, term_set(main.hit.source.title, main.hit.source.language)
    yield "spans", float(main.found is not None and main.found.text != main.text)
    yield "sentence_words", math.log1p(len(main.text.split()))
    yield "in_sentence", _share(asked, term_set(main.text, main.hit.source.language))
    yield "in_passage", _share(asked, term_set(passage.text, main.hit.source.language) | title)
    yield "in_title", _share(asked, title)
    yield "title", _share(title, term_set(contract.claim, contract.language))


def _of_rivals(main: Evidence | None, weighed: tuple[Evidence, ...]) -> Iterator[Signal]:
    """Yield how far the quoted sentence stands out of those of other texts, and how many of them say the same."""
    if main is None:
        yield from ((name, None) for name in ("weight_lead", "cosine_lead", "agreeing", "beside"))
        return
    others: dict[str, Evidence] = {}
    versions = {e.hit.passage.id: one_text(main.hit.passage.text, e.hit.passage.text) for e in weighed}
    for evidence in weighed:
        if evidence.hit.source.document != main.hit.source.document and not versions[evidence.hit.passage.id]:
            others.setdefault(evidence.hit.source.document, evidence)
    beside = [e.weight for e in weighed if e is not main and e.hit.passage.id == main.hit.passage.id]
    yield "weight_lead", main.weight - max((e.weight for e in others.values()), default=0.0)
    yield "cosine_lead", main.cosine - max((e.cosine for e in others.values()), default=0.0)
    value = main.found
    same = [e for e in others.values() if value is not None and e.found is not None and same_value(value, e.found)]
    yield "agreeing", float(len(same))
    yield "beside", max(beside, default=None)


def _distinct(hits: tuple[Hit, ...]) -> list[Hit]:
    """Return the first hits without those whose text is a version of one before."""
    kept: list[Hit] = []
    for hit in hits[:_LOOKED_AT]:
        if not any(one_text(hit.passage.text, other.passage.text) for other in kept):
            kept.append(hit)
    return kept


def _share(wanted: frozenset[str], there: frozenset[str]) -> float | None:
    return len(wanted & there) / len(wanted) if wanted else None


def _at(values: list[float], place: int) -> float | None:
    return values[place] if place < len(values) else None


def _gap(values: list[float], place: int) -> float | None:
    return values[0] - values[place] if place < len(values) else None


def _ratio(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other
