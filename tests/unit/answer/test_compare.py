"""Questions that compare two things: both values quoted, or no answer."""

from __future__ import annotations

import pytest
from written import STAFF, asked, hit, ranked, revision

from remit.answer.compare import Verdict, compare, countries
from remit.answer.comparison import compared
from remit.answer.extract import Extractive
from remit.contract.budget import Budget, Limits
from remit.llm.cancel import Patience
from remit.llm.scripted import HashedWords

OLD = "Anna Berg (born 4 May 1950) is a Swedish engineer."
NEW = "Ben Cole (12 March 1961 - 3 June 2001) was an American painter."


def verdict(question: str, **texts: str) -> Verdict | None:
    """Compare by one passage a title; an underscore stands for a space."""
    hits = (
        hit(revision(f"D-{n}", title=title.replace("_", " ")), text) for n, (title, text) in enumerate(texts.items())
    )
    return compare(asked(question), ranked(*hits))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was born first, Anna Berg or Ben Cole?", "Anna Berg"),
        ("Who is older, Ben Cole or Anna Berg?", "Anna Berg"),
        ("Who is younger, Anna Berg or Ben Cole?", "Ben Cole"),
        ("Was Anna Berg or Ben Cole born later?", "Ben Cole"),
        ("Are Anna Berg and Ben Cole from the same country?", "No"),
        ("Does Anna Berg have the same nationality as Ben Cole?", "No"),
    ],
)
def test_two_people_are_compared_by_what_is_written_of_each(question, answer):
    """Dates and countries are read off both passages, and both are quoted."""
    found = verdict(question, Anna_Berg=OLD, Ben_Cole=NEW)
    assert found is not None
    assert answer == found.answer
    assert {OLD, NEW} == {part.hit.passage.quote(part.span) for part in found.rests_on}


def test_works_are_compared_through_their_makers():
    """The "director of" is found by the title that the work's own passage names, and four sentences are quoted."""
    found = verdict(
        "Which film has the director who was born later, Low Tide or The Mill?",
        Low_Tide="Low Tide is a 1990 film directed by Anna Berg.",
        The_Mill="The Mill is a 1980 film directed by Ben Cole and starring Anna Berg.",
        Anna_Berg=OLD,
        Ben_Cole=NEW,
    )
    assert found is not None
    assert ("The Mill", 4) == (found.answer, len(found.rests_on))


@pytest.mark.parametrize(
    "texts",
    [
        {"Anna_Berg": OLD, "Ben_Cole": "Ben Cole was a painter."},
        {"Anna_Berg": OLD, "Ben_Cole": "Ben Cole (born 1950) was a painter."},
        {"Anna_Berg": OLD},
        {"Anna_Berg": OLD, "Somebody_Else": NEW},
    ],
)
def test_without_both_values_there_is_no_comparison(texts):
    """A missing date, a year alone that could be either, a thing without a passage: nothing is inferred from silence."""
    assert verdict("Who was born first, Anna Berg or Ben Cole?", **texts) is None


def test_documents_that_disagree_about_a_value_are_not_compared():
    """Of two documents on one thing with two dates none is picked silently."""
    hits = (
        hit(revision("D-1", title="Anna Berg"), OLD),
        hit(revision("D-2", title="Anna Berg"), OLD.replace("1950", "1970")),
        hit(revision("D-3", title="Ben Cole"), NEW),
    )
    assert compare(asked("Who is older, Anna Berg or Ben Cole?"), ranked(*hits)) is None


@pytest.mark.parametrize(
    "question",
    [
        "When was Anna Berg born and where did Ben Cole die?",
        "Are Anna Berg and Ben Cole from the same county?",
        "What nationality do Anna Berg and Ben Cole share?",
        "Who was born first?",
        "Which is better, Anna Berg or Ben Cole?",
    ],
)
def test_other_questions_compare_nothing(question):
    """Only dates, spans of life and countries are compared, and only of two things joined side by side."""
    assert compared(question, ["Anna Berg", "Ben Cole"]) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("A British-American firm of Germany.", {"United Kingdom", "United States"}),
        ("The mill stands near Toledo, Ohio.", {"United States"}),
        ("The pump stands in hall 4.", set()),
        ("turkeyshire is no country", set()),
    ],
)
def test_countries_are_those_of_the_first_mention(text, named):
    """People, states and countries count as the country; words that only hold a name do not."""
    assert named == countries(text)


def test_the_answerer_drafts_a_comparison_with_a_claim_for_each_quotation():
    """Each of the two quotations is a claim of its own, word for word."""
    texts = ("D-1 was released in 1990.", "D-2 was released in 1985.")
    ranking = ranked(*(hit(revision(f"D-{n}"), text) for n, text in enumerate(texts, 1)))
    encoder = HashedWords()
    budget = Budget.of(Limits(), now=0.0)
    draft = Extractive(encoder, encoder).draft(  # type: ignore[arg-type]
        asked("Which came out first, D-1 or D-2?"), ranking, STAFF, budget, Patience()
    )
    assert ("D-2", texts) == (draft.answer, tuple(claim.text for claim in draft.claims))
    assert texts == tuple(citation.quote for citation in draft.citations)
