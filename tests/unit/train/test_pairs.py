import json

from hypothesis import given
from hypothesis import strategies as st
from trying import PROVENANCE

from remit.train.pairs import Filters, pairs_of
from remit.train.rollout import Rollout
from remit.train.rollout_log import write_json_lines

REWARDS = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])), max_size=8)


def rollouts(rewards, question="q"):
    """Return rollouts of one question with these rewards."""
    return [
        Rollout(
            question=question,
            group="g",
            source="made",
            state="s",
            sample=number,
            tries=len(rewards),
            trajectory=f"[{number + 1}]",
            log_probability=None,
            answer=None,
            reward=reward,
            provenance=PROVENANCE,
        )
        for number, reward in enumerate(rewards)
    ]


@given(REWARDS)
def test_extremes_give_one_pair_and_no_tie(rewards):
    """The best against the worst: one pair where they differ, none where all are equal or unmeasured."""
    made = pairs_of(rollouts(rewards), "extremes")
    measured = [reward for reward in rewards if reward is not None]
    differs = bool(measured) and max(measured) > min(measured)
    assert int(differs) == len(made.pairs)
    if differs:
        assert (max(measured), min(measured)) == (made.pairs[0].chosen_reward, made.pairs[0].rejected_reward)
    assert rewards.count(None) == made.unmeasured


@given(REWARDS)
def test_ranked_gives_every_ordered_pair(rewards):
    """Every two trajectories whose rewards differ are a pair, the better one chosen, and ties are none."""
    made = pairs_of(rollouts(rewards), "ranked")
    numbered = [(reward, number) for number, reward in enumerate(rewards) if reward is not None]
    want = {(f"[{a + 1}]", f"[{b + 1}]") for x, a in numbered for y, b in numbered if x > y}
    assert want == {(pair.chosen, pair.rejected) for pair in made.pairs}
    assert len(want) == len(made.pairs)


def test_filters_drop_near_ties_and_pairs_that_are_low_throughout():
    """Each filter is counted apart, and both are off unless told."""
    rows = rollouts([0.02, 0.0, 0.9, 0.88])
    assert 6 == len(pairs_of(rows, "ranked").pairs)
    held = pairs_of(rows, "ranked", Filters(margin=0.05))
    assert (4, 2, 0) == (len(held.pairs), held.near_ties, held.low)
    held = pairs_of(rows, "ranked", Filters(best=0.5))
    assert (5, 0, 1) == (len(held.pairs), held.near_ties, held.low)


def test_questions_are_never_compared_with_each_other():
    """A pair has one question; the same trajectory of a later round counts once."""
    rows = rollouts([1.0, 0.0], "a") + rollouts([1.0, 1.0], "b")
    later = [row.model_copy(update={"provenance": PROVENANCE.model_copy(update={"round": 1})}) for row in rows]
    made = pairs_of(rows + later, "ranked")
    assert (["a"], 2, 1) == ([pair.question for pair in made.pairs], made.questions, made.tied)


def test_preference_lines_have_the_columns_of_trl_and_ours(tmp_path):
    """A line of the data set has prompt, chosen and rejected, and beside them margin, rewards and provenance."""
    made = pairs_of(rollouts([1.0, 0.25]), "extremes")
    path = tmp_path / "pairs.jsonl"
    assert 1 == write_json_lines(path, (pair.preference() for pair in made.pairs))
    line = json.loads(path.read_text())
    assert ("s", "[1]", "[2]", 0.75) == (line["prompt"], line["chosen"], line["rejected"], line["margin"])
    assert [PROVENANCE.digest] == line["provenance"]
