"""How long a straight ask on the sample corpus takes in a warm process, without a chat model. Bound: p50 under 300 ms."""

import json
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from remit import Remit, parse_principal

PLANT = Path(__file__).resolve().parents[1] / "examples" / "plant"
TODAY = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BOUND_MS = 300
ASKS = 50


def straight() -> list[tuple[str, str]]:
    """Return questions that one search can answer, each with who asks it."""
    lines = (PLANT / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["acceptable"] == ["answer"] and not case["as_of"]]
    return [(case["question"], case["asker"]) for case in cases]


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def row(name: str, took: list[tuple[float, float]]) -> str:
    """Return one line of the table: by the clock, and of the processor, which other work on the machine does not stretch."""
    wall, processor = [one for one, _ in took], [one for _, one in took]
    shown = [1000 * each for each in (statistics.median(wall), percentile(wall, 0.95), statistics.median(processor))]
    return f"{name:34} {len(took):6} {shown[0]:9.1f} {shown[1]:9.1f} {shown[2]:12.1f}"


def main() -> int:
    """Print the table and return 1 where the bound is missed."""
    questions = straight()
    with (
        tempfile.TemporaryDirectory() as folder,
        Remit.open(Path(folder) / "store", make=True, now=lambda: TODAY) as remit,
    ):
        began = time.perf_counter()
        report = remit.ingest([PLANT])
        ingested = time.perf_counter() - began
        times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for new in (True, False):
            for turn in range(ASKS):
                question, asker = questions[turn % len(questions)]
                # Other words each time, so that no cached vector of the question helps; the same words the second time.
                text = f"{question} ({turn})" if new else question
                began, spent = time.perf_counter(), time.process_time()
                remit.ask(text, principal=parse_principal(asker))
                times[new].append((time.perf_counter() - began, time.process_time() - spent))
    print(f"{report.revisions} revisions, {report.passages} passages, ingested in {ingested:.1f} s\n")
    print(f"{'ask, warm process, no chat model':34} {'asks':>6} {'p50 ms':>9} {'p95 ms':>9} {'p50 cpu-ms':>12}")
    print(row("a question not asked before", times[True][5:]))
    print(row("a question asked before", times[False]))
    print(f"\nbound: p50 {BOUND_MS} ms")
    return int(1000 * statistics.median(wall for wall, _ in times[True][5:]) > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
