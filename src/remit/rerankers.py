"""Which reranker a line has, picked from its settings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from remit.adapters.minilm import MiniLm
from remit.adapters.table import adapter
from remit.errors import MissingPrerequisite
from remit.llm.chat import Chat, Wanted
from remit.llm.embed import Embed
from remit.llm.learned import learned_from
from remit.measure.bertscore import ReadsTokens
from remit.rerank.choice import MOST, RerankChoice
from remit.rerank.cutoff import Cutoff
from remit.rerank.encoder import EncoderReranker, SentenceVectors
from remit.rerank.head import WEIGHTS, Head
from remit.rerank.listwise import Listwise
from remit.rerank.pair_head import PairHead
from remit.rerank.ranking import Reranker
from remit.rerank.score import CrossEncoder, MaxSim, Score, Scorer

_MODEL: Final = "set [chat] in the store's remit.toml, or REMIT_CHAT_URL and REMIT_CHAT_MODEL, or REMIT_CHAT_GGUF"


def reranker_of(
    said: RerankChoice, embed: Embed, vectors: SentenceVectors, *, chat: Callable[[], Chat | None], room: int
) -> Reranker:
    """Return the reranker that settings name. `chat` gives the configured model, `room` its context in tokens.

    Raises:
        MissingPrerequisite: it needs a model, and none is configured or installed.
        InvalidInput: its weights cannot be used.
    """
    match said.policy:
        case "cutoff":
            return Cutoff(share=said.share) if said.most is None else Cutoff(most=said.most, share=said.share)
        case "encoder":
            head, learned = Head.read(said.weights), learned_from(said.weights, "remit.rerank", WEIGHTS)
            return EncoderReranker(embed, vectors, head=head, temperature=said.temperature, learned=learned)
        case "score":
            threshold = -math.inf if said.threshold is None else said.threshold
            return Score(_scorer(said, embed), Cutoff(), threshold=threshold, most=_most(said))
        case "listwise":
            model = chat()
            if model is None:
                raise MissingPrerequisite(f"the listwise reranker needs a chat model: {_MODEL}")
            return Listwise(model, Cutoff(), room=room, temperature=said.temperature, most=_most(said))
        case "lm":
            if said.model is None:
                raise MissingPrerequisite("the lm reranker needs weights: set model = ... in [rerank] of remit.toml")
            weights = adapter("transformers")(said.model, wanted=Wanted(logprobs=True))
            return Listwise(weights, Cutoff(), temperature=said.temperature, most=_most(said), kind="lm", room=4096)


def _most(said: RerankChoice) -> int:
    return MOST if said.most is None else said.most


def _scorer(said: RerankChoice, embed: Embed) -> Scorer:
    if said.scorer == "cross-encoder":
        if said.model is None:
            raise MissingPrerequisite("a cross-encoder needs weights: set model = ... in [rerank] of remit.toml")
        return CrossEncoder(adapter("cross-encoder")(said.model))
    if said.scorer == "pairs":  # its head was trained on the packaged encoder, whatever the store's is
        return PairHead(embed if isinstance(embed, MiniLm) else MiniLm())
    return MaxSim(embed if isinstance(embed, ReadsTokens) else MiniLm())
