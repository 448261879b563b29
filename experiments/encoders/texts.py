"""Which texts the static encoder learns from: passages, their sentences, titles and training questions.

Only nq and hotpotqa, and of those nothing that a dev question is judged by: its gold passages and candidates stay out.
A fifth of the training questions is kept to choose settings by, and its passages are left out of learning in the same
way. Musique is not looked at, so that it can be reported as untouched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

SETS = ("nq", "hotpotqa")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'0-9])")
_FEWEST_WORDS, _MOST_WORDS = 4, 60
_TUNING_SHARE = 5


class Texts(NamedTuple):
    """Texts of one kind in a fixed order; `learned` says of each whether it may be learned from."""

    texts: list[str]
    learned: np.ndarray


class Pairs(NamedTuple):
    """Places of a training question and of a gold passage of it, both among the texts of their kinds."""

    questions: list[int]
    passages: list[int]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def is_tuning(question: Mapping[str, Any]) -> bool:
    """Say whether a training question is one of those that settings are chosen by."""
    return sha256(question["id"].encode()).digest()[0] % _TUNING_SHARE == 0


def judged_by(questions: list[dict[str, Any]]) -> set[str]:
    """Return the ids of the passages that questions are judged by."""
    said = [question["metadata"] for question in questions]
    return {id for one in said for id in (*one["gold"], *one.get("candidates", ()))}


def chosen(data: Path, *, sentences: int, seed: int) -> tuple[dict[str, Texts], Pairs]:
    """Return the texts by kind, with as many sentences as asked for, drawn by `seed`; and the pairs to learn from."""
    passages: dict[str, dict[str, Any]] = {}
    tuning: set[str] = set()
    questions: list[dict[str, Any]] = []
    for name in SETS:
        out = judged_by(list(lines(data / name / "dev.jsonl")))
        passages |= {line["id"]: line for line in lines(data / name / "corpus.jsonl") if line["id"] not in out}
        train = list(lines(data / name / "train.jsonl"))
        tuning |= judged_by([question for question in train if is_tuning(question)])
        questions += train
    homes: dict[str, str] = {}
    for id, line in passages.items():
        for one in _SENTENCE.split(line["contents"].partition("\n")[2]):
            if _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS:
                homes.setdefault(one, id)
    usable = list(homes)
    drawn = [usable[at] for at in sorted(np.random.default_rng(seed).permutation(len(usable))[:sentences])]
    titles = {line["title"]: id for id, line in reversed(passages.items())}
    order = {id: at for at, id in enumerate(passages)}
    asked = [question["question"] for question in questions]
    learned = np.array([not is_tuning(question) for question in questions])
    pairs = [
        (at, order[id])
        for at, question in enumerate(questions)
        if learned[at]
        for id in question["metadata"]["gold"]
        if id in order and id not in tuning
    ]
    named = list(dict.fromkeys(line["title"] for line in passages.values()))
    return {
        "passages": Texts(
            [line["contents"] for line in passages.values()], np.array([i not in tuning for i in passages])
        ),
        "sentences": Texts(drawn, np.array([homes[one] not in tuning for one in drawn])),
        "titles": Texts(named, np.array([titles[one] not in tuning for one in named])),
        "questions": Texts(asked, learned),
    }, Pairs(*map(list, zip(*pairs, strict=True)))
