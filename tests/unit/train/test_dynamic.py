"""DynamicRAG's schedule for the encoder policy: where it starts, what it tries, and what is left to be learned."""

import numpy as np
import pytest
from reranking import QUESTION, TEXTS, random_head, seen_of

from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy, log_probability
from remit.testing.build import candidates_of, contract_of, hits_of
from remit.train.dynamic_schedule import DynamicSchedule, started
from remit.train.dynamic_table import fixed, headroom
from remit.train.environment import Said
from remit.train.expert import from_search
from remit.train.instances import Instance
from remit.train.questions import Question
from remit.train.reranker_trial import Case, RerankerTrial, rows_of
from remit.train.reward import WEIGHTS
from remit.train.rollout import Provenance, Rollout

FROM = Provenance(policy="p", round=1, reward="r", data="d", environment="e")


def case(*scores, name="q"):
    """Return a question whose candidates the search scored so."""
    hits = tuple(hit.model_copy(update={"score": score}) for hit, score in zip(hits_of(*TEXTS), scores, strict=True))
    question = Question(name, QUESTION, ("Emil Brandt",), frozenset({"D1"}), name, "")
    instance = Instance(question, contract_of(QUESTION), candidates_of(hits), frozenset(), 1)
    return Case(instance, "films", seen_of(*TEXTS))


CASE = case(1.0, 0.9, 0.7, 0.4, 0.1)


def test_the_search_is_an_expert_who_knows_no_gold_passage():
    """What is scored at least the share of the best, no more than the most; nothing where nothing was found."""
    assert CASE.instance.candidates.hits[:3] == from_search(CASE.instance, share=0.7).hits
    assert CASE.instance.candidates.hits[:2] == from_search(CASE.instance, share=0.0, most=2).hits
    assert () == from_search(CASE.instance._replace(candidates=candidates_of(())), share=0.5).hits


def test_training_starts_with_what_ships_or_with_a_clone_of_the_search():
    """A clone of an expert who sends most of what was found sends more than one of an expert who sends one passage."""
    assert Head.read() == started([CASE], DynamicSchedule())
    cases = [case(1.0, 0.9, 0.8, 0.7, 0.6, name=f"q{number}") for number in range(40)]

    def sent(share):
        how = DynamicSchedule(start="search", share=share, start_epochs=20)
        head = started(cases, how)
        assert 1 == head.least
        assert head.digest == started(cases, how).digest
        return len(greedy(head, CASE.seen).rows)

    assert sent(0.5) > sent(0.95) == 1


class Counts:
    """An environment that answers with how many passages it was given."""

    name = "counts/1"

    def answer(self, asked):
        """Return the number; none for no passage."""
        return Said(str(len(asked.hits)) if asked.hits else None)


def test_first_passages_are_tried_beside_the_draws():
    """In the order found and in the policy's own, each ranking once, with the policy's exact log-probability."""
    head = random_head(3, least=1)
    trial = RerankerTrial({"films": Counts()}, head, seed=1, prefixes=(1, 2))
    found = {rows_of(one.text, CASE): one.log_probability for one in trial.propose(CASE, 12)}
    order = tuple(CASE.seen.row(hit.passage.id) for hit in CASE.instance.candidates.hits)
    assert greedy(head, CASE.seen).rows == next(iter(found))
    assert {order[:1], order[:2]} <= set(found)
    for rows, told in found.items():
        assert told == pytest.approx(log_probability(head, CASE.seen, rows))
    plain = RerankerTrial({"films": Counts()}, head, seed=1)
    assert len(plain.propose(CASE, 1)) == 1


def rollout(question, trajectory, exact, sample):
    """Return a line of a log whose answer was right or wrong."""
    terms = {"exact": exact, "semantic": None, "fluency": exact, "brevity": 0.5, "judged": None, "k": 1.0}
    return Rollout(
        question=question, group=question, source="films", state="s", sample=sample, tries=2, trajectory=trajectory,
        log_probability=-1.0, answer="a", reward=0.1 + 0.4 * exact, terms=terms, provenance=FROM,
    )  # fmt: skip


def test_the_headroom_is_what_the_best_ranking_tried_leaves():
    """The greedy choice is the first of a question; a question whose rankings all do alike is tied."""
    rows = [
        rollout("a", "[1]", 0.0, 0),
        rollout("a", "[2]", 1.0, 1),
        rollout("b", "[1]", 1.0, 0),
        rollout("b", "[2]", 1.0, 1),
    ]
    of_all = headroom(rows, WEIGHTS)[-1]
    assert ("all", 2, 2.0, 0.5) == (of_all["set"], of_all["n"], of_all["rankings"], of_all["tied"])
    assert (0.5, 1.0, 0.5) == (of_all["greedy exact"], of_all["best exact"], of_all["worst exact"])
    assert np.isclose(of_all["best reward"] - of_all["greedy reward"], 0.5 * 0.4)


def test_no_passage_is_no_retrieval():
    """The row of no retrieval has no answer, and with it nothing of any term."""
    rows = fixed([CASE], {"films": Counts()}, (0, 2), WEIGHTS, None)
    assert {"reward": [0.0], "exact": [0.0], "f1": [0.0], "k": [0.0]} == rows["no retrieval"]
    assert [2.0] == rows["first 2"]["k"]
