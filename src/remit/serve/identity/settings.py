"""What a `remit.toml` says about who may call: keys, a provider of tokens, roles of groups.

::

    [identity]        keys = "keys.json", anonymous = false
    [identity.jwt]    issuer, audience, jwks = "jwks.json" | "https://...", algorithms = ["RS256"],
                      id_claim = "sub", groups_claim = "groups", roles_claim
    [identity.roles]  review = ["quality"], "write:procedures" = ["editors"], audit = ["auditors"]
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from remit.access.principal import Principal, clean_label
from remit.contract.value import Value
from remit.corpus.toml_file import Check, TomlFile, flag, text, texts
from remit.errors import InvalidInput
from remit.serve.identity.caller import Caller, Identify, Refused, checked_roles
from remit.serve.identity.jwt import ALGORITHMS, JwtIdentity, JwtSettings
from remit.serve.identity.keys import PREFIX, KeyFile

KEYS: Final = "keys.json"
"""The file of keys beside a store's `remit.toml`."""

ANONYMOUS: Final = Caller(principal=Principal(id="anonymous"), source="nobody")
"""Whoever sends no token, where that is allowed: they read what everyone may read, and that is all."""


class IdentitySettings(Value):
    """Where keys are, which provider's tokens are taken, and the roles of groups."""

    keys: Path
    anonymous: bool = False
    jwt: JwtSettings | None = None
    roles: tuple[tuple[str, frozenset[str]], ...] = ()

    @classmethod
    def read(cls, file: TomlFile, folder: Path) -> Self:
        """Return what an open `remit.toml` in `folder` says; what is wrong is noted in `file`."""
        said = file.section(("identity",), {"keys": text, "anonymous": flag, "jwt": _as_is, "roles": _as_is})
        checks: dict[str, Check] = {
            "issuer": text,
            "audience": text,
            "jwks": _jwks,
            "algorithms": _algorithms,
            "id_claim": text,
            "groups_claim": text,
            "roles_claim": text,
        }
        jwt = file.section(("identity", "jwt"), checks) if "jwt" in said else {}
        if missing := [name for name in ("issuer", "audience", "jwks") if jwt and name not in jwt]:
            file.wrong(("identity", "jwt"), f"needs {missing[0]} = ...")
            jwt = {}
        if "jwks" in jwt and "://" not in jwt["jwks"]:
            jwt["jwks"] = str(folder / jwt["jwks"])
        return cls(
            keys=folder / said.get("keys", KEYS),
            anonymous=said.get("anonymous", False),
            jwt=JwtSettings(**jwt) if jwt else None,
            roles=tuple(_roles(file)) if "roles" in said else (),
        )


class Gate:
    """Turns what a request carries into a caller: a key, a provider's token, or nobody where that is allowed."""

    def __init__(self, settings: IdentitySettings, *, now: Callable[[], datetime]) -> None:
        self.keys = KeyFile(settings.keys, now=now)
        self._anonymous = settings.anonymous
        self._jwt: Identify | None = None
        if settings.jwt is not None:
            self._jwt = JwtIdentity(settings.jwt, roles=dict(settings.roles))

    def __call__(self, token: str | None) -> Caller:
        """Return who calls.

        Raises:
            Refused: no token where one is needed, or one that proves nobody.
        """
        if token is None:
            if self._anonymous:
                return ANONYMOUS
            raise Refused("no token: send `Authorization: Bearer ...`")
        caller = self._proved(token)
        if caller.principal.id == ANONYMOUS.principal.id:  # else somebody could be mistaken for nobody
            raise Refused("a principal cannot be called anonymous")
        return caller

    def asks_provider(self, token: str | None) -> bool:
        """Say whether the keys of a provider are needed to look at a token."""
        return token is not None and self._jwt is not None and not _is_key(token)

    def _proved(self, token: str) -> Caller:
        if _is_key(token):
            return self.keys(token)
        if self._jwt is None:
            raise Refused("unknown token")
        return self._jwt(token)


def _is_key(token: str) -> bool:
    return token.startswith(f"{PREFIX}_")


def _roles(file: TomlFile) -> list[tuple[str, frozenset[str]]]:
    found = []
    names = file.names(("identity", "roles"))
    groups = file.section(("identity", "roles"), dict.fromkeys(names, texts))
    for role, holders in groups.items():
        try:
            checked_roles([role])
        except InvalidInput as error:
            file.wrong(("identity", "roles", role), str(error))
        found.append((role, frozenset(map(clean_label, holders))))
    return found


def _as_is(raw: object) -> object:
    return raw


def _jwks(raw: object) -> str:
    place = text(raw)
    if "://" in place and not place.startswith("https://"):
        parts = urlsplit(place)
        if parts.scheme == "http" and parts.hostname in {"127.0.0.1", "::1", "localhost"}:
            return place
        raise ValueError("want https://, or a file: keys that come unprotected could be anybody's")
    return place


def _algorithms(raw: object) -> tuple[str, ...]:
    named = texts(raw)
    if not named or (wrong := [name for name in named if name not in ALGORITHMS]):
        raise ValueError(f"{wrong[0] if named else 'nothing'} is not allowed: want some of {', '.join(ALGORITHMS)}")
    return named
