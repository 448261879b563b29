"""Which windows are read, and which sentence is chosen of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from written import asked, hit, revision

from remit.answer.choose import MOST, Chosen, led_by, likeliest, promising
from remit.answer.evidence import Evidence
from remit.answer.span_scorer import Scored
from remit.answer.windows import CHARACTERS, windows
from remit.corpus.document import Span
from remit.retrieve.retriever import Hit


def evidence(source: Hit, span: Span, *, cosine: float = 0.5, weight: float = 0.5) -> Evidence:
    """Write a weighed sentence."""
    text = source.passage.quote(span)
    return Evidence(source, span, text, cosine, (), None, (), True, weight, np.zeros(2, dtype=np.float32))


def sentences(source: Hit, cosine: float = 0.5) -> tuple[Evidence, ...]:
    """Write the sentences of a passage, equally like the question."""
    return tuple(evidence(source, span, cosine=cosine) for span in source.passage.sentences)


@given(st.lists(st.integers(5, 900), min_size=1, max_size=12))
def test_windows_hold_each_sentence_once(lengths):
    """All sentences in order, none twice; only one longer than a window is alone in a longer one."""
    source = hit(revision("D"), " ".join("x" * length + "." for length in lengths))
    placed = windows(source, [0.1] * len(lengths))
    assert list(source.passage.sentences) == [span for one in placed for span in one.spans]
    for one in placed:
        assert len(one.window.text) <= CHARACTERS or len(one.spans) == 1
        assert [source.passage.quote(span) for span in one.spans] == [
            one.window.text[span.start : span.end] for span in one.window.sentences
        ]


def test_a_passage_that_is_led_to_is_read_though_it_is_unlike_the_question():
    """The passage about the name that the first one says comes before those that are merely alike."""
    first = hit(revision("D-1", title="Low Tide"), "Low Tide was directed by Anna Berg.")
    alike = [hit(revision(f"D-{n}", title=f"Other {n}"), "Somebody directed something.") for n in range(2, 9)]
    second = hit(revision("D-9", title="Anna Berg"), "She was born in Toledo.")
    weighed = (*sentences(first, 0.9), *(e for one in alike for e in sentences(one, 0.5)), *sentences(second, 0.1))
    assert "Anna Berg" in [one.window.title for one in promising(weighed)]


def test_no_more_is_read_than_an_answer_may_cost():
    """Windows stop before the limit; a single one is read whatever its length."""
    long = [hit(revision(f"D-{n}"), ("word " * 130).strip() + ".") for n in range(6)]
    read = promising(tuple(e for one in long for e in sentences(one)))
    assert 1 <= len(read)
    assert sum(len(one.window.text) for one in read) <= MOST
    assert 1 == len(promising(sentences(hit(revision("D"), "word " * 900 + "."))))


def test_rows_of_a_table_are_not_read():
    """Cells are the rules' business."""
    assert [] == promising(sentences(hit(revision("D"), "item: pump; size: 4", kind="table")))


def chosen(source: Hit, at: int, *, weight: float, chance: float) -> Chosen:
    """Write a reading of a passage's sentence."""
    span = source.passage.sentences[at]
    return Chosen(evidence(source, span, weight=weight), Scored(0, at, 6, 9, chance, chance), "Ann")


def test_chance_and_weight_together_choose():
    """Of equal chances the heavier sentence, and a lighter one where it is much likelier; of nothing none."""
    source, question = hit(revision("D"), "It is Ann. It is Ben."), asked("Who is it?")
    heavy, light = chosen(source, 0, weight=0.8, chance=0.4), chosen(source, 1, weight=0.6, chance=0.4)
    likely = chosen(source, 1, weight=0.6, chance=0.55)
    assert heavy == likeliest(question, (light, heavy), 0.8)
    assert likely == likeliest(question, (heavy, likely), 0.8)
    assert likeliest(question, (), 0.8) is None


def test_a_light_sentence_needs_a_sure_scorer_or_a_tie():
    """Far below the rules' best one it counts only with a high chance, or where question or another passage names its title."""
    first = hit(revision("D-1", title="Low Tide"), "Low Tide was directed by Anna Berg.")
    second = hit(revision("D-2", title="Anna Berg"), "She was born in Toledo.")
    stray = hit(revision("D-3", title="Canteen"), "It opens at noon.")
    question, heavy = asked("Where was its director born?"), chosen(first, 0, weight=0.8, chance=0.1)
    assert heavy == likeliest(question, (heavy, chosen(stray, 0, weight=0.1, chance=0.5)), 0.8)
    sure, led = chosen(stray, 0, weight=0.1, chance=0.7), chosen(second, 0, weight=0.1, chance=0.5)
    assert sure == likeliest(question, (heavy, sure), 0.8)
    assert led == likeliest(question, (heavy, led), 0.8)


def test_the_sentence_that_leads_to_a_passage_is_cited_with_it():
    """Where the question does not name what the passage is about, a sentence that does is the second quotation."""
    film = hit(revision("D-1", title="Low Tide"), "Low Tide was directed by Anna Berg.")
    person = hit(revision("D-2", title="Anna Berg"), "She was born in Toledo.")
    (led,), (answers,) = sentences(film), sentences(person)
    assert led == led_by(asked("Where was the director of Low Tide born?"), answers, (answers, led))
    assert led_by(asked("Where was Anna Berg born?"), answers, (answers, led)) is None
