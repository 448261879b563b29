"""Remit answers questions over documents that have owners, permissions and revisions, and records why it did or did not.

Public names load on first use, so that importing the package stays cheap and has no effects.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from remit.access.principal import Principal as Principal
    from remit.access.principal import parse_principal as parse_principal
    from remit.contract.budget import Budget as Budget
    from remit.contract.budget import Limits as Limits
    from remit.contract.contract import Contract as Contract
    from remit.decide.decision import Action as Action
    from remit.decide.decision import Decision as Decision
    from remit.decide.point import OperatingPoint as OperatingPoint
    from remit.engine import Remit as Remit
    from remit.errors import RemitError as RemitError
    from remit.settle.outcome import Outcome as Outcome

_HOMES: Final = {
    "Action": "remit.decide.decision",
    "Budget": "remit.contract.budget",
    "Contract": "remit.contract.contract",
    "Decision": "remit.decide.decision",
    "Limits": "remit.contract.budget",
    "OperatingPoint": "remit.decide.point",
    "Outcome": "remit.settle.outcome",
    "Principal": "remit.access.principal",
    "Remit": "remit.engine",
    "RemitError": "remit.errors",
    "parse_principal": "remit.access.principal",
}

__all__ = [
    "Action",
    "Budget",
    "Contract",
    "Decision",
    "Limits",
    "OperatingPoint",
    "Outcome",
    "Principal",
    "Remit",
    "RemitError",
    "parse_principal",
]


def __getattr__(name: str) -> Any:
    """Return a public name, loading its module on first use."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"remit has no public name {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)
