"""Candidates for the rerankers' tests: hits over words, their vectors without weights, and heads drawn at random."""

import numpy as np

from remit.rerank.head import Head
from remit.rerank.seen import look
from remit.testing.build import EMBED, contract_of, hits_of
from remit.train.fit import Fitting, fresh_head
from remit.train.steps import Trajectory, steps_of

QUESTION = "Who directed the film that Lena Moor wrote in 1931?"
TEXTS = (
    "Lena Moor wrote The Salt Road in 1931. It was filmed twice.",
    "The Salt Road is a film directed by Emil Brandt.",
    "Emil Brandt was a director from Graz. He was born in 1890 and died in 1951.",
    "Annual leave is 20 days.",
    "故乡 is a story by Lu Xun; 低头思故乡.",
)


def vectors_of(passages, scope=None):
    """Return vectors of the sentences of passages, as a store would keep them."""
    return [EMBED.embed([passage.quote(span) for span in passage.sentences]) for passage in passages]


def seen_of(*texts, question=QUESTION):
    """Return what the encoder policy sees of passages with these texts."""
    hits = hits_of(*texts)
    return look(contract_of(question), hits, EMBED.embed([question]), vectors_of([hit.passage for hit in hits]))


def random_head(seed=1, *, least=0, most=15):
    """Return a head whose weights are drawn, all of them large enough to matter."""
    seen = seen_of(*TEXTS)
    steps = steps_of([Trajectory(seen, (0, 1))], Head({}))
    head = fresh_head(steps, Fitting(seed=seed), least=least, most=most)
    chance = np.random.default_rng(seed)
    drawn = {
        name: array if name.endswith(("mean", "scale")) else chance.standard_normal(array.shape) / np.sqrt(len(array))
        for name, array in head.arrays.items()
    }
    return head._replace(arrays=drawn)
