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
        ("How many days' notice must part-time employees give?", "part-time employees"),
        ("How much notice does a part-time employee have to give?", "part-time employee"),
        ("What supplement do night-shift nurses receive?", "night-shift nurses"),
        ("How long is probation for junior doctors in the clinic?", "junior doctors"),
        ("How many days of leave are seasonal deckhands granted?", "seasonal deckhands"),
        ("How many hours of practice must a qualified welder complete?", "qualified welder"),
        ("How much do pleasure boats pay per night?", "pleasure boats"),
        ("What is the notice period of temporary staff?", "temporary staff"),
        ("How often do relief valves need a test?", None),
        ("How much oil does a pump need?", None),
        ("How long is the seal flushed?", None),
        ("How many hours of rest does a passenger have?", "passenger"),
        ("How much does a single ticket for a child of 10 cost?", "child"),
        ("What does a cabin for a driver cost?", "driver"),
        ("What is the dose for a child of 3 to 6 months?", None),
        # not looked at while the rules were written
        ("How many days of leave do foreign students get?", "foreign students"),
        ("What deposit must commercial tenants pay?", "commercial tenants"),
        ("Are retired members entitled to a locker?", "retired members"),
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


@pytest.mark.parametrize(
    ("sentence", "section", "least", "most"),
    [
        ("Part-time employees must give 14 days' notice.", (), 1.0, 1.0),
        ("Full-time and part-time employees must give 14 days' notice.", (), 1.0, 1.0),
        ("Employees must give 14 days' notice.", ("Part-time employees",), 0.9, 1.0),
        ("Temporary employees must give 7 days' notice.", (), 0.0, 0.2),
        ("Temporary employees must give 7 days' notice.", ("Part-time employees",), 0.0, 0.2),
        ("Part-time employees get lockers. Temporary employees must give 7 days' notice.", (), 0.0, 0.2),
        ("Part-time employees get lockers. They must give 7 days' notice.", (), 1.0, 1.0),
        ("Part-time employees get lockers. Employees must give 7 days' notice.", (), 0.0, 0.44),
    ],
)
def test_how_far_a_sentence_speaks_of_a_party(
    sentence: str, section: tuple[str, ...], least: float, most: float
) -> None:
    """The adjective counts: what is said of others beside the party, or under its heading, is said of those others."""
    contract = asked("How many days' notice must part-time employees give?")
    place = next(n for n, fact in enumerate(contract.facts) if fact.role == "party")
    found = [e for e in weighed(contract, ranked(hit(revision("A"), sentence, section=section))) if "notice" in e.text]
    assert least <= found[0].support[place] <= most
