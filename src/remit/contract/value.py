"""The frozen value that everything recorded is made of."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainSerializer, SerializationInfo


class Value(BaseModel):
    """A frozen record: unknown fields are refused, and equal content means equal value."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def digest_of(content: Any) -> str:
    """Return the SHA-256 of `content` as canonical JSON, as ``sha256:<64 hex digits>``."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return text_digest(text)


def text_digest(text: str) -> str:
    """Return the SHA-256 of UTF-8 text, as ``sha256:<64 hex digits>``."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _redacted(text: str, info: SerializationInfo) -> str:
    keep = isinstance(info.context, dict) and info.context.get("keep_text") is True
    return text if keep else text_digest(text)


DocumentText = Annotated[str, PlainSerializer(_redacted, return_type=str)]
"""Text of a document inside a recorded value. It is written as its digest, unless the writer passes
``context={"keep_text": True}``: forgetting to say so keeps the text out of the trace."""
