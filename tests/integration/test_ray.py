"""Rollouts over a Ray cluster of this machine; skipped where Ray is not installed."""

import pytest
from trying import PROVENANCE, Asked, Making

from remit.train.collect import collect
from remit.train.rollout_log import RolloutLog
from remit.train.shards import Where

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.torch,  # in the environment of what needs torch, where Ray is installed too
    pytest.mark.filterwarnings("default"),
]


def test_a_cluster_gives_the_same_and_resumes(tmp_path):
    """Two shards of a Ray cluster log the rollouts that one process logs, and again pay for nothing."""
    pytest.importorskip("ray", reason="extra cluster: pip install 'remit[cluster]'")
    questions = [Asked(f"q{number}") for number in range(6)]
    found = []
    for kind in ("here", "ray", "ray"):
        name = tmp_path / kind
        with RolloutLog(name / "rollouts.jsonl") as log:
            where = Where(kind, workers=2)
            found.append(
                collect(Making(tmp_path / f"{kind}.txt"), questions, log, provenance=PROVENANCE, samples=4, where=where)
            )
    assert found[0].rollouts == found[1].rollouts == found[2].rollouts
    assert [18, 18, 0] == [one.scored for one in found]
