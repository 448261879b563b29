from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reranking import QUESTION, TEXTS, random_head, vectors_of

from remit.contract.budget import Budget, Limits
from remit.errors import InvalidInput, NothingThere
from remit.llm.cancel import Patience
from remit.llm.weights import packed
from remit.rerank.encoder import EncoderReranker
from remit.rerank.head import WEIGHTS, Head
from remit.testing.build import EMBED, candidates_of, contract_of, hits_of, scope_of

HEAD = random_head(7)
ANYTHING = st.text(max_size=80)


def ranked(hits, *, question=QUESTION, vectors=vectors_of, **given):
    """Return what the policy makes of hits."""
    policy = EncoderReranker(EMBED, vectors, head=given.pop("head", HEAD), **given)
    budget = Budget.of(Limits(), now=0.0)
    return policy.rank(contract_of(question), candidates_of(hits), scope_of("staff"), budget, Patience())


@given(st.permutations(range(len(TEXTS) * 3)), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_reordering_the_candidates_changes_nothing(order, seed):
    """The same passages, order, reason and probability to the last bit, ties and copies among them."""
    hits = hits_of(*(TEXTS * 3))
    head = random_head(seed)
    assert ranked(hits, head=head) == ranked(tuple(hits[at] for at in order), head=head)


@given(st.lists(ANYTHING, min_size=1, max_size=6), ANYTHING.filter(str.strip))
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_ranking(texts, question):
    """Empty passages, any script, any question: an ordered choice with a probability, and no warning of numpy."""
    with np.errstate(all="raise", under="ignore"):
        ranking = ranked(hits_of(*texts), question=question)
    assert len({hit.passage.id for hit in ranking.hits}) == ranking.k <= len(texts)
    assert ranking.log_probability <= 0


@pytest.mark.parametrize(
    "texts",
    [(), ("",), ("one",), ("",) * 45, ("the same",) * 45, ("word " * 10_000,) * 3, (*TEXTS, "Ülser Straße 故乡")],
)
def test_odd_candidates(texts):
    """None, one, empty ones, copies, very long ones and mixed languages are ranked."""
    ranking = ranked(hits_of(*texts))
    assert ranking.k <= min(15, len(texts))


def test_the_best_45_are_looked_at():
    """Whatever order they come in, and however many a search brings."""
    hits = hits_of(*(f"passage number {at}" for at in range(60)))
    assert ranked(hits[:45]) == ranked(tuple(reversed(hits)))


def test_a_passage_deleted_since_the_search_is_left_out():
    """The others are ranked as if it had never been found."""
    hits = hits_of(*TEXTS)

    def without(passages, scope):
        if any(passage.id == hits[1].passage.id for passage in passages):
            raise NothingThere("deleted")
        return vectors_of(passages)

    assert ranked((hits[0], *hits[2:])) == ranked(hits, vectors=without)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_passed_over(odd):
    """A faulty search may bring them: the hits are ranked, and come back as they were."""
    hits = hits_of(*TEXTS)
    broken = (hits[0].model_copy(update={"score": odd, "dense": odd, "lexical": odd}), *hits[1:])
    ranking = ranked(broken)
    assert np.isfinite(ranking.log_probability)
    assert [hit for hit in ranking.hits if not any(hit is one for one in broken)] == []


def test_a_warmer_policy_draws_and_repeats():
    """Above temperature 0 the choice is drawn by the question and the seed: it repeats, and another seed may differ."""
    hits = hits_of(*TEXTS * 3)
    drawn = [ranked(hits, temperature=1.0, seed=seed) for seed in range(12)]
    assert drawn[3] == ranked(hits, temperature=1.0, seed=3)
    assert len({tuple(hit.passage.id for hit in one.hits) for one in drawn}) > 1


def test_the_dimension_of_the_encoder_does_not_show(monkeypatch):
    """What is seen has the same width for an encoder of any dimension."""
    widths = set()
    for dimension in (8, 32, 384):
        embed = type(EMBED)(dimension)
        policy = EncoderReranker(embed, lambda found, _, e=embed: [e.embed([p.text]) for p in found], head=HEAD)
        seen, _ = policy.see(contract_of(QUESTION), candidates_of(hits_of(*TEXTS)), scope_of("staff"))
        widths.add(seen.static.shape)
    assert 1 == len(widths)


def test_saved_weights_choose_as_they_were(tmp_path):
    """A file gives back the limits and, in 32 bits, the weights; its digest says so."""
    head = random_head(3, least=1, most=4)
    head.save(tmp_path / "head.safetensors")
    again = Head.read(tmp_path / "head.safetensors")
    assert (head.digest, 1, 4) == (again.digest, again.least, again.most)
    assert ranked(hits_of(*TEXTS), head=again).policy.startswith("encoder/1 ")


@pytest.mark.parametrize("content", [b"", b"no weights", packed({}, {}), packed({}, {"version": "seen/1"})])
def test_a_file_that_holds_no_weights_is_named(tmp_path, content):
    """The message says which file, and what to do."""
    file = tmp_path / "head.safetensors"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"head\.safetensors.*train"):
        Head.read(file)


def test_no_file_is_nothing_there(tmp_path):
    """It is named."""
    with pytest.raises(NothingThere, match=r"head\.safetensors"):
        Head.read(tmp_path / "head.safetensors")


@pytest.mark.parametrize("change", ["version", "least", "shape"])
def test_weights_that_do_not_fit_are_refused(tmp_path, change):
    """Of another version, without limits, or of another width: what they see is not what this Remit shows."""
    arrays, said = dict(HEAD.arrays), {"version": "seen/1", "least": "0", "most": "15", "stop_at": "0.5"}
    if change == "shape":
        arrays["stop.0.w"] = arrays["stop.0.w"][1:]
    else:
        said[change] = "another"
    (tmp_path / "head.safetensors").write_bytes(packed(arrays, said))
    with pytest.raises(InvalidInput, match="train them again"):
        Head.read(tmp_path / "head.safetensors")


def test_the_weights_shipped_are_small_and_of_this_version():
    """They are read without an argument, and stay under 4 MB."""
    assert Head.read().digest.startswith("sha256:")
    assert resources.files("remit.rerank").joinpath(WEIGHTS).stat().st_size < 4_000_000
