"""What holds for one of two opposites is no answer about the other."""

from __future__ import annotations

import pytest

from remit.answer.opposites import says_opposite


@pytest.mark.parametrize(
    ("question", "text", "opposite"),
    [
        ("How many days do part-time staff get?", "Full-time staff get 30 days.", True),
        ("How many days do part-time staff get?", "Part-time staff get fewer than full-time staff.", False),
        ("At what heat are unwrapped tools cleaned?", "Wrapped tools are cleaned at 134 °C.", True),
        ("At what heat are wrapped tools cleaned?", "Unwrapped tools are cleaned at 121 °C.", True),
        ("Is the west lift open?", "The east lift is closed.", True),
        ("Is the west lift open?", "Use the west lift, not the east lift.", False),
        ("What is the night supplement?", "The supplement is 45 EUR.", False),
        ("Who left the band first?", "Bo had the right to go first.", False),
        ("What day is it on?", "It is on every Saturday night.", False),
        ("How is it less?", "It is so unless it rains.", False),
        ("How long after surgery is the infusion given?", "It is given 4 hours before surgery.", True),
        ("How long before the biopsy is it given?", "It is given 4 hours after a biopsy.", True),
        ("How long after surgery is it given?", "It is given 4 hours before and 6 hours after surgery.", False),
        ("How long after lunch is it given?", "It is given 4 hours before surgery.", False),
        ("When is the infusion started?", "The infusion is stopped at noon.", True),
        ("When is the infusion stopped?", "The infusion is started at 6:00 and stopped at noon.", False),
        ("When does the sale begin?", "The sale opens at the end of May.", False),
        ("At what time does the gate open?", "The gate closes at 22:00.", True),
        ("Is the shop open on Sundays?", "The shop is closed on Sundays.", False),
        ("Is it under the cover?", "It is under the hood.", False),
    ],
)
def test_the_opposite_is_told(question: str, text: str, opposite: bool) -> None:
    """A text about the other of two is told from one that says the word itself or none of both."""
    assert says_opposite(question, text) is opposite
