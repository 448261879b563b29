"""How much processor time the longest questions take, written to cost as much as they can. Bound: 5 s each.

    bench/hostile.py

The service bounds how many questions run at once and how many a caller may send; this bounds what one of them can cost.
"""

import sys
import tempfile
import time
from pathlib import Path

from remit import Remit, parse_principal

PLANT = Path(__file__).resolve().parents[1] / "examples" / "plant"
MARA = parse_principal("mara:maintenance")
LONGEST = 10_000
BOUND_SECONDS = 5
PIECES = {
    "one long word": "a",
    "one long word with accents": "é",
    "numbers": "1,",
    "numbers with units": "5 bar ",
    "comparisons": "more than 5 ",
    "amounts from and to": "between 1 and 2 ",
    "qualified things": "line 2 ",
    "years": "in 2024 ",
    "days": "2024-01-01 ",
    "names": "Aa ",
    "quotation marks": '"a" ',
    "scenes": "The pump runs. ",
}


def main() -> int:
    """Print processor seconds of asking and searching, and return 1 where the bound is missed."""
    asked = {name: (piece * LONGEST)[:LONGEST] for name, piece in PIECES.items()}
    asked["codes"] = " ".join(f"P-{number}" for number in range(LONGEST))[:LONGEST]
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder, Remit.open(Path(folder) / "store", make=True) as remit:
        remit.ingest([PLANT])
        remit.ask("How often should the oil in G-201 be changed?", principal=MARA)
        print(f"{'question of 10,000 characters':30} {'ask, cpu-s':>11} {'search, cpu-s':>14}")
        for name, text in asked.items():
            began = time.process_time()
            remit.ask(text, principal=MARA)
            between = time.process_time()
            remit.search(text, principal=MARA)
            print(f"{name:30} {between - began:11.2f} {time.process_time() - between:14.2f}", flush=True)
            worst = max(worst, between - began)
    print(f"most {worst:.2f}, bound {BOUND_SECONDS}")
    return int(worst > BOUND_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
