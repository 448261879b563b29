"""Generated passages, queries and vectors for the measurements beside this file: Zipf words, about 200 a passage."""

import json
import platform
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

VOCABULARY = 100_000
WORDS = 200
SHARES = (1.0, 0.1, 0.01)
FUNCTION_WORDS = 100
"""The most frequent words stand for those that no query asks for."""
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Text:
    """Passages as lists of words, in lots."""

    passages: int
    seed: int = 7

    def lots(self, size: int = 50_000) -> Iterator[list[list[str]]]:
        chance, words = np.random.default_rng(self.seed), np.array(vocabulary(), dtype=object)
        for start in range(0, self.passages, size):
            count = min(size, self.passages - start)
            lengths = np.clip(chance.normal(WORDS, WORDS / 4, count), 20, None).astype(np.int64)
            drawn = words[ranks(chance, int(lengths.sum()))]
            yield [lot.tolist() for lot in np.split(drawn, np.cumsum(lengths)[:-1])]

    def queries(self, count: int, terms: int = 5) -> list[tuple[str, ...]]:
        chance, words = np.random.default_rng(self.seed + 1), vocabulary()
        found: list[tuple[str, ...]] = []
        while len(found) < count:
            drawn = [r for r in ranks(chance, 4 * terms).tolist() if r >= FUNCTION_WORDS]
            distinct = sorted({words[rank] for rank in drawn[:terms]})
            if len(distinct) == terms:
                found.append(tuple(distinct))
        return found

    def groups(self) -> NDArray[np.float64]:
        """Return a number in [0, 1) for each passage: whoever sees a share sees the passages below it."""
        return np.random.default_rng(self.seed + 2).random(self.passages)


def vocabulary() -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(letters[rank // 26**place % 26] for place in range(4)) + "o" for rank in range(VOCABULARY)]


_WEIGHTS = 1.0 / (np.arange(VOCABULARY) + 2.7) ** 1.07
_SUMS = np.cumsum(_WEIGHTS) / _WEIGHTS.sum()


def ranks(chance: np.random.Generator, count: int) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(_SUMS, chance.random(count)), VOCABULARY - 1)


def units(chance: np.random.Generator, count: int, dimension: int = 384) -> NDArray[np.float32]:
    vectors = chance.standard_normal((count, dimension), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Took(NamedTuple):
    """Median milliseconds, by the clock and of this thread's processor time."""

    wall: float
    cpu: float


def p50(runs: dict[str, Callable[[int], object]], count: int, rounds: int = 5) -> dict[str, Took]:
    """Return the median milliseconds of each, run in turns on the same queries: the least of some rounds."""
    medians: dict[str, list[Took]] = {name: [] for name in runs}
    for _ in range(rounds):
        taken: dict[str, list[Took]] = {name: [] for name in runs}
        for at in range(count):
            for name, run in runs.items():
                taken[name].append(_timed(run, at))
        for name, times in taken.items():
            medians[name].append(Took(*(statistics.median(kind) for kind in zip(*times, strict=True))))
    return {name: Took(*(min(kind) for kind in zip(*found, strict=True))) for name, found in medians.items()}


def both_p50(run: Callable[[int], object], count: int) -> Took:
    """Return the median milliseconds of each query run once, by the clock and of this thread's processor time."""
    times = [_timed(run, at) for at in range(count)]
    return Took(*(statistics.median(kind) for kind in zip(*times, strict=True)))


def _timed(run: Callable[[int], object], at: int) -> Took:
    began, spent = time.perf_counter(), time.thread_time()
    run(at)
    cpu = 1000 * (time.thread_time() - spent)
    return Took(1000 * (time.perf_counter() - began), cpu)


def peak_mb() -> float:
    """Return the most memory this process has held, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # what the operating system tells of a process besides counts its parent's memory too
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(rows: list[dict[str, object]]) -> str:
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def save(name: str, title: str, rows: list[dict[str, object]], notes: list[str]) -> None:
    """Print the figures, and write them as Markdown and JSON."""
    about = f"Python {platform.python_version()}, numpy {np.__version__}, two shared x86-64 cores: read the ratios."
    text = "\n".join([f"# {title}", "", table(rows), "", *(f"- {note}" for note in [*notes, about]), ""])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    (RESULTS / f"{name}.json").write_text(json.dumps({"rows": rows, "notes": notes}, indent=1) + "\n", encoding="utf-8")
    print(text)


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
