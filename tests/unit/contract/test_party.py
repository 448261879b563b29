"""For whom something is asked."""

from __future__ import annotations

import pytest
from by_words import weighed
from written import asked, hit, ranked, revision

from remit.contract.party import party


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How long is probation for managers?", "managers"),
        ("How many days of annual leave do contractors get?", "contractors"),
        ("How long is sick pay paid to interns?", "interns"),
        ("How many days of leave do employees get?", None),
        ("How long is the seal flushed?", None),
        ("Which oil for P-101?", None),
        ("For how many years are records kept?", None),
    ],
)
def test_whom_a_question_is_about(question: str, named: str | None) -> None:
    """A plural behind "for", or who gets or has to do something, names the party; everybody and nobody are none."""
    assert party(question) == named


def test_what_holds_for_others_does_not_carry_it() -> None:
    """A sentence about employees carries nothing of what contractors get; one under a heading that names them does."""
    contract = asked("How many days of annual leave do contractors get?")
    others = hit(revision("AA-1"), "Full-time employees get 28 days of annual leave.")
    own = hit(revision("BB-2"), "They get 12 days of annual leave.", section=("Contractors",))
    first, second = weighed(contract, ranked(others, own))
    assert (first.hit.source.document, first.weight > 2 * second.weight) == ("BB-2", True)
