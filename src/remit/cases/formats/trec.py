"""TREC: topics (the SGML of the tracks, or number and query apart by a tab), qrels and runs."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

from remit.cases.formats.question import Loaded, Question
from remit.cases.formats.reading import fault, lines, unique

_TAG: Final = re.compile(r"<\s*(?P<tag>/?\w+)\s*>\s*(?P<rest>.*)")
_NUMBER: Final = re.compile(r"(?:number:)?\s*(?P<number>\S+)", re.IGNORECASE)
_QRELS, _RUN = 4, 6
_LABELS: Final = re.compile(r"^(?:description|narrative|topic)\s*:\s*", re.IGNORECASE)


class Ranked(NamedTuple):
    """One line of a run."""

    text: str
    rank: int
    score: float


def trec(path: Path) -> Loaded:
    """Return the topics of a folder that its qrels judge: files named ``topics*`` and ``qrels*``.

    The title is asked; description and narrative are kept. A text judged above 0 is gold.

    Raises:
        NothingThere: there is no such file.
        InvalidInput: naming file, line and field of what cannot be used.
    """
    topics, qrels = _one(path, "topics*"), _one(path, "qrels*")
    judged = read_qrels(qrels)
    found = [_question(topic, judged.get(topic["num"], {})) for topic in read_topics(topics)]
    kept = [one for one in found if one.id in judged]
    missing = judged.keys() - {one.id for one in kept}
    if missing:
        raise fault(topics, None, "num", f"topic {min(missing)} is judged in {qrels.name} and is not there")
    return Loaded(unique(topics, kept, lambda one: one.id))


def read_topics(path: Path) -> list[dict[str, str]]:
    """Return the topics of a file, each with its ``num`` and ``title``, and ``desc`` and ``narr`` where they are there.

    Raises:
        InvalidInput: naming the line that cannot be used.
    """
    first = next(lines(path), (0, ""))[1].lstrip()
    return _tagged(path) if first.startswith("<") else _tabbed(path)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Return the grade of each judged text by topic.

    Raises:
        InvalidInput: naming line and field of what cannot be used.
    """
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in lines(path):
        fields = line.split()
        if len(fields) != _QRELS:
            raise fault(path, number, None, f"want topic, iteration, document and relevance, not {len(fields)} fields")
        try:
            found[fields[0]][fields[2]] = int(fields[3])
        except ValueError as error:
            raise fault(path, number, "relevance", f"{fields[3]!r} is no whole number") from error
    return dict(found)


def read_run(path: Path) -> dict[str, tuple[Ranked, ...]]:
    """Return the ranked texts of a run by topic, best score first, as trec_eval orders them (ties: the larger id first).

    Raises:
        InvalidInput: naming line and field of what cannot be used; a text that stands twice for a topic.
    """
    found: dict[str, dict[str, Ranked]] = defaultdict(dict)
    for number, line in lines(path):
        fields = line.split()
        if len(fields) != _RUN:
            raise fault(path, number, None, f"want topic, Q0, document, rank, score and tag, not {len(fields)} fields")
        try:
            ranked = Ranked(fields[2], int(fields[3]), float(fields[4]))
        except ValueError as error:
            raise fault(path, number, "rank or score", f"{fields[3]!r} and {fields[4]!r} are no numbers") from error
        if not math.isfinite(ranked.score):
            raise fault(path, number, "score", f"{fields[4]!r} cannot be ordered")
        if ranked.text in found[fields[0]]:
            raise fault(path, number, "document", f"{ranked.text!r} stands twice for topic {fields[0]}")
        found[fields[0]][ranked.text] = ranked
    return {
        topic: tuple(sorted(held.values(), key=lambda one: (one.score, one.text), reverse=True))
        for topic, held in found.items()
    }


def _one(folder: Path, pattern: str) -> Path:
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        raise fault(folder, None, None, f"want one file named {pattern}, found {len(files)}")
    return files[0]


def _question(topic: dict[str, str], grades: dict[str, int]) -> Question:
    gold = tuple(text for text, grade in grades.items() if grade > 0)
    more = {key: value for key, value in topic.items() if key in {"desc", "narr"}}
    id = topic["num"]
    return Question(id, topic["title"], gold=gold, grades=grades, groups=(id,), kind="retrieval", more=more)


def _tabbed(path: Path) -> list[dict[str, str]]:
    found = []
    for number, line in lines(path):
        num, tab, title = line.partition("\t")
        if not (num.strip() and tab and title.strip()):
            raise fault(path, number, None, "want a number and a query apart by a tab")
        found.append({"num": num.strip(), "title": title.strip()})
    return found


def _tagged(path: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    held: dict[str, list[str]] = {}
    begun = tag = None
    for number, line in lines(path):
        match = _TAG.match(line.strip())
        if match is None:
            if begun is not None and tag is not None:
                held[tag].append(line.strip())
            continue
        name = match["tag"].lower()
        if name == "top":
            begun, tag, held = number, None, {}
        elif name == "/top":
            found.append(_topic(path, begun, number, held))
            begun = tag = None
        elif not name.startswith("/"):
            tag = name
            held[name] = [match["rest"].partition(f"</{name}")[0]]
    if begun is not None:
        raise fault(path, begun, None, "this topic has no </top>")
    return found


def _topic(path: Path, begun: int | None, ended: int, held: dict[str, list[str]]) -> dict[str, str]:
    if begun is None:
        raise fault(path, ended, None, "</top> without a <top> before it")
    told = {name: " ".join(" ".join(parts).split()) for name, parts in held.items()}
    told = {name: _LABELS.sub("", text) for name, text in told.items()}
    number = _NUMBER.match(told.get("num", ""))
    if number is None or not told.get("title"):
        raise fault(path, begun, "num" if number is None else "title", "is missing from this topic")
    return {**told, "num": number["number"]}
