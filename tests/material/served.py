"""A service as a process of its own, over a store of two groups that must not learn of each other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

REMIT = str(Path(sys.executable).with_name("remit"))
ISSUER, AUDIENCE = "https://login.example.org", "remit-tests"
QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
LEAVE = "How many weeks of paid leave may a parent take?"

CONTROL = f"""
[collections.procedures]
title = "Procedures of QMNT"
[collections.hr]
title = "Rules of Okapi"
[serve]
per_minute = 0
[identity.jwt]
issuer = "{ISSUER}"
audience = "{AUDIENCE}"
jwks = "jwks.json"
[identity.roles]
audit = ["auditors"]
"""
HEAD = """---
document: {id}
revision: "{revision}"
title: {title}
collection: {collection}
labels: [{labels}]
status: current
valid_from: 2025-01-01
authority: authoritative
{more}---

# {title}

## {section}

{text}
"""
DOCUMENTS = {
    "pr-1": {
        "id": "PR-1-QMNT",
        "revision": "2",
        "title": "Seal of pump P-7",
        "collection": "procedures",
        "labels": "maintenance",
        "section": "Interval QMNT",
        "text": "The mechanical seal of pump P-7 is replaced every 12 months. The seal kit is QMNT-55.",
        "more": "",
    },
    "in-3": {
        "id": "IN-3-QMNT",
        "revision": "1",
        "title": "Seal chamber of pump P-8",
        "collection": "procedures",
        "labels": "maintenance",
        "section": "Flushing",
        "text": "After fitting, the seal chamber of pump P-8 is flushed for 10 minutes with clean water before the pump is started.",
        "more": "",
    },
    "in-4": {
        "id": "IN-4-QMNT",
        "revision": "1",
        "title": "Flushing of the seal chamber of pump P-8",
        "collection": "procedures",
        "labels": "maintenance",
        "section": "Instruction",
        "text": "After a seal change the seal chamber of pump P-8 is flushed for 20 minutes with clean water.",
        "more": "",
    },
    "lv-9": {
        "id": "LV-9-QPRS",
        "revision": "7",
        "title": "Parental leave okapi",
        "collection": "hr",
        "labels": "personnel",
        "section": "Length okapi",
        "text": "Whoever becomes a parent may take nine weeks of paid leave. The form is okapi twelve.",
        "more": "supersedes: [LV-8-QPRS@1]\n",
    },
    "lv-8": {
        "id": "LV-8-QPRS",
        "revision": "1",
        "title": "Parental leave of old okapi",
        "collection": "hr",
        "labels": "personnel",
        "section": "Length okapi",
        "text": "Whoever becomes a parent may take four weeks of paid leave.",
        "more": "",
    },
    "gate": {
        "id": "GATE",
        "revision": "1",
        "title": "The gate",
        "collection": "default",
        "labels": "public",
        "section": "Hours",
        "text": "The gate of the plant opens at 06:15 on working days.",
        "more": "",
    },
}


def filled(folder: Path, control: str = CONTROL) -> Path:
    """Make the store of both groups, and return it."""
    documents, store = folder / "documents", folder / "store"
    documents.mkdir(parents=True)
    for name, said in DOCUMENTS.items():
        (documents / f"{name}.md").write_text(HEAD.format(**said), encoding="utf-8")
    run("ingest", documents, "--store", store, "--config", written(folder / "made.toml", "[ingest]\n"))
    (store / "remit.toml").write_text(control, encoding="utf-8")
    run("ingest", documents, "--store", store)
    return store


def written(path: Path, text: str) -> Path:
    """Write a file, and return its path."""
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: object) -> str:
    """Run `remit`, and return what it printed."""
    done = subprocess.run([REMIT, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout


def key(store: Path, who: str, roles: str = "read") -> str:
    """Make a key as an operator would, and return it."""
    return run("key", "new", who, "--roles", roles, "--store", store).strip()


class Provider:
    """An identity provider: signs tokens, and publishes its keys as a file."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def publish(self, path: Path) -> None:
        """Write the public keys."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        path.write_text(json.dumps({"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]}))

    def token(self, *, key: object = None, algorithm: str = "RS256", kid: str = "one", **claims: object) -> str:
        """Return a token of mara's, with other claims where they are given; None leaves one out."""
        now = datetime.now(UTC)
        said = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "mara",
            "groups": ["maintenance"],
            "iat": now,
            "exp": now + timedelta(minutes=5),
        } | claims
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, self.key if key is None else key, algorithm=algorithm, headers={"kid": kid})


class Served:
    """`remit serve`, running."""

    def __init__(self, store: Path, *arguments: object, **environ: str) -> None:
        """Start it on a free port, and wait until it is ready."""
        self.store = store
        self.log = store.parent / f"log-{time.monotonic_ns()}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [REMIT, "serve", "--store", store, "--port", "0", *map(str, arguments)],
                stderr=log,
                stdout=log,
                env={**{name: value for name, value in os.environ.items() if not name.startswith("REMIT_")}, **environ},
            )
        self.url = self._address()

    def client(self, token: str | None = None, **more: object) -> httpx.Client:
        """Return a client that sends a token."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=180, **more)

    def lines(self) -> list[dict]:
        """Return what it has logged."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def stop(self) -> int:
        """Ask it to stop, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(180)

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait(60)

    def _address(self) -> str:
        for _ in range(3000):
            for line in self.log.read_text(encoding="utf-8").splitlines():
                if "running on http://" in line:
                    return "http://" + json.loads(line)["message"].partition("http://")[2].partition(" ")[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(self.log.read_text(encoding="utf-8"))
