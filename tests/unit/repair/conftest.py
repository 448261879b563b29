"""A small corpus by hand, fakes of the ports, and states made of them."""

from types import SimpleNamespace

import pytest

from remit.access.scope import Scope
from remit.answer.draft import Citation, Claim, Draft
from remit.contract.budget import Budget, Cost, Limits
from remit.contract.catalogue import Catalogue, Collection
from remit.contract.contract import RequiredFact
from remit.corpus.document import Snapshot, Span
from remit.llm.cancel import Patience
from remit.observe.observation import CitationCheck, Coverage, FactSupport, PassageScore, Relevance
from remit.repair.decompose import ClauseDecomposer
from remit.repair.execute import PlanExecutor
from remit.repair.planner import State
from remit.repair.rewrite import GlossaryRewriter
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates, Hit
from remit.testing import build
from remit.testing.planner import observed

SNAPSHOT = Snapshot(number=1, digest="sha256:one")


def hit(  # noqa: PLR0913 -- a row has that many sides, and each test names the one it is about
    id,
    text,
    *,
    document="PR-101",
    revision="1",
    collection="procedures",
    labels=("maintenance",),
    title="Seal replacement",
    section=("Seal replacement", "Flushing"),
    ordinal=0,
):
    """Return a hit whose sentences end at full stops."""
    source = build.revision(document, revision, text, title=title, collection=collection, labels=labels)
    (passage,) = build.passages(source, text, section=section)
    spans, start = [], 0
    for sentence in text.split(". "):
        end = min(start + len(sentence) + 1, len(text))
        spans.append(Span(start, end))
        start = end + 1
    made = passage.model_copy(update={"id": id, "ordinal": ordinal, "sentences": tuple(spans)})
    return Hit(passage=made, source=source, score=1.0)


class FakeRetriever:
    """Finds the rows that share a word with the query, in their order. `heeds` False ignores scope and filters."""

    name = "fake"

    def __init__(self, rows=(), *, heeds=True):
        self.rows, self.heeds, self.searches = tuple(rows), heeds, []

    def search(self, search, scope, snapshot):
        self.searches.append((search, scope, snapshot))
        words = set(search.query.casefold().strip("?").split())
        found = [
            row
            for row in self.rows
            if words & set(row.passage.text.casefold().replace(".", "").split())
            and (not self.heeds or self._open(row, search.filters, scope))
        ]
        return Candidates(hits=tuple(found[: search.k]), readable=9, visible=9, snapshot=snapshot)

    def _open(self, row, filters, scope):
        source, section = row.source, filters.section
        return (
            scope.admits(source.labels, source.collection, source.document)
            and (filters.collections is None or source.collection in filters.collections)
            and (filters.documents is None or source.document in filters.documents)
            and (section is None or row.passage.section[: len(section)] == section)
        )


class FakeAnswerer:
    """Answers with the first passage's first sentence, and notes what it was handed."""

    name = "fake"

    def __init__(self, confidences=(0.9,), *, cost=None, silent=False):
        self.confidences, self.cost, self.silent, self.calls = list(confidences), cost or Cost(), silent, []

    def draft(self, contract, ranking, scope, budget, patience):
        self.calls.append(SimpleNamespace(contract=contract, ranking=ranking, scope=scope, budget=budget))
        confidence = self.confidences[min(len(self.calls), len(self.confidences)) - 1]
        if self.silent or not ranking.hits:
            return Draft(answer=None, method=self.name, why="nothing", cost=self.cost)
        return draft_on(ranking.hits[0], confidence, cost=self.cost)


def draft_on(first, confidence=0.5, *, answer=None, cost=None):
    """Return a draft that quotes the first sentence of a hit."""
    span = first.passage.sentences[0]
    quote = first.passage.quote(span)
    cited = Citation.of(
        document=first.passage.document,
        revision=first.passage.revision,
        passage=first.passage.id,
        span=span,
        quote=quote,
    )
    claim = Claim(text=quote, citations=(cited,), support=confidence)
    return Draft(answer=answer or quote, claims=(claim,), confidence=confidence, method="fake", cost=cost or Cost())


def fact(kind, name, *terms):
    """Return a required fact."""
    return RequiredFact(kind=kind, name=name, terms=terms, words=terms)


CATALOGUE = Catalogue(
    collections=(
        Collection(name="procedures", title="Procedures", discoverable=True, expands_to=("engineering", "tables")),
        Collection(name="engineering", title="Engineering notes", discoverable=True),
        Collection(name="tables", title="Technical tables", discoverable=True),
        Collection(name="hr", title="Personnel rules"),
    )
)


def observation(**readings):
    """Return an observation in which all is well but for `readings`."""
    well = {
        "relevance": Relevance(passages=(), best=1.0, method="test"),
        "coverage": Coverage(facts=(), share=1.0, method="test"),
        "citations": CitationCheck(verified=("sha256:q",), method="test"),
    }
    return observed(**{**well, **readings})


def lacking(*facts):
    """Return a coverage in which these facts are not held."""
    supports = tuple(FactSupport(fact=name, support=0.1) for name in facts)
    return Coverage(facts=supports, share=0.1, method="test")


def relevant(*hits):
    """Return a relevance in which these hits are about the question."""
    scores = tuple(PassageScore(passage=one.passage.id, probability=0.9) for one in hits)
    return Relevance(passages=scores, best=0.9 if scores else 0.0, method="test")


def state(question="how long is the seal flushed", hits=(), *, draft=None, seen=None, catalogue=CATALOGUE, **more):
    """Return a state; `more` goes to the contract, `scope` beside it."""
    scope = more.pop("scope", None)
    scope = scope or Scope(principal="mara", labels=frozenset({"maintenance", "public"}), policy="test")
    hits = tuple(hits)
    first = draft or (draft_on(hits[0]) if hits else Draft(answer=None, method="fake", why="nothing"))
    return State(
        contract=build.contract_of(question, **{"limits": Limits(), **more}),
        scope=scope,
        snapshot=SNAPSHOT,
        ranking=Ranking(hits=hits, policy="cutoff", reason="first"),
        draft=first,
        seen=seen or observation(relevance=relevant(*hits)),
        catalogue=catalogue,
    )


def budget(**limits):
    """Return a full budget that started at 0."""
    return Budget.of(Limits(**limits), 0.0)


def executor(rows=(), answerer=None, **more):
    """Return an executor over fakes, with its retriever and answerer at hand."""
    retriever = more.pop("retriever", None) or FakeRetriever(rows)
    answerer = answerer or FakeAnswerer()
    rewriter = more.pop("rewriter", None) or GlossaryRewriter(retriever)
    made = PlanExecutor(retriever, answerer, rewriter, ClauseDecomposer(), **more)
    return SimpleNamespace(run=made.run, retriever=retriever, answerer=answerer)


@pytest.fixture
def made():
    """Return the makers of this file by name."""
    patience = Patience(clock=lambda: 0.0)
    return SimpleNamespace(
        hit=hit,
        state=state,
        fact=fact,
        lacking=lacking,
        relevant=relevant,
        observation=observation,
        budget=budget,
        executor=executor,
        draft_on=draft_on,
        retriever=FakeRetriever,
        answerer=FakeAnswerer,
        patience=patience,
        catalogue=CATALOGUE,
    )


@pytest.fixture
def rows(made):
    """Return passages: two of procedures, one of engineering, one of hr, one outside the scope."""
    return [
        made.hit("p1", "the seal is flushed for 10 minutes."),
        made.hit("p2", "the seal was long ago made of felt.", document="PR-102"),
        made.hit("e1", "engineering flushed the seal twice.", document="EN-14", collection="engineering"),
        made.hit("h1", "the seal of a personnel file.", document="HR-01", collection="hr"),
        made.hit("x1", "the seal nobody may see.", document="X-1", labels=("board",)),
    ]
