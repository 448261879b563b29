"""Near-duplicates: MinHash (Broder, 1997) in bands proposes pairs, their exact shares of common shingles decide."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remit.contract.terms import terms

HASHES: Final = 128
BANDS: Final = 32
"""Bands of four hashes: a pair that shares half of its shingles is proposed with probability .87, one that shares .8 with
1 - 5e-8. What is proposed is compared exactly, so that a chance hit is no leak."""
_SHINGLE: Final = 3
_SEED: Final = 20_231_107


class Near(NamedTuple):
    """Two keys and the share of their shingles that both have (Jaccard), in [0, 1]."""

    one: str
    other: str
    likeness: float


def near_pairs(texts: Mapping[str, str], *, threshold: float) -> list[Near]:
    """Return the pairs of texts whose likeness is at least `threshold`, in the order of their keys in `texts`."""
    shingled = {key: shingles(text) for key, text in texts.items()}
    place = {key: at for at, key in enumerate(texts)}
    proposed = {pair for pair in _proposed(shingled) if likeness(shingled[pair[0]], shingled[pair[1]]) >= threshold}
    ordered = sorted(proposed, key=lambda pair: (place[pair[0]], place[pair[1]]))
    return [Near(one, other, likeness(shingled[one], shingled[other])) for one, other in ordered]


def shingles(text: str) -> frozenset[str]:
    """Return the runs of three terms in a text; of a shorter one, the whole.

    >>> sorted(shingles("Who built the old bridge?"))
    ['built the old', 'the old bridg', 'who built the']
    """
    found = [term.term for term in terms(text)]
    runs = {" ".join(found[at : at + _SHINGLE]) for at in range(len(found) - _SHINGLE + 1)}
    return frozenset(runs or ({" ".join(found)} if found else ()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common shingles; 0 where neither has one."""
    return len(one & other) / len(one | other) if one or other else 0.0


def _proposed(shingled: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs that agree on all hashes of a band, some of them more than once."""
    rows = HASHES // BANDS
    buckets: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    for key, held in shingled.items():
        if held:
            signature = _signature(held)
            for band in range(BANDS):
                buckets[band, signature[band * rows : (band + 1) * rows].tobytes()].append(key)
    for keys in buckets.values():
        yield from combinations(keys, 2)


def _signature(held: frozenset[str]) -> NDArray[np.uint64]:
    """Return the least of each hash over the shingles."""
    octets = b"".join(hashlib.sha256(one.encode("utf-8", "surrogatepass")).digest()[:8] for one in held)
    least: NDArray[np.uint64] = _mixed(np.frombuffer(octets, "<u8")[None, :] ^ _SEEDS[:, None]).min(axis=1)
    return least


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers as far apart as chance has it (the finaliser of SplitMix64); products wrap around, as they should."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


_SEEDS: Final = np.random.default_rng(_SEED).integers(0, 1 << 63, HASHES, dtype=np.uint64)
