"""Adapters by name. `engine` picks from here, and nothing else does."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any, Final

ADAPTERS: Final = {
    "minilm": "remit.adapters.minilm:MiniLm",
    "static": "remit.adapters.static:StaticEncoder",
    "sentence-transformers": "remit.adapters.sentence:SentenceTransformerEncoder",
    "openai-embeddings": "remit.adapters.openai_embed:OpenAiEmbed",
    "openai": "remit.adapters.openai:OpenAiChat",
    "gguf": "remit.adapters.gguf:GgufChat",
    "transformers": "remit.adapters.transformers:TransformersChat",
    "cross-encoder": "remit.adapters.transformers:TransformersEncode",
    "causal": "remit.adapters.causal:CausalLm",
    "cedar": "remit.adapters.cedar:CedarPolicies",
}
"""They are loaded when they are chosen: an extra that is not installed costs nothing until then."""


def adapter(name: str) -> Any:
    """Return an adapter's class."""
    return resolve_name(ADAPTERS[name])
