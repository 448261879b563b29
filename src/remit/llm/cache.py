"""Replies of a model kept on disk, so that the same call under the same scope and snapshot need not be made again.

What is kept is text of the model, and with it of documents: the file is for its owner's eyes only.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from remit.errors import MissingPrerequisite, ProviderFailed
from remit.llm.cancel import Patience
from remit.llm.chat import Chat, Message, Reply, Stop, Token, Usage
from remit.llm.ledger import Call
from remit.llm.metered import Metering, metered, price_of

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, reply TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_use ON replies (used, size);
"""
_WAIT: Final = 5.0
_OWNER_ONLY: Final = 0o600


class KeptReplies:
    """Replies by key in one SQLite file of at most `most` octets of them; the ones unused for longest leave first.

    Threads and processes may share the file: each access is a transaction, and threads take turns at the connection.
    """

    def __init__(self, file: str | Path, *, most: int = 256 * 1024 * 1024) -> None:
        """Open the file, or make it.

        Raises:
            MissingPrerequisite: it cannot be made, or is no such file.
        """
        self._file = Path(file)
        self._most = most
        self._turn = threading.Lock()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.touch(_OWNER_ONLY)
            # Open for as long as this object lives: closing the last connection would write the log back each time.
            self._db = sqlite3.connect(self._file, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._db.close)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")  # a reply lost with the machine's power is asked for again
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise MissingPrerequisite(
                f"{self._file}: no cache of replies ({error}); delete it or name another"
            ) from error

    def get(self, key: str) -> Reply | None:
        """Return what is kept under a key, now the most recently used, or None.

        Raises:
            ProviderFailed: the file cannot be read.
        """
        with self._transaction() as db:
            row = db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            db.execute("UPDATE replies SET used = (SELECT max(used) + 1 FROM replies) WHERE key = ?", (key,))
        return _read(row[0])

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply, and let go of others where that makes too much; one larger than the bound is not kept.

        Raises:
            ProviderFailed: the file cannot be written.
        """
        text = _written(reply)
        size = len(text.encode())
        if size > self._most:
            return
        with self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM replies))",
                (key, text, size),
            )
            while self._size(db) > self._most:
                db.execute("DELETE FROM replies WHERE key = (SELECT key FROM replies ORDER BY used LIMIT 1)")

    def clear(self) -> None:
        """Let go of all of them, and of their octets on disk."""
        with self._transaction() as db:
            db.execute("DELETE FROM replies")
        with self._using() as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def size(self) -> int:
        """Octets of the replies kept."""
        with self._transaction() as db:
            return self._size(db)

    @staticmethod
    def _size(db: sqlite3.Connection) -> int:
        return int(db.execute("SELECT coalesce(sum(size), 0) FROM replies").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._using() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._turn:
                yield self._db
        except sqlite3.Error as error:
            raise ProviderFailed(f"{self._file}: the cache of replies failed ({error}); delete the file") from error


class Cached(Metering):
    """A chat model that is asked only for what it has not said before under the same scope and snapshot.

    A kept reply is put down as no call at all, with the digest of its key.
    """

    def __init__(self, chat: Chat, kept: KeptReplies) -> None:
        """Take the model and where its replies are kept."""
        self.name = chat.name
        self._chat = metered(chat)
        self.price = price_of(self._chat)
        self._kept = kept

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return the kept reply, or the model's.

        Raises:
            ProviderFailed: as the model does, or the cache cannot be used.
            Cancelled: before or during the call.
        """
        patience.check()
        began = patience.clock()
        key = key_of(self.name, messages, max_tokens=max_tokens, temperature=temperature, realm=patience.realm)
        kept = self._kept.get(key)
        if kept is not None:
            spent = patience.clock() - began
            patience.tally.put(Call(self.name, "cached", 0, 0, tokens=0, seconds=spent, price=0.0, key=key))
            return kept
        reply = self._chat.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience)
        self._kept.put(key, reply)
        return reply


def key_of(model: str, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, realm: str) -> str:
    """Return the digest of all that a reply depends on, and of the scope and snapshot it may be used under."""
    turns = [[message.role, message.text] for message in messages]
    content = json.dumps([model, turns, max_tokens, temperature, realm], ensure_ascii=True)
    return "sha256:" + hashlib.sha256(content.encode("ascii")).hexdigest()


def _written(reply: Reply) -> str:
    tokens = None if reply.tokens is None else [[token.text, token.logprob] for token in reply.tokens]
    usage = [reply.usage.prompt_tokens, reply.usage.reply_tokens]
    return json.dumps([reply.text, usage, reply.stop, tokens, reply.no_tokens], ensure_ascii=True)


def _read(text: str) -> Reply:
    held: Any = json.loads(text)
    said, (prompt, used), stop, tokens, why = held
    ended: Stop = "length" if stop == "length" else "stop"
    spelled = None if tokens is None else tuple(Token(word, value) for word, value in tokens)
    return Reply(said, Usage(prompt, used), ended, spelled, why)
