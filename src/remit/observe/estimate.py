"""RePAIR's coarse estimate without a chat model: does the response look correct, yes or no, from the response alone.

A small calibrated head over signals of question and response, in the place of the paper's judge: a departure, measured beside
it (docs/adr/0031). Nothing of what was retrieved is looked at but what the response itself quotes.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Final

from remit.answer.draft import Draft
from remit.contract.contract import Contract
from remit.contract.terms import content_terms, term_set
from remit.observe.evaluator import Evaluator
from remit.observe.observation import Estimate

WEIGHTS: Final = "estimate.json"
_LONG, _WORDS = 6, 12


def signals(contract: Contract, draft: Draft) -> dict[str, float]:
    """Return what the head goes by, by name."""
    answer, language = draft.answer or "", contract.language
    words, quote = answer.split(), " ".join(citation.quote for citation in draft.citations)
    asked = {term.term for term in content_terms(contract.claim, language)}
    said, told = term_set(quote, language), term_set(answer, language)
    opening = (contract.claim.split() or [""])[0].casefold()
    digits, names = any(char.isdigit() for char in answer), answer[:1].isupper()
    return {
        "confidence": draft.confidence,
        "confidence squared": draft.confidence**2,
        "support": min((claim.support for claim in draft.claims), default=0.0),
        "words": min(len(words), _WORDS) / _WORDS,
        "one word": float(len(words) == 1),
        "long": float(len(words) > _LONG),
        "whole quote": float(bool(answer) and len(answer) >= 0.9 * len(quote)),
        "digits": float(digits),
        "capital": float(names),
        "date wanted and given": float(contract.form == "date" and digits),
        "number wanted and given": float(contract.form == "number" and digits),
        "name wanted and given": float(contract.form == "name" and names and not digits),
        "text wanted": float(contract.form == "text"),
        "yes or no": float(answer.casefold() in {"yes", "no"}),
        "yes or no wanted": float(contract.form == "boolean"),
        "asked and quoted": len(asked & said) / max(1, len(asked)),
        "answer in question": len(told & asked) / max(1, len(told)),
        "quote length": min(len(quote.split()), 60) / 60,
        "several claims": float(len(draft.claims) > 1),
        "question length": min(len(contract.claim.split()), 30) / 30,
        "who": float(opening in {"who", "whose", "whom"}),
        "when": float(opening == "when"),
        "where": float(opening == "where"),
        "which": float(opening in {"which", "what"}),
        "drafted by a model": float(draft.cost.model_calls > 0),
    }


@lru_cache(maxsize=1)
def head() -> Evaluator:
    """Return the head that ships."""
    return Evaluator.model_validate_json(resources.files(__package__).joinpath(WEIGHTS).read_text(encoding="utf-8"))


def estimate(contract: Contract, draft: Draft) -> Estimate:
    """Return the estimate; a draft without an answer looks incorrect."""
    weights = head()
    if draft.answer is None:
        return Estimate(looks_correct=False, probability=0.0, method=weights.name)
    probability = weights.probability(signals(contract, draft))
    return Estimate(looks_correct=probability >= 0.5, probability=round(probability, 6), method=weights.name)  # noqa: PLR2004 -- likelier than not
