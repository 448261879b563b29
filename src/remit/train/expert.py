"""Expert rankings for behaviour cloning (DynamicRAG, 3.2.1): who is an expert, and how many passages an expert sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from remit.errors import ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message
from remit.llm.encode import Encode, Pair
from remit.llm.tamed import tamed
from remit.retrieve.retriever import Hit
from remit.train.environment import Asked, Said
from remit.train.instances import Instance

MOST: Final = 15
_ASKS: Final = (
    "Does this passage help to answer the question? Reply Yes or No.\n\nQuestion: {question}\nPassage: {passage}\n"
)


class Expert(NamedTuple):
    """The passages an expert sends, best first, and what told how many: the gold ones, a bound, or the answers."""

    hits: tuple[Hit, ...]
    by: str


def from_gold(instance: Instance) -> Expert:
    """Return the gold passages among the candidates in the order found; none where none was found."""
    return Expert(tuple(hit for hit in instance.candidates.hits if hit.passage.id in instance.gold)[:MOST], "gold")


def from_search(instance: Instance, *, share: float, most: int = MOST) -> Expert:
    """Return the candidates that the search scored at least `share` of its best: an expert who knows no gold passage."""
    hits = instance.candidates.hits
    floor = share * hits[0].score if hits else 0.0
    return Expert(tuple(hit for hit in hits if hit.score >= floor)[: min(most, MOST)], "search")


def from_scores(instance: Instance, encode: Encode, *, above: float) -> Expert:
    """Return the candidates that a cross-encoder scores above a bound, best first; equal scores by passage id."""
    hits = instance.candidates.hits
    scores = encode.encode([Pair(instance.contract.claim, hit.passage.text) for hit in hits]).tolist() if hits else []
    order = sorted(zip(scores, hits, strict=True), key=lambda one: (-one[0], one[1].passage.id))
    return Expert(tuple(hit for score, hit in order if score > above)[:MOST], encode.name)


def from_verdicts(instance: Instance, chat: Chat, patience: Patience) -> Expert | None:
    """Return the candidates of which a chat model says that they help, in the order found.

    None where a verdict could not be taken: half a ranking is no expert's.
    """
    helping = []
    for hit in instance.candidates.hits:
        asks = _ASKS.replace("{passage}", tamed(hit.passage.text)).replace("{question}", tamed(instance.contract.claim))
        try:
            reply = chat.reply((Message("user", asks),), max_tokens=4, temperature=0.0, patience=patience)
        except ProviderFailed:
            return None
        verdict = reply.text.strip().casefold()
        if not verdict.startswith(("yes", "no")):
            return None
        if verdict.startswith("yes"):
            helping.append(hit)
    return Expert(tuple(helping)[:MOST], chat.name)


def smallest_support(
    instance: Instance,
    expert: Expert,
    answers: Callable[[Sequence[Asked]], Sequence[Said]],
    quality: Callable[[str | None, Sequence[str]], float],
) -> Expert:
    """Return the expert's ranking cut to the smallest prefix whose answer is as good as that of any prefix.

    Where no prefix answers at all, or an answer could not be had, the ranking stays as it is.
    """
    prefixes = [expert.hits[:count] for count in range(1, len(expert.hits) + 1)]
    said = answers([Asked(instance.contract, prefix) for prefix in prefixes])
    if any(one.failed for one in said):
        return expert
    values = [quality(one.answer, instance.question.golden) for one in said]
    best = max(values, default=0.0)
    return Expert(prefixes[values.index(best)], "answers") if best > 0 else expert
