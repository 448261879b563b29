"""Two versions of one sentence."""

from __future__ import annotations

import numpy as np
import pytest
from written import asked, hit, ranked, revision

from remit.answer.draft import Citation, Claim, Draft
from remit.answer.evidence import Evidence, weigh
from remit.contract.contract import Contract
from remit.observe.agreement import agreement
from remit.observe.versions import versions

BRIDGE = "The stone bridge of Arden was built by {}. It carries the road to the mill, and a toll was taken there."


def weighed(contract: Contract, *texts: str, names: tuple[str, ...] = ("A", "B")) -> tuple[Evidence, ...]:
    """Weigh one passage a text, each of a document of its own, all alike to the encoder."""
    hits = [hit(revision(name, authority="authoritative"), text) for name, text in zip(names, texts, strict=True)]
    question = np.array([[1.0, 0.0]], dtype=np.float32)

    def vectors(passage):
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(passage.sentences), 1))

    return weigh(contract, ranked(*hits), question, vectors, lambda word, others: 0.0)


def pairs(contract: Contract, *texts: str) -> int:
    """Return how many pairs of versions are found."""
    found = weighed(contract, *texts)
    holds = frozenset(e.hit.passage.revision_id for e in found)
    return len(list(versions(contract, found[:1], found, holds)))


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        (BRIDGE.format("Ada Byron"), BRIDGE.format("Jo Marsh"), 1),
        (BRIDGE.format("Ada Byron"), BRIDGE.format("the guild of Corve"), 1),
        (BRIDGE.format("Ada Byron"), BRIDGE.format("Ada Byron"), 0),
        (BRIDGE.format("Ada Byron"), "The mill of Bryn was built by Jo Marsh.", 0),
        (BRIDGE.format("Ada Byron"), BRIDGE.format("Ada Byron").replace("Arden", "Bryn"), 0),
        (BRIDGE.format("Ada Byron"), BRIDGE.format("Ada Byron, they say"), 0),
    ],
)
def test_versions_are_told_by_what_stands_in_the_same_place(one: str, other: str, count: int) -> None:
    """Other words in the same place of the same text; not another thing that the question names, and nothing added."""
    assert count == pairs(asked("Who built the stone bridge of Arden?"), one, other)


def drafted(main: Evidence) -> Draft:
    """Return the draft that quotes one sentence and says no more."""
    citation = Citation.of(
        document=main.hit.passage.document,
        revision=main.hit.passage.revision,
        passage=main.hit.passage.id,
        span=main.span,
        quote=main.text,
    )
    return Draft(answer=main.text, claims=(Claim(text=main.text, citations=(citation,), support=1.0),), method="t")


def test_versions_of_authoritative_sources_contradict_each_other() -> None:
    """The two sentences are a conflict, whatever form the answer has; one that does not hold is none."""
    contract = asked("Who built the stone bridge of Arden?")
    found = weighed(contract, BRIDGE.format("Ada Byron"), BRIDGE.format("the guild of Corve"))
    main = found[0]
    draft = drafted(main)
    both = frozenset(e.hit.passage.revision_id for e in found)
    assert [1, 0] == [
        len(agreement(contract, draft, found, holds).conflicts)
        for holds in (both, frozenset([main.hit.passage.revision_id]))
    ]


OFFICE = "On Monday {} declared a state of emergency in all of Arden and told his people to prepare. It passed."


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("President Ada Byron", "Jo Marsh", 1),
        ("President", "Jo Marsh", 0),
        ("President Byron", "President Marsh", 1),
        ("unit P-7 crew", "unit P-8 crew", 0),
    ],
)
def test_a_word_of_the_question_on_one_side_names_nothing_alone(one: str, other: str, count: int) -> None:
    """A common word of the question among replaced words does not tell two versions apart; all of them, or a code, do."""
    contract = asked("who was the president of arden in the P-7 emergency")
    assert count == pairs(contract, OFFICE.format(one), OFFICE.format(other))


def test_versions_beside_the_question_ask_nothing_back() -> None:
    """Where the drafted sentence does not carry what is asked, two versions of it neither contradict nor leave a key open."""
    contract = asked("What is the toll of the iron gate of Corve?")
    found = weighed(contract, BRIDGE.format("Ada Byron"), BRIDGE.format("the guild of Arden"))
    main = found[0]
    draft = drafted(main)
    read = agreement(contract, draft, found, frozenset(e.hit.passage.revision_id for e in found))
    assert (read.conflicts, read.open_parameters) == ((), ())
