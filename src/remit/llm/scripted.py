"""Models that say what they were told to: for tests of ours and of others, without weights and without a network."""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Usage
from remit.llm.embed import Vectors
from remit.llm.encode import Pair, Scores

Said = str | Reply


@dataclass(frozen=True, slots=True)
class Streamed:
    """A turn that comes in parts, so many seconds apart; it breaks off with `broken` after the last, where that is given."""

    parts: tuple[str, ...]
    seconds: float = 0.0
    broken: Exception | None = None


Scripted = Said | Exception | Streamed | Callable[[tuple[Message, ...]], Said]
"""One turn of a script: what to say, what to raise, or a function of the messages that says it."""


@dataclass(frozen=True, slots=True)
class Slow:
    """A turn that comes only after so many seconds; the wait ends with the asker's patience."""

    turn: Scripted
    seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as the model got it."""

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float


class ScriptedChat:
    """A chat model that works through a list of turns, one a call; `asked` holds the calls it got.

    One call more than there are turns is a mistake of the test and raises AssertionError. Usage is counted in words where
    a turn does not bring its own.
    """

    def __init__(self, replies: Iterable[Scripted | Slow] = (), *, name: str = "scripted/1") -> None:
        self.name = name
        self.asked: list[Asked] = []
        self._turns = deque(replies)
        self._lock = threading.Lock()

    def reply(self, messages: tuple[Message, ...], *, max_tokens: int, temperature: float, patience: Patience) -> Reply:
        """Return or raise what the next turn says."""
        patience.check()
        with self._lock:
            self.asked.append(Asked(messages, max_tokens, temperature))
            if not self._turns:
                raise AssertionError(
                    f"the script ended before call {len(self.asked)}: give ScriptedChat one turn a call"
                )
            turn = self._turns.popleft()
        if isinstance(turn, Slow):
            patience.pause(turn.seconds)
            turn = turn.turn
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, Streamed):
            turn = _put_together(turn, patience)
        said = turn(messages) if callable(turn) else turn
        patience.check()
        return said if isinstance(said, Reply) else Reply(said, _counted(messages, said))

    def add(self, *turns: Scripted | Slow) -> None:
        """Append turns to the script."""
        with self._lock:
            self._turns.extend(turns)


def _put_together(turn: Streamed, patience: Patience) -> str:
    """Return what a streamed turn adds up to; patience is looked at before each part."""
    for _ in turn.parts:
        patience.pause(turn.seconds)
    if turn.broken is not None:
        raise turn.broken
    return "".join(turn.parts)


def _counted(messages: tuple[Message, ...], said: str) -> Usage:
    return Usage(sum(len(message.text.split()) for message in messages), len(said.split()))


class HashedWords:
    """A sentence encoder without weights: every word has a fixed pseudo-random direction, a text is their mean.

    Texts that share words lie near each other; it knows no synonyms. The same on every machine.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.name = f"hashed-words/1/{dimension}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension); zeros for a text without words."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            total = [0.0] * self.dimension
            for word in re.findall(r"\w+", text.casefold()):
                total = [have + more for have, more in zip(total, self._direction(word), strict=True)]
            length = math.sqrt(math.fsum(value * value for value in total))
            if length:
                row[:] = [value / length for value in total]
        return rows

    def _direction(self, word: str) -> list[float]:
        """Return one number in [-1, 1] per dimension, read off digests of the word."""
        octets = b""
        while len(octets) < self.dimension:
            octets += hashlib.sha256(f"{len(octets)}:{word}".encode("utf-8", "surrogatepass")).digest()
        return [octet / 127.5 - 1.0 for octet in octets[: self.dimension]]


class SharedWords:
    """A cross-encoder without weights: the share of the second text's words that stand in the first as well."""

    name = "shared-words/1"

    def encode(self, pairs: Sequence[Pair]) -> Scores:
        """Return one share in [0, 1] a pair; 0 for a second text without words."""
        return np.array([_shared(*pair) for pair in pairs], dtype=np.float32)


def _shared(first: str, second: str) -> float:
    held, wanted = (set(re.findall(r"\w+", text.casefold())) for text in (first, second))
    return len(held & wanted) / len(wanted) if wanted else 0.0


class ScriptedEncode:
    """A cross-encoder that works through a list of turns, one a call; `asked` holds the pairs it got.

    A turn is the scores of a call, what to raise, or a function of the pairs; one call too many raises AssertionError.
    """

    def __init__(
        self,
        turns: Iterable[Sequence[float] | Exception | Callable[[Sequence[Pair]], Sequence[float]]],
        *,
        name: str = "scripted-encode/1",
    ) -> None:
        self.name = name
        self.asked: list[tuple[Pair, ...]] = []
        self._turns = deque(turns)

    def encode(self, pairs: Sequence[Pair]) -> Scores:
        """Return or raise what the next turn says."""
        self.asked.append(tuple(pairs))
        if not self._turns:
            raise AssertionError(f"the script ended before call {len(self.asked)}: give ScriptedEncode one turn a call")
        turn = self._turns.popleft()
        if isinstance(turn, Exception):
            raise turn
        return np.array(turn(pairs) if callable(turn) else turn, dtype=np.float32)
