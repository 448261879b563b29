"""From a store and a question set to cases and the changes that they ask of a copy of the store. Same seed, same cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from remit.access.principal import parse_principal
from remit.access.scope import labels_of
from remit.cases.case import Case, Kind
from remit.cases.material import Changes, Document, Material
from remit.cases.questions import Question, grouped
from remit.cases.transform import Built, Ground, build

SHARES: Final[Mapping[Kind, int]] = MappingProxyType(
    {
        "answerable": 6,
        "near-duplicate": 1,
        "incomplete": 4,
        "conflicting": 1,
        "stale": 1,
        "unlabelled-revision": 1,
        "conflicting-metadata": 1,
        "inaccessible-replacement": 1,
        "ambiguous": 1,
        "parameter-given": 1,
        "denied": 1,
        "hidden": 1,
    }
)
"""How many of twenty groups become cases of each kind."""

_WHOLE_GROUP: Final = frozenset({"answerable", "incomplete", "denied", "hidden"})
"""Kinds that change no text: all questions of a group can be asked of the same change. Of others the first one is."""


class Cases(NamedTuple):
    """The cases, what they ask of the store, and why questions were left out, counted."""

    cases: tuple[Case, ...]
    changes: Changes
    left_out: Mapping[str, int]


def build_cases(
    documents: Mapping[str, Document],
    questions: Sequence[Question],
    *,
    seed: int,
    shares: Mapping[Kind, int] = SHARES,
    limit: int | None = None,
) -> Cases:
    """Return cases built from the questions, each group of them under one kind, in the given proportions.

    A group whose evidence does not lend itself to its kind stays answerable. `limit` bounds the number of groups.
    """
    left: Counter[str] = Counter()
    usable = [question for question in questions if _usable(question, documents, left)]
    titles = {id: one.revision.title for id, one in documents.items()}
    groups = grouped(usable, titles)
    material = Material(documents, (document for question in usable for document in question.gold))
    pool = sorted({answer for question in usable for answer in question.golden})
    chance = np.random.default_rng(seed)
    names = [sorted(groups)[int(place)] for place in chance.permutation(len(groups))][:limit]
    cases: list[Case] = []
    changes = Changes()
    for name, kind in zip(names, _kinds(shares, len(names), chance), strict=True):
        for built in _group(groups[name], kind, material, pool, chance):
            cases.append(built.case.model_copy(update={"group": name}))
            changes.add(built.changes)
    return Cases(tuple(sorted(cases, key=lambda case: case.id)), changes, dict(sorted(left.items())))


def _group(
    questions: Sequence[Question], kind: Kind, material: Material, pool: Sequence[str], chance: np.random.Generator
) -> list[Built]:
    grounds = [_ground(question, material, pool, chance) for question in questions]
    chosen = grounds if kind in _WHOLE_GROUP else grounds[:1]
    built = [build(kind, ground) for ground in chosen]
    if all(one is not None for one in built):
        return [one for one in built if one is not None]
    return [one for one in (build("answerable", ground) for ground in grounds) if one is not None]


def _ground(question: Question, material: Material, pool: Sequence[str], chance: np.random.Generator) -> Ground:
    return Ground(question, tuple(material.documents[id] for id in question.gold), material, pool, chance)


def _kinds(shares: Mapping[Kind, int], count: int, chance: np.random.Generator) -> list[Kind]:
    """Return a kind for each group: whole rounds of the shares, in random order, the last one cut."""
    one_round = [kind for kind, share in shares.items() for _ in range(share)]
    made: list[Kind] = []
    while one_round and len(made) < count:
        made += [one_round[int(place)] for place in chance.permutation(len(one_round))]
    return made[:count]


def _usable(question: Question, documents: Mapping[str, Document], left: Counter[str]) -> bool:
    """Say whether a question's gold documents are there and readable for its asker; count why not."""
    missing = [id for id in question.gold if id not in documents]
    if missing:
        left["gold document not in the store, or none of its revisions holds"] += 1
        return False
    held = labels_of(parse_principal(question.asker))
    if not all(documents[id].revision.labels & held for id in question.gold):
        left["gold document not readable for the asker"] += 1
        return False
    return True
