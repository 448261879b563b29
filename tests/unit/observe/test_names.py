"""Whether what a question names has a text of its own."""

from __future__ import annotations

import pytest
from by_words import weighed
from written import asked, hit, ranked, revision

from remit.observe.names import of_names

RIDER = hit(revision("D-1", title="Low Tide (film)"), "Low Tide is a film of Jo Marsh.")
OTHER = hit(revision("D-2", title="High Water"), "High Water came out in 1970.")
MARSH = hit(revision("D-3", title="Jo Marsh"), "Jo Marsh was born in 1921.")


def signals(question: str, *hits) -> dict[str, float | None]:
    """Read the signals of a draft from a sentence of the first hit."""
    contract, ranking = asked(question), ranked(*hits)
    found = weighed(contract, ranking)
    main = next((one for one in found if one.hit is hits[0]), None)
    return dict(of_names(contract, ranking, main, found))


@pytest.mark.parametrize(("hits", "named"), [((RIDER, OTHER), 2), ((RIDER,), 1), ((MARSH,), 0), ((), 0)])
def test_titles_that_the_question_names_are_counted(hits, named: int) -> None:
    """A comparison of two films finds the texts of both, of one, or of none; brackets at a title's end do not count."""
    assert named == signals("Which film came out first, Low Tide or High Water?", *hits)["named"]


def test_what_no_named_title_holds_is_left_over() -> None:
    """The less of a question its named texts are titled with, the more there is beyond them."""
    both, one = (
        signals("Which film came out first, Low Tide or High Water?", *hits)["beyond_named"]
        for hits in ((RIDER, OTHER), (RIDER,))
    )
    assert both < one < 1


def test_a_text_that_another_one_leads_to_is_told() -> None:
    """The director's text is led to by that of the film that the question names."""
    question = "When was the director of Low Tide born?"
    told = signals(question, MARSH, RIDER)
    alone = signals(question, MARSH)
    assert (told["main_led"], told["main_led_from_named"], told["main_named"]) == (1.0, 1.0, 0.0)
    assert (alone["main_led"], alone["main_led_from_named"]) == (0.0, 0.0)


def test_names_that_nothing_holds_are_told() -> None:
    """A name that stands in no text has no share; without names, or without any sentence, there is nothing to measure."""
    asked_for = "What did Ada Byron say of Low Tide?"
    assert signals(asked_for, RIDER)["names_told"] == 0.0
    assert signals("what came out first?", RIDER)["names_told"] is None
    assert signals(asked_for)["main_named"] is None
