"""A model with all that stands between it and its callers: its bill, its retries, and the replies kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from remit.llm.cache import Cached, KeptReplies
from remit.llm.chat import Chat, Versatile, Wanted
from remit.llm.ledger import Price
from remit.llm.metered import Metered
from remit.llm.retry import Retrying

REPLIES: Final = "replies.db"
"""The file of kept replies inside a store."""

_MEGABYTE: Final = 1 << 20


def composed(
    model: Versatile,
    folder: Path,
    *,
    price: Price | None = None,
    schema: Mapping[str, Any] | None = None,
    logprobs: bool = False,
    cache_megabytes: int = 0,
) -> Chat:
    """Return the model as a line calls it; with a cache in `folder` where it is given room.

    Raises:
        MissingPrerequisite: the file of the cache cannot be used.
    """
    wanted = Wanted(schema, logprobs)
    asked: Chat = model.wanting(wanted) if wanted.label else model
    patient = Retrying(Metered(asked, price))
    return (
        Cached(patient, KeptReplies(folder / REPLIES, most=cache_megabytes * _MEGABYTE)) if cache_megabytes else patient
    )
