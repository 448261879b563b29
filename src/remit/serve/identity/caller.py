"""A caller: a principal that a token has proved, with what they may do."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Protocol

from remit.access.principal import Principal
from remit.contract.value import Value
from remit.errors import InvalidInput, RemitError


class Role(StrEnum):
    """What a caller may do. `WRITE` holds for every collection; ``write:NAME`` for one."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    AUDIT = "audit"


_IN_COLLECTION: Final = f"{Role.WRITE}:"


class Refused(RemitError):
    """A token that proves nobody. The message is for the log and for whoever sent it; it never quotes the token."""

    exit_code = 5


class Caller(Value):
    """Who calls, what they may do, and `source`: what vouched for them (a key's id, or an issuer)."""

    principal: Principal
    roles: frozenset[str] = frozenset({Role.READ})
    source: str

    def may(self, role: Role) -> bool:
        """Say whether the caller has a role, for all collections or for some."""
        return role in self.roles or (role is Role.WRITE and any(one.startswith(_IN_COLLECTION) for one in self.roles))

    def may_write(self, collection: str) -> bool:
        """Say whether the caller may write documents of a collection."""
        return bool({Role.WRITE, f"{_IN_COLLECTION}{collection}"} & self.roles)


class Identify(Protocol):
    """Turns a bearer token into a caller."""

    def __call__(self, token: str) -> Caller:
        """Return who the token proves.

        Raises:
            Refused: nobody.
        """


def checked_roles(roles: object) -> frozenset[str]:
    """Return roles as they are compared.

    Raises:
        InvalidInput: they are no list of roles.
    """
    if not isinstance(roles, list | tuple | set | frozenset) or not all(isinstance(role, str) for role in roles):
        raise InvalidInput(f"roles: want a list of {', '.join(Role)} or {_IN_COLLECTION}COLLECTION")
    for role in roles:
        if role not in set(Role) and not (role.startswith(_IN_COLLECTION) and role.removeprefix(_IN_COLLECTION)):
            raise InvalidInput(f"role {role!r}: want one of {', '.join(Role)} or {_IN_COLLECTION}COLLECTION")
    return frozenset(roles)
