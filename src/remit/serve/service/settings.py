"""What a `remit.toml` says about the service: address, what runs at once, limits, review.

::

    [serve]   host = "127.0.0.1", port = 8000, connections = 1000, asks = 4, waiting = 64, reads = 4, writes_megabytes = 20,
              per_minute = 240, grace_seconds = 20, open_metrics = false
    [review]  reviewers = 1, lease_minutes = 15, agreement = 0.6, least = 20
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from remit.contract.value import Value
from remit.corpus.control import CONTROL_FILE, SECTIONS, read_toml
from remit.corpus.toml_file import Check, TomlFile, flag, number, positive, text, whole
from remit.serve.identity.settings import IdentitySettings


class ReviewSettings(Value):
    """How many people look at an item before it counts, how long they may take, and when their verdicts may train.

    `agreement` is the least mean pairwise kappa, over at least `least` items with two verdicts or more.
    """

    reviewers: int = 1
    lease_minutes: float = 15.0
    agreement: float = 0.6
    least: int = 20


class ServeSettings(Value):
    """How the service runs.

    `asks` questions run at once and `waiting` more may wait; `reads` searches and looks at documents have threads of their
    own. So many `connections` are open at once. `per_minute` is what one caller may send; 0: as much as they like.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    connections: int = 1000
    asks: int = 4
    waiting: int = 64
    reads: int = 4
    writes_megabytes: int = 20
    per_minute: int = 240
    grace_seconds: float = 20.0
    open_metrics: bool = False
    identity: IdentitySettings
    review: ReviewSettings = ReviewSettings()

    @classmethod
    def load(cls, store: Path, config: Path | None = None) -> Self:
        """Return what the `remit.toml` of a store, or another one, says; the defaults where there is none.

        Raises:
            NothingThere: `config` names no file.
            InvalidInput: with a fault for each thing wrong.
        """
        path = config or store / CONTROL_FILE
        there = config is not None or path.is_file()
        file = TomlFile(str(path), read_toml(path) if there else "")
        file.known(*SECTIONS)
        said = file.section(("serve",), _SERVE)
        review = file.section(("review",), _REVIEW)
        identity = IdentitySettings.read(file, path.parent)
        file.finish()
        return cls(**said, identity=identity, review=ReviewSettings(**review))


def _port(raw: object) -> int:
    port = whole(raw)
    if port > 65535:  # noqa: PLR2004 - the last port there is
        raise ValueError("want a port, 0 to 65535")
    return port


def _share(raw: object) -> float:
    if not isinstance(raw, int | float) or isinstance(raw, bool) or not 0 <= raw <= 1:
        raise ValueError("want a number from 0 to 1")
    return float(raw)


_SERVE: dict[str, Check] = {
    "host": text,
    "port": _port,
    "connections": positive,
    "asks": positive,
    "waiting": whole,
    "reads": positive,
    "writes_megabytes": positive,
    "per_minute": whole,
    "grace_seconds": number,
    "open_metrics": flag,
}
_REVIEW: dict[str, Check] = {"reviewers": positive, "lease_minutes": number, "agreement": _share, "least": positive}
