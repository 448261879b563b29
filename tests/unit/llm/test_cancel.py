import pytest

from remit.errors import Cancelled
from remit.llm.cancel import Patience


def test_keeping_moves_the_deadline_forward_and_shares_the_signal():
    """The shorter patience ends earlier and stops with the same signal."""
    outer = Patience(deadline=100.0, clock=lambda: 0.0)
    inner = outer.keeping(3.0)
    assert 97.0 == inner.deadline
    outer.stop.set()
    with pytest.raises(Cancelled):
        inner.check()


@pytest.mark.parametrize(
    ("deadline", "reserve", "until", "expected"),
    [
        (8.0, 3.0, None, 6.0),
        (100.0, 3.0, 50.0, 47.0),
        (None, 3.0, 50.0, 47.0),
        (None, 3.0, None, None),
        (-5.0, 3, None, -5.0),
    ],
)
def test_keeping_takes_at_most_a_quarter(deadline, reserve, until, expected):
    """The earlier of both deadlines counts, and no more than a quarter of what is left is kept back."""
    assert expected == Patience(deadline=deadline, clock=lambda: 0.0).keeping(reserve, until=until).deadline


def test_a_pause_ends_early_with_the_signal():
    """Nobody waits for an asker who has gone."""
    patience = Patience()
    patience.stop.set()
    with pytest.raises(Cancelled):
        patience.pause(60)
