"""JSON Web Tokens of an identity provider: issuer, audience, expiry and algorithm pinned, groups from claims."""

from __future__ import annotations

import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import jwt

from remit.access.principal import Principal
from remit.contract.value import Value
from remit.errors import InvalidInput, MissingPrerequisite
from remit.serve.identity.caller import Caller, Refused, Role, checked_roles

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""What a provider may sign with. Shared secrets are not among them: whoever can check a token could make one."""

_FRESH_SECONDS: Final = 300.0
_PAUSE_SECONDS: Final = 15.0
_FETCH_SECONDS: Final = 5.0
_LARGEST: Final = 1 << 20
_LEEWAY: Final = 30
_SAYS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (jwt.ExpiredSignatureError, "the token has expired: get a new one where you got it"),
    (jwt.ImmatureSignatureError, "the token is not valid yet"),
    (jwt.InvalidAudienceError, "the token is for another service"),
    (jwt.InvalidIssuerError, "the token is of another provider"),
    (jwt.InvalidSignatureError, "the token is not valid: its signature is not its provider's"),
    (jwt.MissingRequiredClaimError, "the token leaves out a claim that is needed"),
    (jwt.DecodeError, "the token is not valid: it is neither a key of Remit nor a token of the provider"),
)
_UNREADABLE: Final = "the keys of the identity provider cannot be read ({}): check identity.jwt.jwks"


class JwtSettings(Value):
    """What tokens must say, and where the provider's keys are: a file, or a URL of its JWKS."""

    issuer: str
    audience: str
    jwks: str
    algorithms: tuple[str, ...] = ("RS256",)
    id_claim: str = "sub"
    groups_claim: str = "groups"
    roles_claim: str | None = None


class Jwks:
    """A provider's public keys. They are read again after five minutes, and when a token names one that is not known."""

    def __init__(self, place: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a path, or a URL that begins with https:// (http:// is for this machine only)."""
        self._place, self._clock = place, clock
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None

    def key(self, id: str | None) -> jwt.PyJWK:
        """Return the key of an id.

        Raises:
            Refused: the provider has none of that id.
            MissingPrerequisite: its keys cannot be read, and none are known that are fresh enough.
        """
        with self._lock:
            stale = self._read_at is None or self._clock() - self._read_at > _FRESH_SECONDS
            # Made-up ids must not make this service call the provider each time.
            rested = self._tried_at is None or self._clock() - self._tried_at > _PAUSE_SECONDS
            if rested and (stale or id not in self._keys):
                self._read_again(needed=stale)
            elif stale:  # it failed a moment ago: whoever comes now need not wait until it fails again
                raise MissingPrerequisite(_UNREADABLE.format("as a moment ago"))
            found = self._keys.get(id or "")
        if found is None:
            raise Refused("the token is signed with a key that the provider does not list")
        return found

    def _read_again(self, *, needed: bool) -> None:
        self._tried_at = self._clock()
        try:
            keys = jwt.PyJWKSet.from_json(self._text()).keys
        except (OSError, ValueError, jwt.PyJWTError) as error:
            if needed:
                self._keys, self._read_at = {}, None
                raise MissingPrerequisite(_UNREADABLE.format(type(error).__name__)) from error
            return
        self._keys = {str(key.key_id): key for key in keys if key.key_id is not None and key.key_type != "oct"}
        self._read_at = self._clock()

    def _text(self) -> str:
        if not self._place.startswith(("https://", "http://")):
            return Path(self._place).read_text(encoding="utf-8")
        with _OPENER.open(self._place, timeout=_FETCH_SECONDS) as reply:
            return str(reply.read(_LARGEST).decode("utf-8"))


class _NotElsewhere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: whoever could send one could otherwise name another place for the keys, an unprotected one too."""

    def redirect_request(self, *request: Any) -> None:
        """Return no request to go on with, which makes the redirect an error."""


_OPENER: Final = urllib.request.build_opener(_NotElsewhere)


class JwtIdentity:
    """Checks tokens of one provider. What is missing, malformed or cut short is refused, never filled in."""

    def __init__(self, settings: JwtSettings, *, roles: Mapping[str, frozenset[str]], keys: Jwks | None = None) -> None:
        """Take what tokens must say, and which groups have which roles."""
        if wrong := [name for name in settings.algorithms if name not in ALGORITHMS]:
            raise InvalidInput(
                f"identity.jwt.algorithms: {wrong[0]} is not allowed; want some of {', '.join(ALGORITHMS)}"
            )
        self._settings, self._roles = settings, roles
        self._keys = keys or Jwks(settings.jwks)

    def __call__(self, token: str) -> Caller:
        """Return who a token proves.

        Raises:
            Refused: signature, issuer, audience, time or a claim is wrong.
            MissingPrerequisite: the provider's keys cannot be read.
        """
        said = self._settings
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in said.algorithms:
                raise Refused("the token is signed with an algorithm that is not accepted here")
            key = self._keys.key(header.get("kid"))
            claims: dict[str, Any] = jwt.decode(
                token,
                key=key.key,
                algorithms=list(said.algorithms),
                issuer=said.issuer,
                audience=said.audience,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", said.id_claim]},
            )
        except (
            jwt.PyJWTError,
            TypeError,
            ValueError,
        ) as error:  # the last two: a key of another kind, half a character
            told = next((said for kind, said in _SAYS if isinstance(error, kind)), "the token is not valid")
            raise Refused(told) from error
        return self._caller(claims)

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        said = self._settings
        id = claims.get(said.id_claim)
        if not isinstance(id, str) or not id.strip() or not id.isprintable():
            raise Refused(f"the token's claim {said.id_claim} names nobody")
        if _cut_short(claims, said.groups_claim):
            raise Refused(
                "the provider left groups out of the token (too many): let it send those of this service only"
            )
        groups = _texts(claims.get(said.groups_claim, []), said.groups_claim)
        roles = {Role.READ} | {role for role, holders in self._roles.items() if holders & set(groups)}
        if said.roles_claim is not None:
            try:
                roles |= checked_roles(_texts(claims.get(said.roles_claim, []), said.roles_claim))
            except InvalidInput as error:
                raise Refused(f"the token's claim {said.roles_claim} holds something that is no role here") from error
        principal = Principal(id=id, groups=groups)
        return Caller(principal=principal, roles=frozenset(roles), source=said.issuer)


def _texts(raw: object, claim: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(one, str) and one.isprintable() for one in raw):
        raise Refused(f"the token's claim {claim} is no list of texts")
    return tuple(raw)


def _cut_short(claims: Mapping[str, Any], groups: str) -> bool:
    elsewhere = claims.get("_claim_names", {})
    return bool(claims.get("hasgroups")) or not isinstance(elsewhere, Mapping) or groups in elsewhere
