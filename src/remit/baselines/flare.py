"""FLARE (Jiang et al., 2023), direct: write a sentence, look up what it is unsure of, write it again.

Faithful: the first retrieval by the question; one sentence looked ahead at a time, 64 tokens at most; it is accepted where every token has
probability θ; else the sentence without its tokens below β is the query, and the sentence is written again from what that finds.
θ 0.8, β 0.4, two passages, five sentences at most. Emulated: a chat model continues a text that stands in its prompt; the answer comes out of
the common answer prompt, from the passages FLARE ended with, the latest first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.reading import first_sentence
from remit.baselines.system import Need
from remit.baselines.work import Work, once
from remit.errors import ProviderFailed
from remit.llm.chat import Reply, Token
from remit.retrieve.retriever import Hit

PROMPT: Final = "flare.txt"
DONE: Final = re.compile(r"\bthe answer is\b|^done\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Flare:
    """Looks ahead sentence by sentence, and retrieves where it is unsure."""

    theta: float = 0.8
    beta: float = 0.4
    k: int = 2
    iterations: int = 5
    ahead: int = 64
    paper: str = "Jiang et al. (2023), Active Retrieval Augmented Generation"

    @property
    def name(self) -> str:
        """Its name with its thresholds."""
        return f"flare θ={self.theta} β={self.beta}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model that spells its tokens."""
        return frozenset({Need.CHAT, Need.LOGPROBS})

    def answer(self, work: Work) -> Draft:
        """Return the draft from the passages that were looked up on the way."""
        hits = work.search(work.question, self.k)
        used, written = hits, list[str]()
        for _ in range(self.iterations):
            tokens = sentence_tokens(self._ahead(work, hits, written))
            if not tokens:
                break
            if unsure(tokens, self.theta):
                hits = work.search(masked(tokens, self.beta) or work.question, self.k)
                used = once((*hits, *used))
                tokens = sentence_tokens(self._ahead(work, hits, written))
            sentence = spelled(tokens)
            written.append(sentence)
            if not sentence or DONE.search(sentence):
                break
        return work.draft(used)

    def _ahead(self, work: Work, hits: tuple[Hit, ...], written: list[str]) -> Reply:
        reply = work.say(
            load(PROMPT),
            max_tokens=self.ahead,
            hits=hits,
            spelled=True,
            question=work.question,
            written=" ".join(written) or "(nothing yet)",
        )
        work.did("look ahead")
        if reply.tokens is None:
            raise ProviderFailed(f"FLARE needs log-probabilities: {reply.no_tokens}")
        return reply


def sentence_tokens(reply: Reply) -> tuple[Token, ...]:
    """Return the tokens of the first sentence of a reply; none where it says nothing."""
    text = "".join(token.text for token in reply.tokens or ())
    lead = len(text) - len(text.lstrip())
    ends, kept, length = lead + len(first_sentence(text)), [], 0
    for token in reply.tokens or ():
        if length >= ends:
            break
        length += len(token.text)
        kept.append(token)
    return tuple(kept) if ends > lead else ()


def unsure(tokens: Sequence[Token], theta: float) -> bool:
    """Say whether a token has a probability below `theta`."""
    return any(math.exp(token.logprob) < theta for token in tokens)


def masked(tokens: Sequence[Token], beta: float) -> str:
    """Return the sentence without its tokens of a probability below `beta`: the query."""
    return spelled([token for token in tokens if math.exp(token.logprob) >= beta])


def spelled(tokens: Sequence[Token]) -> str:
    """Return what tokens spell, with single blanks."""
    return " ".join("".join(token.text for token in tokens).split())
