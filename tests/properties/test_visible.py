"""No reading, estimate or probability makes a passage visible that the scope does not admit."""

from __future__ import annotations

import itertools

from by_words import Record, weighed
from hypothesis import given
from hypothesis import strategies as st
from written import STAFF, asked, hit, ranked, revision

from remit.answer.draft import Citation, Claim, Draft
from remit.contract.budget import Budget, Limits
from remit.corpus.document import Snapshot, Span
from remit.decide.decision import Action
from remit.decide.point import OperatingPoint
from remit.decide.proposal import Proposal
from remit.decide.rules import decide
from remit.observe.evaluator import Evaluator
from remit.observe.observation import Estimate, Observation, Support, Unmeasured
from remit.observe.read import Reader
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit

CONTRACT = asked("How long is the seal flushed?")
SNAPSHOT = Snapshot(number=1, digest="sha256:0")
TEXT = "The seal is flushed for {} minutes."
SURE = Evaluator(name="sure", signals=("confidence",), center=(0.0,), scale=(1.0,), weights=(0.0,), knots=((0.0, 1.0),))
PLAN = Proposal(plan="final_answer = GenerateAnswer(question, doc_list)", fingerprint="f", policy="t")
FULL = Budget.of(Limits(rounds=2), now=0.0)


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    """Draw a ranking of a faulty search: some of its passages lie outside the scope."""
    labels = draw(st.lists(st.sampled_from(["staff", "hr", "board"]), min_size=1, max_size=5))
    minutes = draw(st.lists(st.integers(1, 99), min_size=len(labels), max_size=len(labels)))
    return ranked(
        *(
            hit(revision(f"D-{number}", labels=[label]), TEXT.format(value))
            for number, (label, value) in enumerate(zip(labels, minutes, strict=True))
        )
    )


def quoting(ranking: Ranking, cited: int) -> Draft:
    """Draft from any passage of the ranking, hidden ones too."""
    passage = ranking.hits[cited % ranking.k].passage
    span = Span(0, len(passage.text))
    citation = Citation.of(
        document=passage.document, revision=passage.revision, passage=passage.id, span=span, quote=passage.text
    )
    claim = Claim(text=passage.text, citations=(citation,), support=1.0)
    return Draft(answer=passage.text, claims=(claim,), confidence=1.0, method="t")


def read(ranking: Ranking, draft: Draft, evaluator: Evaluator | None) -> Observation:
    """Read everything, as the line does, where all that was found is sent."""
    return read_sent(ranking, ranking, draft, evaluator)


def read_sent(found: Ranking, sent: Ranking, draft: Draft, evaluator: Evaluator | None) -> Observation:
    """Read everything, as the line does, where some of what was found is sent."""
    candidates = Candidates(hits=found.hits, readable=1, visible=1, snapshot=SNAPSHOT)
    reader = Reader(Record(*(one.source for one in found.hits)), lambda c, r, s: weighed(c, r), evaluator)
    return reader.read(CONTRACT, STAFF, SNAPSHOT, candidates, sent, draft)


@given(rankings(), st.integers(0, 9), st.integers(1, 5), st.sampled_from([None, SURE]))
def test_only_authorization_names_what_lies_outside(
    ranking: Ranking, cited: int, sent: int, evaluator: Evaluator | None
) -> None:
    """Whatever was found, ranked, drafted and estimated, no other reading holds a passage or revision outside the scope."""
    draft = quoting(ranking, cited)
    seen = read_sent(ranking, ranked(*ranking.hits[:sent]), draft, evaluator)
    hidden = {h for h in ranking.hits if not h.source.labels & STAFF.labels}
    others = seen.model_copy(update={"authorization": Unmeasured(reason="left out here")})
    said = others.model_copy(update={"citations": Unmeasured(reason="names what the draft cites")}).model_dump_json()
    assert [one.passage.id for one in hidden if f'"{one.source.id}' in said] == []
    assert not {
        digest for digest in seen.citations.verified for one in hidden if one.passage.id == draft.citations[0].passage
    }


@given(
    rankings(),
    st.integers(0, 9),
    st.floats(0, 1),
    st.one_of(st.none(), st.floats(0, 1)),
    st.lists(st.sampled_from(["relevance", "coverage", "agreement", "validity", "citations"]), unique=True),
)
def test_no_reading_opens_what_the_scope_closes(
    ranking: Ranking, cited: int, estimated: float, supported: float | None, waived: list[str]
) -> None:
    """With a passage outside the scope in use the decision is deny, whatever is estimated, added or waived."""
    seen = read(ranking, quoting(ranking, cited), None)
    added = seen.model_copy(
        update={
            "estimate": Estimate(looks_correct=estimated > 0.5, probability=estimated, method="t/1"),
            "support": Support(probability=supported, signals=(), method="t/1"),
        }
    )
    actions = {
        decide(one, plan, OperatingPoint(waive=tuple(waived)), FULL).action
        for one, plan in itertools.product((seen, added), (PLAN, PLAN.model_copy(update={"plan": None})))
    }
    closed = any(not one.source.labels & STAFF.labels for one in ranking.hits)
    assert (actions == {Action.DENY}) == closed


@given(rankings(), st.integers(0, 9))
def test_no_signal_comes_from_outside(ranking: Ranking, cited: int) -> None:
    """What a faulty search found outside the scope changes none of the evaluator's signals."""
    inner = [one for one in ranking.hits if one.source.labels & STAFF.labels]
    draft = quoting(ranked(*inner), cited) if inner else Draft(answer=None, method="t")
    with_hidden, without = (
        Reader(Record(*(one.source for one in hits)), lambda c, r, s: weighed(c, r), SURE).read(
            CONTRACT,
            STAFF,
            SNAPSHOT,
            Candidates(hits=hits, readable=1, visible=1, snapshot=SNAPSHOT),
            ranked(*inner),
            draft,
        )
        for hits in (scored_by_place(ranking.hits), scored_by_place(tuple(inner)))
    )
    assert with_hidden.support == without.support


def scored_by_place(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Give each hit a score of its own that does not depend on the others."""
    return tuple(one.model_copy(update={"dense": 1 / (1 + int(one.source.document[2:]))}) for one in hits)
