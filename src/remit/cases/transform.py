"""One function a kind: what is done to the evidence of a question, and which actions are acceptable then."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from remit.cases.case import Case, Kind
from remit.cases.material import Changes, Document, Material, bearing, body, line_of, next_day, terse
from remit.cases.questions import Question
from remit.cases.swap import Swap, holds, swap_for
from remit.contract.catalogue import Collection
from remit.decide.decision import Action

WITHHELD: Final = "cases-withheld"
"""The label that no asker of a case holds."""
ARCHIVE: Final = Collection(name="cases-archive", title="closed archive", discoverable=True, primary=False)
VAULT: Final = Collection(name="cases-vault", title="cases vault", discoverable=False)
_KEY: Final = "edition"
_FIRST, _SECOND = "first", "second"
_NEXT: Final = "next"


class Ground(NamedTuple):
    """What a transformation works on: the question, its gold documents, what else may support it, and chance."""

    question: Question
    gold: tuple[Document, ...]
    material: Material
    pool: Sequence[str]
    chance: np.random.Generator


class Built(NamedTuple):
    """A case and what it asks of the store."""

    case: Case
    changes: Changes


Transform = Callable[[Ground], Built | None]


def build(kind: Kind, ground: Ground) -> Built | None:
    """Return the case of a kind; None where the question's evidence does not lend itself to it."""
    return TRANSFORMS[kind](ground)


def _case(ground: Ground, kind: Kind, acceptable: Sequence[Action], **more: object) -> Case:
    question = ground.question
    said = {
        "id": f"{question.id}/{kind}",
        "question": question.question,
        "asker": question.asker,
        "acceptable": tuple(acceptable),
        "golden_answers": question.golden,
        "gold_documents": tuple(one.revision.id for one in ground.gold),
        "kind": kind,
        "source": question.id,
        "part": question.part,
        **more,
    }
    return Case.model_validate(said)


def _answerable(ground: Ground) -> Built:
    return Built(_case(ground, "answerable", [Action.ANSWER]), Changes())


def _near_duplicate(ground: Ground) -> Built | None:
    """Add a copy without its last sentence where that does not hold the answer: it says the same in other bytes."""
    one = bearing(ground.gold, ground.question.golden)
    if one is None:
        return None
    text = body(one)
    head = text.rstrip().rpartition(". ")[0]
    same = f"{head}." if head and bearing([Document(one.revision, head)], ground.question.golden) else f"{text} (Copy.)"
    copy = line_of(one.revision, same, document=f"{one.revision.document}~copy")
    gold = (*(each.revision.id for each in ground.gold), f"{one.revision.document}~copy@{one.revision.revision}")
    return Built(_case(ground, "near-duplicate", [Action.ANSWER], gold_documents=gold), Changes(lines=[copy]))


def _incomplete(ground: Ground) -> Built | None:
    """Take away the document that holds the answer, and what else may support it."""
    one = bearing(ground.gold, ground.question.golden) or ground.gold[-1]
    others = _others(ground)
    if others is None:
        return None
    case = _case(ground, "incomplete", [Action.ABSTAIN], gold_documents=(), note=f"taken away: {one.revision.id}")
    return Built(case, Changes(delete=[one.revision.document, *others]))


def _conflicting(ground: Ground) -> Built | None:
    """Set a second authoritative document beside the first, with another answer."""
    made = _swapped(ground)
    if made is None:
        return None
    one, swap, changes = made
    changes.lines.append(line_of(one.revision, one.text, authority="authoritative"))
    twin = f"{one.revision.document}~other"
    changes.lines.append(line_of(one.revision, swap.of(body(one)), document=twin, authority="authoritative"))
    gold = (one.revision.id, f"{twin}@{one.revision.revision}")
    answers = (*ground.question.golden, swap.other)
    case = _case(ground, "conflicting", [Action.REVIEW], gold_documents=gold, golden_answers=answers, note=_note(swap))
    return Built(case, changes)


def _replaced(
    ground: Ground, kind: Kind, acceptable: Sequence[Action], old: Mapping[str, object], new: Mapping[str, object]
) -> Built | None:
    """Add a terse replacement with another answer; `old` and `new` are what the two revisions say of themselves."""
    made = _swapped(ground)
    if made is None:
        return None
    one, swap, changes = made
    changes.lines.append(line_of(one.revision, one.text, **old))
    text = swap.of(terse(body(one), swap.true))
    told = {"valid_from": next_day(one.revision), **new} if new.get("status") else dict(new)
    changes.lines.append(line_of(one.revision, text, revision=_NEXT, **told))
    answers = Action.ANSWER in acceptable
    gold = tuple(each.revision.id for each in ground.gold if each is not one)
    case = _case(
        ground,
        kind,
        acceptable,
        golden_answers=(swap.other,) if answers else (*ground.question.golden, swap.other),
        gold_documents=(*gold, *([] if answers else [one.revision.id]), f"{one.revision.document}@{_NEXT}"),
        note=_note(swap),
    )
    return Built(case, changes)


def _stale(ground: Ground) -> Built | None:
    one = bearing(ground.gold, ground.question.golden)
    old = {"status": "superseded"}
    new = {"status": "current", "supersedes": [one.revision.id]} if one else {}
    return _replaced(ground, "stale", [Action.ANSWER], old, new)


def _unlabelled(ground: Ground) -> Built | None:
    nothing = dict.fromkeys(("status", "valid_from", "valid_to", "supersedes"))
    acceptable = [Action.ABSTAIN, Action.CLARIFY, Action.REVIEW]
    return _replaced(ground, "unlabelled-revision", acceptable, nothing, nothing)


def _contested(ground: Ground) -> Built | None:
    both = {"status": "current", "authority": "authoritative"}
    return _replaced(ground, "conflicting-metadata", [Action.REVIEW, Action.CLARIFY], both, both)


def _inaccessible(ground: Ground) -> Built | None:
    one = bearing(ground.gold, ground.question.golden)
    old = {"status": "superseded"}
    new = {"status": "current", "labels": [WITHHELD], "supersedes": [one.revision.id]} if one else {}
    return _replaced(ground, "inaccessible-replacement", [Action.ABSTAIN, Action.DENY], old, new)


def _ambiguous(ground: Ground) -> Built | None:
    """Let two documents hold for two values of a key that the question leaves open, with two answers."""
    return _two_editions(ground, "ambiguous", [Action.CLARIFY], params={})


def _parameter_given(ground: Ground) -> Built | None:
    """The same, with the key given: the answer is that of the value given, and never another's."""
    return _two_editions(ground, "parameter-given", [Action.ANSWER], params={_KEY: _SECOND})


def _two_editions(
    ground: Ground, kind: Kind, acceptable: Sequence[Action], *, params: Mapping[str, str]
) -> Built | None:
    made = _swapped(ground)
    if made is None:
        return None
    one, swap, changes = made
    other = f"{one.revision.document}~{_SECOND}"
    changes.lines.append(line_of(one.revision, one.text, applies_to={_KEY: [_FIRST]}))
    changes.lines.append(line_of(one.revision, swap.of(body(one)), document=other, applies_to={_KEY: [_SECOND]}))
    rest = tuple(each.revision.id for each in ground.gold if each is not one)
    second = f"{other}@{one.revision.revision}"
    case = _case(
        ground,
        kind,
        acceptable,
        params=params,
        golden_answers=(swap.other,) if params else (*ground.question.golden, swap.other),
        gold_documents=(*rest, second) if params else (*rest, one.revision.id, second),
        note=_note(swap),
    )
    return Built(case, changes)


def _denied(ground: Ground) -> Built | None:
    """Move the evidence into a collection that the question names, that is known and that the asker may not read."""
    asked = ground.question.question
    question = (
        f"According to the {ARCHIVE.title}, {asked[:1].lower() if asked[1:2].islower() else asked[:1]}{asked[1:]}"
    )
    return _withheld(ground, "denied", [Action.DENY], ARCHIVE, question=question)


def _hidden(ground: Ground) -> Built | None:
    """Move the evidence to where the asker may not even know of it: to be told apart from absent by nothing."""
    return _withheld(ground, "hidden", [Action.ABSTAIN, Action.DENY], VAULT, question=ground.question.question)


def _withheld(
    ground: Ground, kind: Kind, acceptable: Sequence[Action], collection: Collection, *, question: str
) -> Built | None:
    others = _others(ground)
    if others is None:
        return None
    moved = [line_of(one.revision, one.text, labels=[WITHHELD], collection=collection.name) for one in ground.gold]
    case = _case(ground, kind, acceptable, question=question, gold_documents=())
    return Built(case, Changes(delete=list(others), lines=moved))


def _swapped(ground: Ground) -> tuple[Document, Swap, Changes] | None:
    """Return the document that holds the answer and the answer to put in its place; what else supports it goes.

    None where another gold document says it too, or the question names it: the swap would contradict nothing, or the question.
    """
    asked, others = ground.question, _others(ground)
    bears = [one for one in ground.gold if bearing([one], asked.golden)]
    if len(bears) != 1 or others is None or holds(asked.question, asked.golden):
        return None
    one = bears[0]
    swap = swap_for(
        one.text, asked.golden, f"{asked.question} {one.revision.title}", pool=ground.pool, chance=ground.chance
    )
    return None if swap is None else (one, swap, Changes(delete=list(others)))


def _others(ground: Ground) -> tuple[str, ...] | None:
    gold = [one.revision.document for one in ground.gold]
    return ground.material.beside(ground.question.question, ground.question.golden, gold)


def _note(swap: Swap) -> str:
    return f"{swap.true!r} and {swap.other!r}"


TRANSFORMS: Final[Mapping[Kind, Transform]] = MappingProxyType(
    {
        "answerable": _answerable,
        "near-duplicate": _near_duplicate,
        "incomplete": _incomplete,
        "conflicting": _conflicting,
        "stale": _stale,
        "unlabelled-revision": _unlabelled,
        "conflicting-metadata": _contested,
        "inaccessible-replacement": _inaccessible,
        "ambiguous": _ambiguous,
        "parameter-given": _parameter_given,
        "denied": _denied,
        "hidden": _hidden,
    }
)
