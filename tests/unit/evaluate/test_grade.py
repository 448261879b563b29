"""When a draft counts as supported."""

from __future__ import annotations

import pytest

from remit.cases.case import Case
from remit.evaluate.grade import graded


def case(golden: str, question: str = "Who opened it?", acceptable: str = "answer") -> Case:
    """Build a case whose evidence stands in revision 2 of D."""
    return Case(id="1", question=question, acceptable=(acceptable,), golden_answers=(golden,), gold_documents=("D@2",))


def quoting(quote: str, document: str = "D", revision: str = "2") -> list[dict[str, str]]:
    """Return one citation."""
    return [{"document": document, "revision": revision, "quote": quote}]


@pytest.mark.parametrize(
    ("golden", "answer", "cited", "supported"),
    [
        ("Ada Byron", "Ada Byron", quoting("It was opened by Ada Byron."), True),
        ("Ada Byron", "It was opened by her.", quoting("It was opened by Ada Byron."), True),
        ("Ada Byron", "Jo Marsh", quoting("It was opened by Jo Marsh."), False),
        ("Ada Byron", "Ada Byron", quoting("It was opened by Jo Marsh."), False),
        ("Ada Byron", "Ada Byron", quoting("Ada Byron opened it.", "E"), True),
        ("Ada Byron", "the opening", quoting("Ada Byron came to the opening.", "E"), False),
        ("Ada Byron", "Ada Byron", quoting("Ada Byron opened it.", "D", "1"), True),
        ("Ada Byron", None, [], False),
        ("Ada Byron", "Ada Byron", [], False),
        ("yes", "Yes", quoting("Both are towns."), True),
        ("yes", "No", quoting("Both are towns."), False),
        ("yes", "Yes", quoting("Both are towns.", "E"), False),
        ("", "anything", quoting("x"), False),
    ],
)
def test_support_is_read_off_the_quotations(golden: str, answer: str | None, cited, supported: bool) -> None:
    """A golden answer without a quotation that holds it is not supported, nor is a quotation that holds another."""
    assert supported == graded(case(golden), answer, cited).supported


def test_a_quotation_of_the_evidence_is_evident_whatever_it_says() -> None:
    """A sentence beside the answer, of a gold document, is evident and not supported; one of another document is neither."""
    grades = [graded(case("Ada Byron"), "the mill", quoting("It carries the road to the mill.", d)) for d in ("D", "E")]
    assert [(True, False), (False, False)] == [(grade.evident, grade.supported) for grade in grades]


def test_prose_is_supported_by_quoting_its_document() -> None:
    """No quotation holds a golden answer of a paragraph: the document quoted counts."""
    prose = "It was opened in the year of the flood by the mayor of the town and her sister, who had paid for it."
    assert [True, False] == [
        graded(case(prose), "By the mayor.", quoting("x", document)).supported for document in ("D", "E")
    ]


def test_an_answer_that_the_question_names_has_to_be_right_itself() -> None:
    """Which of two: both names stand in every quotation, so the answer itself is compared."""
    asked = case("Arden", "Which is older, Arden or Bryn?")
    assert [True, False] == [
        graded(asked, said, quoting("Arden and Bryn are old.")).supported for said in ("Arden", "Bryn")
    ]
