"""Whether a revision can be stored as it is; the same for every store."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from remit.access.principal import clean_label
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision
from remit.corpus.store import NewRevision
from remit.errors import InvalidInput, MissingPrerequisite


def check(new: NewRevision, can_hold: Callable[[str], bool], *, whole: bool, width: int | None) -> None:
    """Go on where a revision can be stored as it is; `whole`: with its passages, and vectors of the store's `width`.

    Raises:
        InvalidInput: an id, a label, the digest, a passage's offsets or a vector are wrong.
        MissingPrerequisite: no encoder was named whose vectors these are.
    """
    revision = new.revision
    if whole and width is None:
        raise MissingPrerequisite("the store does not know its encoder yet; call use_encoder(name, dimension) first")
    faults = _wrong_ids(revision)
    if not all(map(can_hold, (new.text, revision.title, revision.collection, revision.source, *revision.labels))):
        faults.append("its text, title, source or a label holds half a surrogate pair, or what this store cannot hold")
        raise InvalidInput(f"{revision.id!a} cannot be stored: {faults[0]}")
    if text_digest(new.text) != revision.digest:
        faults.append("its digest is not that of its text")
    if faults := [*faults, *(_wrong_parts(new, width or 0) if whole else ())]:
        raise InvalidInput(f"{revision.id} cannot be stored: {faults[0]}")


def _wrong_ids(revision: Revision) -> list[str]:
    faults = [
        f"{field} {value!r} is blank or holds '@', '#' or a control character"
        for field, value in (("document", revision.document), ("revision", revision.revision))
        if not value.strip() or any(c in "@#" or not c.isprintable() for c in value)
    ]
    faults += [
        f"label {name!r} grants nothing" for name in revision.labels if clean_label(name) != name or name in {"", "*"}
    ]
    if not revision.collection.strip() or revision.collection == "*":
        faults.append(f"collection {revision.collection!r} is no name")
    if revision.id in revision.supersedes:
        faults.append("it supersedes itself")
    if revision.valid_from and revision.valid_to and revision.valid_to < revision.valid_from:
        faults.append("valid_to is before valid_from")
    return faults


def _wrong_parts(new: NewRevision, width: int) -> list[str]:
    faults = []
    several = (new.passage_vectors, *(vectors for vectors in new.sentence_vectors if len(vectors)))
    if any(vectors.ndim != 2 or vectors.shape[1] != width for vectors in several):  # noqa: PLR2004 - rows and columns
        return [f"its vectors are not {width} wide, as those of the store's encoder are"]
    if not all(np.isfinite(vectors).all() for vectors in several):
        faults.append("a vector holds something that is no number")
    if not new.passages:
        faults.append("it has no passages")
    if len(new.passage_vectors) != len(new.passages) or len(new.sentence_vectors) != len(new.passages):
        faults.append("it does not have one vector, and one set of sentence vectors, for each passage")
    faults += [f"passage {p.id} is not the text at its span" for p in new.passages if not _in_place(p, new)]
    faults += [
        f"passage {p.id} does not have one vector for each sentence"
        for p, vectors in zip(new.passages, new.sentence_vectors, strict=False)
        if len(vectors) != len(p.sentences)
    ]
    return faults


def _in_place(passage: Passage, new: NewRevision) -> bool:
    return (
        passage.id == f"{new.revision.id}#{passage.ordinal}"
        and passage.revision_id == new.revision.id
        and new.text[passage.start : passage.end] == passage.text
        and all(passage.start <= s.start <= s.end <= passage.end for s in passage.sentences)
    )
