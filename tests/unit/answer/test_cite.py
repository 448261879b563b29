import re
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.answer.cite import cite, locate, quoted, supports, verify
from remit.answer.reply import Parsed, Quoted
from remit.contract.contract import Contract, RevisionWanted
from remit.contract.value import text_digest
from remit.corpus.document import Passage, Revision, Span
from remit.retrieve.retriever import Hit

SEAL = "Fit the new seal with its clips in place. Tighten the gland nuts evenly to 35 Nm. Do not reuse the gasket."
OIL = "Oil in gearbox G-201 is changed every 4,000 running hours. Use ISO VG 220. Fill in about 6.5 litres."


def hit(text, name="seal"):
    """Return a hit whose passage holds `text` from code point 50 on."""
    spans = [Span(found.start() + 50, found.end() + 50) for found in re.finditer(r"\S.*?(?:[.؟。](?=\s|$)|$)", text)]
    passage = Passage(
        id=f"{name}@1#0",
        document=name,
        revision="1",
        ordinal=0,
        section=(),
        start=50,
        end=50 + len(text),
        text=text,
        sentences=tuple(spans),
    )
    source = Revision(
        document=name,
        revision="1",
        title=name,
        collection="procedures",
        labels=frozenset({"public"}),
        digest=text_digest(text),
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    return Hit(passage=passage, source=source, score=1.0)


def contract(question="What torque do the gland nuts get?", form="number"):
    """Return a contract for a question."""
    return Contract(
        framing="test",
        question=question,
        claim=question,
        facts=(),
        wanted=RevisionWanted(at=date(2026, 1, 1)),
        form=form,
    )


HITS = (hit(SEAL), hit(OIL, "oil"))


def found(quote, text=SEAL):
    """Return the stored text that a quotation leads to."""
    passage = hit(text).passage
    span = locate(quote, passage)
    return None if span is None else passage.quote(span)


@pytest.mark.parametrize(
    "quote",
    [
        "Tighten the gland nuts evenly to 35 Nm.",
        "gland nuts evenly to 35 Nm",
        "TIGHTEN  the gland-nuts\nevenly to 35 Nm",
        "Tighten the gland nuts evenlly to 35 Nm.",
        "Tighten gland nuts evenly to 35 Nm.",
        "35 Nm",
    ],
)
def test_a_quotation_is_found_and_the_stored_sentence_is_cited(quote):
    """Exact, folded and nearly exact quotations give the whole stored sentence at its span."""
    assert found(quote) == "Tighten the gland nuts evenly to 35 Nm."


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " ",
        "Tighten the gland nuts evenly to 45 Nm.",
        "Do reuse the gasket.",
        "The pump is painted blue and stands in the hall.",
        "Tighten the bolts of the casing crosswise to 35 Nm and then some.",
        "the",
        "ight",
        "5 Nm",
    ],
)
def test_what_is_not_there_is_not_found(quote):
    """Another number, a lost "not", other words, or half a word: no citation."""
    assert found(quote) is None


def test_a_fragment_brings_its_whole_sentence():
    """A model cannot leave out the "not": the sentence is cited, not the fragment."""
    assert found("reuse the gasket") == "Do not reuse the gasket."


def test_a_quotation_over_two_sentences_brings_both():
    """A run of sentences is cited as one span."""
    assert found("evenly to 35 Nm. Do not reuse") == "Tighten the gland nuts evenly to 35 Nm. Do not reuse the gasket."


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("最大圧力は6バール", "設備の説明。最大圧力は6バールです。"),
        ("درجة الحرارة", "يجب فحص المضخة. درجة الحرارة 40 مئوية."),
        ("cafe\u0301 ferme\u0301 le lundi", "Le caf\u00e9 ferm\u00e9 le lundi reste ouvert."),
        ("Größe der Dichtung", "Die GRÖSSE der Dichtung ist 2 mm."),
    ],
)
def test_other_scripts_keep_their_spans(quote, text):
    """Unspaced, right-to-left and decomposed text is found at code points of the stored text."""
    passage = hit(text).passage
    span = locate(quote, passage)
    assert span is not None
    assert passage.quote(span) in text


@given(st.integers(0, 20), st.integers(1, 12))
def test_any_run_of_words_verifies(start, length):
    """Every run of words that is found gives a citation that verifies and holds the run."""
    run = " ".join(SEAL.split()[start : start + length])
    result = quoted(run, 1, HITS)
    if result is not None:
        owner, citation = result
        assert verify(citation, owner.passage)
        assert run in citation.quote


def test_a_word_for_word_quotation_is_cited_from_where_it_stands():
    """A wrong number with the right words leads to the passage that holds them; nearly right words do not."""
    owner, citation = quoted("Oil in gearbox G-201 is changed every 4,000 running hours.", 1, HITS)
    assert "oil" == owner.passage.document == citation.document
    assert None is quoted("Oil in gearbox G-201 was changed every 4,000 running hours.", 1, HITS)


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Tighten the gland nuts evenly to 45 Nm."},
        {"digest": "sha256:0"},
        {"start": 0},
        {"end": 10_000},
        {"passage": "oil@1#0"},
        {"revision": "2"},
        {"document": "oil"},
    ],
)
def test_a_citation_that_was_changed_does_not_verify(change):
    """Quote, digest, span, passage and revision must all hold."""
    _, citation = quoted("Tighten the gland nuts evenly to 35 Nm.", 1, HITS)
    assert verify(citation, HITS[0].passage)
    assert not verify(citation.model_copy(update=change), HITS[0].passage)


SUPPORTED = [
    ("35 Nm", "Tighten evenly to 35 Nm."),
    ("35", "Tighten evenly to 35 Nm."),
    ("4000 hours", "every 4,000 running hours"),
    ("6.5 litres", "about 6,50 litres"),
    ("2 bolts", "two bolts"),
    ("4 bolts", "the 4 rear bolts"),
    ("from 1 July 2026", "valid from 2026-07-01"),
    ("July 2026", "on 1 July 2026"),
    ("-5 °C", "down to \u22125 °C"),
    ("42 Nm", "Torque nm: 42; Line: 2"),
    ("6 bar", "The pressure must not exceed 6 bar."),
    ("35 Nm", "Do not reuse the nuts. The torque is 35 Nm."),
    ("The gasket must not be reused", "Do not reuse the gasket."),
    ("P-101 takes 35 Nm", "The nuts of P-101 take 35 Nm."),
]
UNSUPPORTED = [
    ("45 Nm", "Tighten evenly to 35 Nm."),
    ("35 bar", "Tighten evenly to 35 Nm."),
    ("4 hours", "every 4,000 running hours"),
    ("65 litres", "about 6.5 litres"),
    ("4 bolts", "4 washers and 6 bolts"),
    ("2 July 2026", "valid from 2026-07-01"),
    ("5 °C", "down to -5 °C"),
    ("10 weeks", "within 10 working days"),
    ("16:15", "opens at 06:15"),
    ("The torque is 35 Nm", "The torque is not 35 Nm."),
    ("Reuse the gasket", "Do not reuse the gasket."),
    ("The gasket must not be reused", "The gasket may be reused."),
    ("P-102 takes 35 Nm", "The nuts of P-101 take 35 Nm."),
    ("101", "the pump P-101"),
    ("12", "the bolt M12"),
]


@pytest.mark.parametrize(("claim", "quote"), SUPPORTED)
def test_what_the_quotation_states_is_supported(claim, quote):
    """The same number, unit, date, code and polarity, in another spelling, count as the same."""
    assert supports(claim, quote)


@pytest.mark.parametrize(("claim", "quote"), UNSUPPORTED)
def test_what_differs_in_a_detail_is_not(claim, quote):
    """Another number, unit, date, code or polarity is not supported, however alike the words are."""
    assert not supports(claim, quote)


@given(st.text(max_size=60), st.text(max_size=60))
def test_support_is_total(claim, quote):
    """Any two texts are compared without an error."""
    assert supports(claim, quote) in {True, False}


def test_the_question_lends_its_codes_and_its_negation():
    """What must not be used may be answered by its name; the question's numbers prove nothing."""
    assert supports("ISO VG 220", "Do not use ISO VG 220 here.", given="Which oil must not be used?")
    assert not supports("ISO VG 220", "Do not use ISO VG 220 here.", given="Which oil is used?")
    assert not supports("40 Nm", "Tighten to 35 Nm.", given="Is it 40 Nm?")


@pytest.mark.parametrize(
    ("question", "form", "answer", "quote", "expected"),
    [
        ("What torque do the gland nuts get?", "number", "35 Nm", "Tighten the gland nuts evenly to 35 Nm.", "35 Nm"),
        ("What torque do the gland nuts get?", "number", "45 Nm", "Tighten the gland nuts evenly to 35 Nm.", None),
        ("May the gasket be reused?", "boolean", "No.", "Do not reuse the gasket.", "No"),
        ("May the gasket be reused?", "boolean", "Yes", "Do not reuse the gasket.", None),
        ("May the gasket be reused?", "boolean", "Perhaps", "Do not reuse the gasket.", None),
        ("Which oil?", "name", "ISO VG 220", "Use ISO VG 220.", "ISO VG 220"),
        ("Which oil?", "name", "Shell Omala", "Use ISO VG 220.", None),
        (
            "What about oil?",
            "list",
            "ISO VG 220; 6.5 litres; 9 litres",
            "Use ISO VG 220. Fill in about 6.5 litres.",
            "ISO VG 220; 6.5 litres",
        ),
        (
            "What about the nuts?",
            "text",
            "Tighten the nuts to 35 Nm. The pump is blue and loud.",
            "Tighten the gland nuts evenly to 35 Nm.",
            "Tighten the nuts to 35 Nm.",
        ),
    ],
)
def test_only_what_is_carried_is_answered(question, form, answer, quote, expected):
    """Each statement stands or falls by its quotation; an answer of which nothing stands is None, with a reason."""
    number = 1 if quote in SEAL else 2
    result = cite(Parsed(answer, (Quoted(number, quote),)), contract(question, form), HITS)
    assert expected == result.answer
    assert (expected is None) == (result.claims == ())
    assert expected == answer.rstrip(".") or result.why
    assert all(
        verify(c, next(h.passage for h in HITS if h.passage.id == c.passage))
        for claim in result.claims
        for c in claim.citations
    )


def test_two_quotations_may_carry_a_sentence_together():
    """A sentence that joins two passages cites both."""
    quotes = (Quoted(1, "Tighten the gland nuts evenly to 35 Nm."), Quoted(2, "Use ISO VG 220."))
    result = cite(Parsed("Tighten to 35 Nm and use ISO VG 220.", quotes), contract("What to do?", "text"), HITS)
    assert [2] == [len(claim.citations) for claim in result.claims]


def test_a_quotation_that_is_not_found_carries_nothing():
    """An invented quotation is dropped, even where the answer happens to be right."""
    result = cite(Parsed("35 Nm", (Quoted(1, "All nuts are to be tightened to 35 Nm always."),)), contract(), HITS)
    assert (None, ()) == (result.answer, result.claims)
    assert "not in [1]" in result.why
