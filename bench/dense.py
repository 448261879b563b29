"""Exact dense search beside the time it takes to read the same bytes once: bench/dense.py [PASSAGES]."""

import importlib.util
import sys

import numpy as np
from generated import SHARES, p50, save, units

from remit.corpus.quantise import quantise
from remit.retrieve.body import Body, Chosen
from remit.retrieve.building import Run, part_of
from remit.retrieve.fuse import leading

DIMENSION = 384
K = 100
QUERIES = 40
SMALL = 100_000
MOST_MS_AT_ONE_PERCENT = 1.0
MOST_FLOORS = 2.0


def main(passages: int) -> int:
    """Print medians and ratios; 1 where a bound is missed."""
    chance = np.random.default_rng(7)
    stored = quantise(units(chance, passages))
    part = part_of([Run(1, "en", range(passages), [()] * passages, stored)], DIMENSION)
    queries, groups = units(chance, QUERIES), chance.random(passages)
    words = part.vectors.reshape(-1).view(np.int64)
    floats = (part.vectors * part.scales[:, None]).astype(np.float32) if passages <= SMALL else None
    rows, missed = [], False
    for share in SHARES:
        chosen = None if share == 1.0 else np.flatnonzero(groups < share)
        body = Body([Chosen(part, chosen)])
        runs = {
            "remit": lambda at, body=body: leading(body.cosines(queries[at : at + 1]), K),
            "floor": lambda _, share=share: words[: int(len(words) * share)].max(),
        }
        if floats is not None:
            runs["float32"] = lambda at, chosen=chosen: leading(
                ((floats if chosen is None else floats[chosen]) @ queries[at]).astype(np.float64), K
            )
        found = p50(runs, QUERIES)
        rows.append(
            {
                "visible": f"{share:.0%}",
                "remit ms": found["remit"].wall,
                "reading the bytes ms": found["floor"].wall,
                "ratio": found["remit"].wall / found["floor"].wall,
                "remit cpu-ms": found["remit"].cpu,
                "reading cpu-ms": found["floor"].cpu,
                "cpu ratio": found["remit"].cpu / found["floor"].cpu,
                **({"numpy float32 ms": found["float32"].wall} if "float32" in found else {}),
            }
        )
        missed |= share == 1.0 and found["remit"].wall > MOST_FLOORS * found["floor"].wall
        missed |= share == SHARES[-1] and passages <= SMALL and found["remit"].wall > MOST_MS_AT_ONE_PERCENT
    kernel = "numkong" if importlib.util.find_spec("numkong") else "numpy"
    notes = [
        f"{passages} vectors of {DIMENSION} dimensions in 8 bits, the best {K} of the visible ones, exactly; kernel: {kernel}.",
        f"Bounds: {MOST_FLOORS:.0f} x the reading at 100 %, under {MOST_MS_AT_ONE_PERCENT:.0f} ms at 1 % of 100k.",
    ]
    save(f"dense-{passages // 1000}k-{kernel}", f"Dense search, {passages} passages", rows, notes)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
