"""The suites themselves: an engine with a plausible fault does not pass them."""

from itertools import count

import numpy as np
import pytest

from remit.access.principal import PUBLIC
from remit.access.scope import Filters
from remit.corpus.sqlite import SqliteCorpus
from remit.corpus.store import Put, Readable
from remit.decide.proposal import Proposal
from remit.llm.chat import Reply, Usage
from remit.llm.scripted import HashedWords, ScriptedChat
from remit.repair.planner import Planned
from remit.repair.template import TemplatePlanner
from remit.rerank.ranking import Ranking
from remit.retrieve.hybrid import HybridRetriever
from remit.testing import (
    EMBED,
    ChatSuite,
    CorpusSuite,
    EmbedSuite,
    PlannerSuite,
    PolicySuite,
    RerankerSuite,
    RetrieverSuite,
    Searching,
    fill,
    scope_of,
)
from remit.testing.build import NOW
from remit.testing.planner import STATES

ALL = scope_of("staff", "board", "équipe")


class EmptyIsEverything(SqliteCorpus):
    def readable(self, scope, **more):
        return super().readable(ALL if scope.empty else scope, **more)


class TextForAll(SqliteCorpus):
    def text(self, revision, scope):
        return super().text(revision, ALL)


class AsideForAll(SqliteCorpus):
    def readable(self, scope, **more):
        return Readable(super().readable(scope, **more).rows, super().readable(ALL, **more).set_aside)


class AlwaysToday(SqliteCorpus):
    def readable(self, scope, *, at, **more):
        return super().readable(scope, at=NOW.date(), **more)


class ForgetsTheSnapshot(SqliteCorpus):
    def readable(self, scope, *, snapshot, **more):
        return super().readable(scope, snapshot=self.snapshot(), **more)


class SaysNewTwice(SqliteCorpus):
    def put(self, new, *, now):
        return Put(revision=super().put(new, now=now).revision, effect="new")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("faulty", "test", "more"),
    [
        (EmptyIsEverything, "test_what_grants_nothing_finds_nothing", [scope_of()]),
        (TextForAll, "test_each_label_opens_its_own", ["staff"]),
        (AsideForAll, "test_set_aside_is_scoped_too", []),
        (AlwaysToday, "test_each_date_has_its_own_revision", []),
        (ForgetsTheSnapshot, "test_a_later_write_changes_no_earlier_read", []),
        (SaysNewTwice, "test_the_same_again_changes_nothing", []),
    ],
)
def test_a_faulty_corpus_is_caught(tmp_path, faulty, test, more):
    """A scope that is forgotten somewhere, a date, a snapshot: each has a test that sees it."""
    with faulty.open(tmp_path / "store", create=True) as corpus, pytest.raises(AssertionError):
        getattr(CorpusSuite(), test)(corpus, *more)


class FiltersAfterwards(HybridRetriever):
    """Looks at everything first, as an index with a filter behind it does."""

    def search(self, search, scope, snapshot):
        found = super().search(search, ALL, snapshot)
        inside = [hit for hit in found.hits if scope.admits(hit.source.labels, hit.source.collection, "")]
        return found.model_copy(update={"hits": tuple(inside), "set_aside": ()})


class CutsAtAThreshold(HybridRetriever):
    def search(self, search, scope, snapshot):
        found = super().search(search, scope, snapshot)
        return found.model_copy(update={"hits": tuple(hit for hit in found.hits if hit.score > 0.1)})


class IgnoresFilters(HybridRetriever):
    def search(self, search, scope, snapshot):
        return super().search(search._replace(filters=type(search.filters)()), scope, snapshot)


class Approximate(HybridRetriever):
    def search(self, search, scope, snapshot):
        found = super().search(search, scope, snapshot)
        worse = tuple(hit.model_copy(update={"lexical": hit.lexical and hit.lexical * 1.001}) for hit in found.hits)
        return found.model_copy(update={"hits": worse})


@pytest.mark.integration
@pytest.mark.parametrize(
    ("faulty", "test", "more"),
    [
        (FiltersAfterwards, "test_nothing_outside_the_scope_is_found_or_felt", ["bolt torque of P-101/B"]),
        (CutsAtAThreshold, "test_as_many_as_wanted_and_visible", ["gearbox wheel"]),
        (IgnoresFilters, "test_a_filter_that_fits_nothing_finds_nothing", [Filters(collections=("*",))]),
        (Approximate, "test_lexical_scores_are_those_of_the_formula", ["the pump"]),
    ],
)
def test_a_faulty_search_is_caught(tmp_path, faulty, test, more):
    """Filtering after the search, a threshold, filters that are ignored, scores that are nearly right."""
    numbers, opened = count(), []

    def make(*revisions):
        corpus = SqliteCorpus.open(tmp_path / f"store{next(numbers)}", create=True)
        opened.append(corpus)
        fill(corpus, *revisions)
        return Searching(faulty(corpus, EMBED), corpus)

    with pytest.raises(AssertionError):
        getattr(RetrieverSuite(), test)(make, *more)
    for corpus in opened:
        corpus.close()


class ByBatch(HashedWords):
    def embed(self, texts):
        vectors = super().embed(texts)
        return vectors if len(texts) < 2 else vectors * np.float32(1 + 1e-6)


class OfAnyLength(HashedWords):
    def embed(self, texts):
        return super().embed(texts) * np.float32(2)


class NotANumber(HashedWords):
    def embed(self, texts):
        vectors = super().embed(texts)
        with np.errstate(invalid="ignore"):
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("faulty", "test", "more"),
    [
        (ByBatch, "test_a_text_has_one_vector_in_any_batch", []),
        (OfAnyLength, "test_one_unit_vector_a_text", []),
        (NotANumber, "test_a_text_without_words_is_no_error", [""]),
    ],
)
def test_a_faulty_encoder_is_caught(faulty, test, more):
    """Vectors that depend on their neighbours, are of any length, or are no numbers for an empty text."""
    with pytest.raises(AssertionError):
        getattr(EmbedSuite(), test)(faulty(), *more)


class Granting:
    """A policy made of one function from groups to labels."""

    name = "faulty/1"

    def __init__(self, grant):
        self.grant = grant

    def labels(self, principal):
        return frozenset(self.grant(set(principal.groups)))


@pytest.mark.parametrize(
    ("grant", "test", "more"),
    [
        (lambda groups: groups or {"staff", "board"}, "test_a_stranger_gets_what_is_public", ["root"]),
        (
            lambda groups: {"staff", "board"} if "*" in groups else groups,
            "test_a_group_that_is_none_grants_nothing",
            ["*"],
        ),
        (lambda groups: {group.lower() for group in groups}, "test_what_looks_like_a_group_is_another", []),
        (lambda groups: groups - {"staff"} if "board" in groups else groups, "test_a_group_more_never_takes_away", []),
        (lambda groups: groups | {"*"}, "test_labels_are_a_set_of_names", []),
        (lambda groups: {PUBLIC}, "test_it_grants_something", []),
    ],
)
def test_a_faulty_policy_is_caught(grant, test, more):
    """No groups read as all, a wildcard, folded case, a group that takes away, a wildcard granted, nothing granted."""
    more = [("staff", "board"), *more] if test != "test_a_stranger_gets_what_is_public" else more
    with pytest.raises(AssertionError):
        getattr(PolicySuite(), test)(Granting(grant), *more)


def test_a_policy_that_falls_back_is_caught():
    """One that answers by the groups while its directory is down."""
    with pytest.raises(pytest.fail.Exception):
        PolicySuite().test_what_breaks_opens_nothing(Granting(lambda groups: groups), ("staff",))


class Heedless(ScriptedChat):
    """Calls, whoever has gone away."""

    def reply(self, messages, *, max_tokens, temperature, patience):
        return Reply("yes", Usage(0, 0))


def test_a_faulty_model_is_caught():
    """One that calls after the signal, and one that counts an unknown usage as 0."""
    with pytest.raises(pytest.fail.Exception):
        ChatSuite().test_no_call_after_the_signal(Heedless())
    with pytest.raises(AssertionError):
        ChatSuite().test_usage_is_counted_or_unknown(Heedless())


class Choosing:
    """A reranker made of one function from hits to hits."""

    name = "faulty/1"

    def __init__(self, choose):
        self.choose = choose

    def rank(self, contract, candidates, scope, budget, patience):
        return Ranking(hits=tuple(self.choose(candidates.hits)), policy=self.name, reason="chosen")


@pytest.mark.parametrize(
    "choose",
    [
        lambda hits: hits[:16],
        lambda hits: (*hits[:2], *hits[:1]),
        lambda hits: (hits[0].model_copy(update={"score": 2.0}),),
    ],
)
def test_a_faulty_reranker_is_caught(choose):
    """Too many, one twice, or one that is not what was found."""
    with pytest.raises(AssertionError):
        RerankerSuite().test_a_choice_of_the_candidates(Choosing(choose), 45)


class Stubborn(TemplatePlanner):
    def propose(self, state, budget, tried, patience):
        return super().propose(state, budget, frozenset(), patience)


class OtherWords(TemplatePlanner):
    def propose(self, state, budget, tried, patience):
        planned = super().propose(state, budget, tried, patience)
        return Planned(Proposal(plan="final_answer = ...", fingerprint="x", policy=self.name), planned.plan)


@pytest.mark.parametrize(
    ("faulty", "test"), [(Stubborn, "test_what_was_tried_is_not_new"), (OtherWords, "test_a_checked_plan_or_none")]
)
def test_a_faulty_planner_is_caught(faulty, test):
    """One that offers what was tried as new, and one whose words are not its plan's."""
    with pytest.raises(AssertionError):
        getattr(PlannerSuite(), test)(faulty(), STATES["one passage lacks the fact"])
