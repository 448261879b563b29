"""Signing in: a token is pasted once and kept here; the browser holds a random id that scripts cannot read."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final, NamedTuple

from remit.access.scope import Scope

COOKIE: Final = "remit-session"
_MOST: Final = 10_000
_MOST_ANSWERS: Final = 500
_IDLE_SECONDS: Final = 12 * 3600.0


class Session(NamedTuple):
    """One browser: the token that was pasted, and what its forms carry so that no other site can send them."""

    token: str
    form_key: str
    seen: float


class Sessions:
    """Who has signed in. They are in memory only: a restart signs everybody out."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        """Take the clock in seconds, by which a session that is not used runs out."""
        self._clock = clock
        self._lock = Lock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def open(self, token: str) -> str:
        """Return the id of a new session."""
        id = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[id] = Session(token, secrets.token_urlsafe(32), self._clock())
            while len(self._sessions) > _MOST:
                self._sessions.popitem(last=False)
        return id

    def get(self, id: str | None) -> Session | None:
        """Return the session of an id, or None where there is none any more."""
        if id is None:
            return None
        with self._lock:
            session = self._sessions.pop(id, None)
            if session is None or self._clock() - session.seen > _IDLE_SECONDS:
                return None
            self._sessions[id] = session = session._replace(seen=self._clock())
            return session

    def close(self, id: str | None) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(id or "", None)


class Kept(NamedTuple):
    """What a page showed of a decision, and what its reader might read of which state of the corpus then."""

    shown: Mapping[str, Any]
    scope: Scope
    snapshot: str


class Answers:
    """The last decisions that pages showed, so that a reader comes back to one without asking again; in memory only."""

    def __init__(self, most: int = _MOST_ANSWERS) -> None:
        """Take how many are kept; those shown longest ago go first."""
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()

    def keep(self, session: Session, trace: str, kept: Kept) -> None:
        """Keep what was shown in a session."""
        with self._lock:
            self._kept[session.form_key, trace] = kept
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def get(self, session: Session | None, trace: str) -> Kept | None:
        """Return what was shown in this very session, or None."""
        with self._lock:
            return None if session is None else self._kept.get((session.form_key, trace))


def same(one: str, other: str) -> bool:
    """Say whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
