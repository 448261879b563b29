"""The files of operating points."""

from __future__ import annotations

import json

import pytest

from remit.decide.frozen import FrozenPoint, Source, Tuned, parsed_point
from remit.decide.point import OperatingPoint
from remit.errors import InvalidInput
from remit.observe.evaluator import Evaluator
from remit.record.setup import read_point, shipped_points

EVALUATOR = Evaluator(
    name="t", signals=("cosine",), center=(0.5,), scale=(0.1,), weights=(1.0,), knots=((-1.0, 0.1), (1.0, 0.9))
)


def frozen() -> FrozenPoint:
    """Build a point as it is frozen: with its evaluator and the data it was tuned on."""
    tuned = Tuned.on([Source(name="dev", digest="sha256:1", cases=3)], ["a", "b", "b"])
    point = OperatingPoint(name="learned", support=0.6, evaluator=EVALUATOR.digest, data=tuned.digest)
    return FrozenPoint(point=point, evaluator=EVALUATOR, tuned=tuned)


def test_a_frozen_point_comes_back_as_it_was_written() -> None:
    """What is written is what is read, with the same digest."""
    again = parsed_point(frozen().model_dump_json(), "point.json")
    assert (frozen(), frozen().point.digest) == (again, again.point.digest)


def test_a_point_knows_the_groups_it_was_tuned_on() -> None:
    """A group that was tuned on is known again, another is not."""
    assert [True, True, False] == [frozen().knows(group) for group in ("a", "b", "c")]


def test_thresholds_alone_are_a_point_too() -> None:
    """A hand-written file holds thresholds in TOML or JSON."""
    wanted = OperatingPoint(name="mine", relevance=0.4)
    read = [
        parsed_point(text, "p").point
        for text in ('name = "mine"\nrelevance = 0.4', '{"name": "mine", "relevance": 0.4}')
    ]
    assert [wanted, wanted] == read


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: raw["evaluator"].update(bias=1.0), "evaluator"),
        (lambda raw: raw["tuned"]["sources"][0].update(cases=4), "data"),
        (lambda raw: raw["point"].update(relevance=1.5), "relevance"),
        (lambda raw: raw["point"].update(support=None), "support"),
        (lambda raw: raw["point"].update(waive=["authorization"]), "waive"),
        (lambda raw: raw["evaluator"].update(scale=[0.0]), "scale"),
        (lambda raw: raw["evaluator"].update(knots=[[1.0, 0.2], [0.0, 0.4]]), "knots"),
    ],
)
def test_a_point_that_was_changed_by_hand_is_refused(change, told: str) -> None:
    """What no longer is what was frozen is not used, and the message says what."""
    raw = json.loads(frozen().model_dump_json())
    change(raw)
    with pytest.raises(InvalidInput, match=told):
        parsed_point(json.dumps(raw), "point.json")


@pytest.mark.parametrize("text", ["", "{", "nothing here", "[1]"])
def test_a_file_without_a_point_is_refused(text: str) -> None:
    """What is no point never becomes the default one."""
    with pytest.raises(InvalidInput, match=r"point\.json"):
        parsed_point(text or "x = 1", "point.json")


def test_shipped_points_can_be_read_by_name() -> None:
    """Each point that ships is read and carries its own name."""
    assert list(shipped_points()) == [read_point(name).point.name for name in shipped_points()]
    assert {"single-pass", "fixed-rules", "corrective"} <= set(shipped_points())


def test_a_name_that_is_no_point_says_what_there_is() -> None:
    """A wrong name is told together with the right ones."""
    with pytest.raises(InvalidInput, match="single-pass"):
        read_point("no-such-point")
