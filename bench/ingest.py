"""Ingest of generated Markdown files: passages a second, the share spent in encoding, and the same folder again.

    bench/ingest.py [--files 10000] [--sample 150] [--encoder static|minilm] [--report bench/results/ingest.md]

The fast encoder takes all files. The default one takes a sample of them, and what all would take is what one file took,
times their number: writing alone, which grows with the store, is measured on all files by the fast one.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from remit.corpus.ingest import ingest
from remit.corpus.sqlite import SqliteCorpus
from remit.errors import RemitError
from remit.llm.embed import Embed, Vectors

ENCODERS = {"static": "remit.adapters.static:StaticEncoder", "minilm": "remit.adapters.minilm:MiniLm"}
AGAIN_AT_MOST = 0.05
SETTLING = 2.5
WORDS = [
    "pump", "seal", "valve", "torque", "bolt", "gasket", "bearing", "housing", "shaft", "coupling", "filter", "pressure",
    "level", "motor", "switch", "line", "tank", "flange", "nut", "spring", "lever", "oil", "water", "steam", "check",
    "tighten", "open", "close", "drain", "flush", "record", "replace", "inspect", "before", "after", "every", "with",
    "under", "until", "slowly", "the", "a", "of", "and", "in", "to", "is", "must", "may", "not",
]  # fmt: skip


class Timed:
    """An encoder with a clock."""

    def __init__(self, encoder: Embed) -> None:
        self.name, self.dimension, self.seconds, self.texts = encoder.name, encoder.dimension, 0.0, 0
        self._encoder = encoder

    def embed(self, texts: Sequence[str]) -> Vectors:
        began = time.perf_counter()
        vectors = self._encoder.embed(texts)
        self.seconds += time.perf_counter() - began
        self.texts += len(texts)
        return vectors


class Taken(NamedTuple):
    files: int
    passages: int
    texts: int
    seconds: float
    encoding: float
    again: float
    share: float


def write(folder: Path, files: int) -> None:
    """Write files of one to three sections, about 250 words each, with front matter."""
    chance = random.Random(7)  # noqa: S311 - chance, not secrecy
    for number in range(files):
        parts = []
        for part in range(chance.randrange(1, 4)):
            sentences = [
                f"{' '.join(chance.choices(WORDS, k=12)).capitalize()} {chance.randrange(10**5)}." for _ in range(9)
            ]
            parts.append(f"## Part {part} of P-{number}\n\n{' '.join(sentences)}")
        path = folder / f"{number // 500:03}" / f"doc-{number:06}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\nlabels: [staff]\n---\n# Document {number}\n\n" + "\n\n".join(parts) + "\n")


def work() -> float:
    """Return the processor seconds of this process and those it has waited for: others may be using the machine."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def measure(folder: Path, store: Path, encoder: Embed, files: int) -> Taken:
    """Ingest `files` files, then again."""
    timed = Timed(encoder)
    timed.embed(["ready"])
    timed.seconds, timed.texts = 0.0, 0
    paths = [folder] if not (sample := sorted(folder.rglob("*.md"))[:files]) or files >= 10**6 else sample
    with SqliteCorpus.open(store, create=True) as corpus:
        began, worked = time.perf_counter(), work()
        report = ingest(paths, corpus, timed, now=datetime.now(UTC))
        seconds, first = time.perf_counter() - began, work() - worked
        began, worked = time.perf_counter(), work()
        again = ingest(paths, corpus, timed, now=datetime.now(UTC))
        took, share = time.perf_counter() - began, (work() - worked) / first
    if report.rejected or again.revisions or again.snapshot != report.snapshot:
        raise SystemExit("the ingest is not what it should be: run the tests")
    return Taken(report.revisions, report.passages, timed.texts, seconds, timed.seconds, took, share)


def row(name: str, taken: Taken, files: int) -> str:
    rate = taken.passages / taken.seconds
    whole = taken.seconds * files / taken.files
    told = f"{whole:.0f} s" if taken.files == files else f"about {whole / 60:.0f} min"
    return (
        f"| `{name}` | {taken.files} | {taken.passages} | {taken.texts} | {taken.seconds:.1f} s | {rate:.0f} | "
        f"{100 * taken.encoding / taken.seconds:.0f} % | {told} | {taken.again:.2f} s, {100 * taken.share:.1f} % |"
    )


def main() -> int:
    """Print a table; 1 where the same folder again takes more than its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--encoder", choices=sorted(ENCODERS))
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    lines = [
        f"{given.files} generated Markdown files, one process that encodes and one that reads ahead.",
        "",
        "| encoder | files | passages | texts encoded | time | passages a second | in encoding | all files | again |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    slow = False
    with tempfile.TemporaryDirectory(prefix="remit-ingest-") as work:
        folder = Path(work) / "docs"
        folder.mkdir()
        write(folder, given.files)
        time.sleep(SETTLING)  # what changed a moment ago is compared by content the next time
        for name, place in ENCODERS.items():
            if given.encoder not in {None, name}:
                continue
            module, _, made = place.partition(":")
            try:
                encoder: Embed = getattr(import_module(module), made)()
                taken = measure(folder, Path(work) / name, encoder, given.files if name == "static" else given.sample)
            except (ImportError, RemitError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            slow = slow or taken.share > AGAIN_AT_MOST
            lines.append(row(name, taken, given.files))
    lines += [
        "",
        "Texts are passages and their distinct sentences. Times are of the clock on a machine that others may be using; the share",
        f"of the same folder again is of processor time, and has to stay under {100 * AGAIN_AT_MOST:.0f} %.",
    ]
    print("\n".join(lines))
    if given.report:
        given.report.parent.mkdir(parents=True, exist_ok=True)
        given.report.write_text("# Ingest\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
