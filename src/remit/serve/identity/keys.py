"""Static keys for small teams: a file of digests. A key is shown once, when it is made; the file cannot give it back."""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import AwareDatetime, ValidationError, field_validator

from remit.access.principal import Principal
from remit.contract.value import Value
from remit.errors import InvalidInput, MissingPrerequisite, NothingThere
from remit.serve.identity.caller import Caller, Refused, Role, checked_roles

PREFIX: Final = "remit"
"""How every key begins, so that a scanner can find one that was committed or pasted by mistake."""
_PARTS: Final = 3


class Key(Value):
    """One key as the file holds it: the digest of its secret, and whom it stands for."""

    id: str
    digest: str
    principal: str
    groups: tuple[str, ...] = ()
    roles: tuple[str, ...] = (Role.READ,)
    created: AwareDatetime
    expires: AwareDatetime | None = None

    @field_validator("roles")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(sorted(checked_roles(value)))
        except InvalidInput as error:
            raise ValueError(str(error)) from error


class Made(NamedTuple):
    """A key that was made: what the file holds of it, and the token, which nothing can show again."""

    key: Key
    token: str


class KeyFile:
    """The keys of a file. It is read again whenever it changes, so that a key taken out stops working at once."""

    def __init__(self, path: Path, *, now: Callable[[], datetime]) -> None:
        """Take the file's place; `now` says whether a key has expired."""
        self.path, self._now = path, now
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._keys: dict[str, Key] = {}

    def __call__(self, token: str) -> Caller:
        """Return whom a key stands for.

        Raises:
            Refused: it is unknown, wrong or expired.
            InvalidInput: the file is no key file.
        """
        parts = token.split("_", _PARTS - 1)
        if len(parts) != _PARTS or parts[0] != PREFIX:
            raise Refused("this is no key of Remit")
        key = self.keys().get(parts[1])
        known = hmac.compare_digest(_digest(token), key.digest if key is not None else _digest(""))
        if key is None or not known:
            raise Refused("unknown key")
        if key.expires is not None and key.expires <= self._now():
            raise Refused("the key has expired: ask for a new one")
        principal = Principal(id=key.principal, groups=key.groups)
        return Caller(principal=principal, roles=frozenset(key.roles), source=f"key {key.id}")

    def keys(self) -> dict[str, Key]:
        """Return the keys by id; none where there is no file."""
        with self._lock:
            try:
                found = self.path.stat()
            except FileNotFoundError:
                self._stamp, self._keys = None, {}
                return {}
            except OSError as error:
                raise InvalidInput(f"{self.path}: cannot be read ({error.strerror}): check its permissions") from error
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._stamp:
                self._keys, self._stamp = _read(self.path), stamp
            return dict(self._keys)

    def add(
        self, principal: Principal, *, roles: frozenset[str], expires: datetime | None, secret: str | None = None
    ) -> Made:
        """Make a key, write it down, and return it with its token; `secret` is for tests."""
        id = secrets.token_hex(4)
        token = f"{PREFIX}_{id}_{secret or secrets.token_urlsafe(32)}"
        key = Key(
            id=id,
            digest=_digest(token),
            principal=principal.id,
            groups=principal.groups,
            roles=tuple(sorted(checked_roles(roles))),
            created=self._now(),
            expires=expires,
        )
        with self._turn():
            self._write({**self.keys(), id: key})
        return Made(key, token)

    def revoke(self, id: str) -> Key:
        """Take a key out, and return it.

        Raises:
            NothingThere: there is none of that id.
        """
        with self._turn():
            keys = self.keys()
            if id not in keys:
                raise NothingThere(f"no key {id} in {self.path}; `remit key list` shows them")
            gone = keys.pop(id)
            self._write(keys)
        return gone

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for others who change the file: none loses what another wrote, and no key that was revoked comes back."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX)
                yield
            finally:
                os.close(folder)
        except OSError as error:
            raise MissingPrerequisite(
                f"cannot write {self.path} ({error.strerror}): check disk and permissions; the keys are as they were"
            ) from error

    def _write(self, keys: dict[str, Key]) -> None:
        """Replace the file whole: whoever reads it meanwhile sees the old keys or the new ones."""
        data = {"keys": [key.model_dump(mode="json") for _, key in sorted(keys.items())]}
        fresh = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)


def _digest(token: str) -> str:
    # 256 random bits need no slow hash: there is nothing to guess from.
    return "sha256:" + hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _read(path: Path) -> dict[str, Key]:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        keys = [Key.model_validate(one) for one in data["keys"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        where = "".join(f" at {'.'.join(map(str, one['loc']))}" for one in _first(error))
        raise InvalidInput(
            f"{path}: no key file ({type(error).__name__}{where}); make one with `remit key new`"
        ) from error
    return {key.id: key for key in keys}


def _first(error: Exception) -> list[Any]:
    return list(error.errors())[:1] if isinstance(error, ValidationError) else []
