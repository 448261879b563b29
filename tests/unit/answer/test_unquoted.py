"""An answer that came without a quotation: cited from the sentence that says it, or not at all."""

import pytest
from tests.unit.answer.test_cite import SEAL, contract, hit

from remit.answer.cite import cite, verify
from remit.answer.reply import Parsed


@pytest.mark.parametrize(
    ("question", "form", "answer", "expected"),
    [
        ("What torque do the gland nuts get?", "number", "35 Nm", "Tighten the gland nuts evenly to 35 Nm."),
        ("Which oil does gearbox G-201 use?", "name", "ISO VG 220", "Use ISO VG 220."),
        ("How is the gasket reused?", "text", "Do not reuse the gasket.", "Do not reuse the gasket."),
        ("What torque do the gland nuts get?", "number", "36 Nm", None),
        ("What torque do the gland nuts get?", "number", "35 bar", None),
        ("How much does the crane lift?", "number", "35 Nm", None),
        ("Is the gasket reused?", "boolean", "no", None),
        ("Who tightens the gland nuts?", "name", "Holm", None),
    ],
)
def test_an_answer_without_a_quotation_is_cited_from_the_sentence_that_says_it(question, form, answer, expected):
    """The whole sentence, verified like any; where it holds other values, speaks of something else, or a yes is asked: nothing."""
    hits = (hit(SEAL), hit("Gearbox G-201. Use ISO VG 220. Fill in about 6.5 litres.", "Oil of gearbox G-201"))
    result = cite(Parsed(answer), contract(question, form), hits)
    cited = [citation for claim in result.claims for citation in claim.citations]
    assert ([] if expected is None else [expected]) == [one.quote for one in cited]
    assert (result.answer is None) == (expected is None)
    assert "quoted nothing" in result.why
    assert all(verify(one, next(h.passage for h in hits if h.passage.id == one.passage)) for one in cited)
