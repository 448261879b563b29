"""Traces for a caller: their own as far as they may read today; all of them for an auditor."""

from __future__ import annotations

from typing import NamedTuple

from remit.engine import Remit
from remit.errors import AccessFailed
from remit.record.journal import NAME, Recorded
from remit.record.listing import Opened, listed
from remit.serve.identity.caller import Caller, Role
from remit.serve.identity.settings import ANONYMOUS


class Listed(NamedTuple):
    """A page of traces, newest first; `before` is where the next one begins, None at the end."""

    traces: tuple[Opened, ...]
    before: str | None


class Traces:
    """One store's traces."""

    def __init__(self, remit: Remit) -> None:
        self._remit = remit

    def read(self, caller: Caller, id: str) -> Recorded:
        """Return what was recorded of a question.

        Raises:
            NothingThere: no such trace, or it is somebody else's.
        """
        return self._remit.trace(id, principal=None if caller.may(Role.AUDIT) else caller.principal)

    def listed(self, caller: Caller, *, everyone: bool = False, before: str = "", limit: int = 50) -> Listed:
        """Return the questions that the caller asked, or `everyone`.

        Raises:
            AccessFailed: everyone's are wanted, and the caller is no auditor.
        """
        if everyone and not caller.may(Role.AUDIT):
            raise AccessFailed("only an auditor may list what others asked")
        if caller.source == ANONYMOUS.source:  # nobody's questions are anybody's
            return Listed((), None)
        asker = None if everyone else caller.principal.id
        found = listed(self._remit.store / NAME, asker=asker, before=before, limit=limit + 1)
        return Listed(found[:limit], found[limit - 1].mark if len(found) > limit else None)
