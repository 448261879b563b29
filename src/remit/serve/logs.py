"""Logs of the service: one JSON object a line, without document text, questions or tokens."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final

_PLAIN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def logged() -> None:
    """Log as one JSON object a line, on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for noisy in ("httpx", "httpcore", "mcp"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


class JsonLines(logging.Formatter):
    """A record as one line of JSON. No record of ours holds document text, a question or a token."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        more = {name: value for name, value in vars(record).items() if name not in _PLAIN and not name.startswith("_")}
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        data: dict[str, Any] = {"at": at, "level": record.levelname.lower(), "logger": record.name}
        data |= {"message": record.getMessage(), **more}
        if record.exc_info and record.exc_info[0] is not None:
            data["error"] = record.exc_info[0].__name__  # its words could quote a document
        data.pop("color_message", None)
        return json.dumps(data, ensure_ascii=True, default=str)
