"""The formats by name, and the one function that reads any of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remit.cases.formats.beir import beir
from remit.cases.formats.flashrag import flashrag
from remit.cases.formats.kilt import eli5, fever, kilt, wow
from remit.cases.formats.multihop import hotpotqa, musique, two_wiki
from remit.cases.formats.openqa import asqa, nq_open, triviaqa
from remit.cases.formats.question import Loaded
from remit.cases.formats.robustness import clapnq, ramdocs, rgb
from remit.cases.formats.trec import trec
from remit.errors import InvalidInput

FORMATS: Final[dict[str, Callable[[Path], Loaded]]] = {
    "2wiki": two_wiki,
    "asqa": asqa,
    "beir": beir,
    "clapnq": clapnq,
    "eli5": eli5,
    "fever": fever,
    "flashrag": flashrag,
    "hotpotqa": hotpotqa,
    "kilt": kilt,
    "musique": musique,
    "nq-open": nq_open,
    "ramdocs": ramdocs,
    "rgb": rgb,
    "trec": trec,
    "triviaqa": triviaqa,
    "wow": wow,
}
"""BEIR and TREC take a folder, all others a file."""


def load(path: Path, name: str) -> Loaded:
    """Return the questions and texts of a file or folder in the format of that name.

    Raises:
        InvalidInput: there is no such format; or naming file, line and field of what cannot be used.
        NothingThere: there is no such file.
    """
    if name not in FORMATS:
        raise InvalidInput(f"{name!r} is no format of question sets; known are {', '.join(FORMATS)}")
    return FORMATS[name](path)
