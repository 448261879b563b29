"""The span scorer: frozen weights, spans of the sentence and nothing else, the same each time."""

import hashlib
import time
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written import STAFF, asked, hit, ranked, revision

from remit.adapters.minilm import MiniLm
from remit.answer.extract import Extractive
from remit.answer.span_scorer import WEIGHTS, SpanScorer, _allowed, certain, reads
from remit.answer.span_scorer_features import NAMES, Window, features
from remit.answer.span_scorer_port import PairStates
from remit.contract.budget import Budget, Limits
from remit.corpus.document import Span
from remit.llm.cancel import Patience

FROZEN = "b7e515992aaa5f0850fb360cf96d8215ee490fc728cd358fb3450380a2f82015"
BUDGET = Budget.of(Limits(), now=0.0)
MILL = "The mill was founded in 1923 by Ben Cole."
SENTENCE = "The pump was built by Brankamp in Erkrath and stands in hall 4."


@pytest.fixture(scope="module")
def encoder():
    """The real encoder."""
    return MiniLm()


class Plain:
    """An encoder to which all texts are alike, and which reads no pairs."""

    name = "plain"
    dimension = 1

    def embed(self, texts):
        """Give the same unit vector for each text."""
        return np.ones((len(texts), 1), dtype=np.float32)

    def sentence_vectors(self, passage, scope):
        """Give the same for each sentence."""
        return self.embed(passage.sentences)


class Random:
    """An encoder whose states are drawn from the text's length: enough to test what does not hang on them."""

    name = "all-MiniLM-L6-v2/int8 (random)"

    def read_pair(self, first, second):
        """Give a token a word of both texts."""
        places = []
        for text in (first, second):
            start = 0
            for part in text.split(" "):
                if part:
                    places.append((start, start + len(part)))
                start += len(part) + 1
            if text is first:
                border = len(places)
        chance = np.random.default_rng(len(first) + len(second))
        return PairStates(chance.standard_normal((len(places), 384)).astype(np.float32), tuple(places), border)


def window(*sentences, title="Pumps"):
    """Return a window of these sentences, each equally like the question."""
    starts = [sum(len(text) + 1 for text in sentences[:n]) for n in range(len(sentences))]
    spans = tuple(Span(start, start + len(text)) for start, text in zip(starts, sentences, strict=True))
    return Window(" ".join(sentences), title, spans, (0.5,) * len(sentences))


def test_the_weights_are_the_frozen_ones():
    """The file is the one that the report measured, and small enough to ship."""
    data = resources.files("remit.answer").joinpath(WEIGHTS).read_bytes()
    assert FROZEN == hashlib.sha256(data).hexdigest()
    assert len(data) <= 4_000_000


@pytest.mark.integration
@pytest.mark.parametrize(
    ("question", "answer"), [("Who founded the mill?", "Ben Cole"), ("When was the mill founded?", "1923")]
)
def test_the_words_asked_for_are_found(encoder, question, answer):
    """Of one sentence the words that answer the question are taken, whichever is asked."""
    (scored,) = SpanScorer(encoder).read(asked(question), [window(MILL, title="The mill")]).scored
    assert answer == MILL[scored.start : scored.end]


@pytest.mark.integration
def test_the_sentence_with_the_answer_is_chosen_among_all_of_all_windows(encoder):
    """Which window, which sentence and which words is one choice."""
    others = window("The canteen opens at noon.", "Badges are worn in all halls.", title="Site")
    read = SpanScorer(encoder).read(asked("Who built the pump?"), [others, window("It is green.", SENTENCE)])
    assert (1, 1) == (read.scored[0].window, read.scored[0].sentence)
    assert "Brankamp" == SENTENCE[read.scored[0].start : read.scored[0].end]


@pytest.mark.integration
def test_a_sentence_without_the_answer_is_told_from_one_with_it(encoder):
    """No answer is likelier where the sentence speaks of something else."""
    question = asked("Who built the pump?")
    with_it, without = (
        SpanScorer(encoder).read(question, [window(text)]).none for text in (SENTENCE, "Wear gloves at all times.")
    )
    assert with_it < without


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.sampled_from("ab Z1.,“(\u05d0é\u4e2d"), max_size=60), st.sampled_from(["Who is it?", "ab?", "Where 1?"])
)
def test_the_answer_is_a_span_of_a_sentence(sentence, question):
    """Whatever the text: spans inside sentences that begin and end at words, chances of 1 together, the same each time."""
    scorer = SpanScorer(Random())
    windows = [window(sentence, "It is 4."), window("Who?", title="ab")]
    read = scorer.read(asked(question), windows)
    assert read == scorer.read(asked(question), windows)
    assert pytest.approx(1.0) == read.none + sum(scored.whole for scored in read.scored)
    for scored in read.scored:
        span = windows[scored.window].sentences[scored.sentence]
        text = windows[scored.window].text[span.start : span.end]
        assert 0 <= scored.start < scored.end <= len(text)
        assert 0.0 < scored.chance <= scored.whole <= 1.0 + 1e-9
        assert any(char.isalnum() for char in text[scored.start : scored.end])


def test_a_bridge_is_a_title_that_the_other_window_says():
    """A token that names another window's title leads on; a window whose title is said elsewhere is led to."""
    column = {name: number for number, name in enumerate(NAMES)}
    windows = [window("The pump was built by Brankamp."), window("It sits in Erkrath.", title="Brankamp (firm)")]
    first, second = (
        features(asked("Where is the maker of the pump?"), windows, at, Random().read_pair("Where?", windows[at].text))
        for at in (0, 1)
    )
    assert (1.0, 0.0) == (first[:, column["leads on"]].max(), second[:, column["leads on"]].max())
    assert (0.0, 1.0) == (
        first[:, column["title said elsewhere"]].max(),
        second[:, column["title said elsewhere"]].max(),
    )


def test_there_is_a_column_for_each_named_feature():
    """Every token has a row, every feature a name, and all are finite."""
    pair = Random().read_pair("Who built it?", SENTENCE)
    table = features(asked("Who built it?"), [window(SENTENCE)], 0, pair)
    assert (len(pair.places), len(NAMES)) == table.shape
    assert np.isfinite(table).all()


@pytest.mark.parametrize(
    ("question", "sentence", "found", "expected"),
    [
        ("How much does it weigh?", "It weighs 12 kg.", "12 kg", True),
        ("How much does it weigh?", "It is heavy.", None, True),
        ("When is it done?", "It is done on 1 May 2026.", "1 May 2026", True),
        ("Which part is used?", "Part KX-250 is used.", "KX-250", True),
        ("Which company built it?", "The company is to be named.", None, True),
        ("Why is it green?", "It is green because of the copper.", None, True),
        ("How do I fit it?", "Fit it by hand.", None, True),
        ("Which company built it?", "Brankamp built it.", None, False),
        ("Where is it kept?", "It is kept in hall 4.", None, False),
    ],
)
def test_the_rules_keep_what_their_form_makes_certain(question, sentence, found, expected):
    """Numbers, dates, codes, open answers and reasons stay with the rules; names and places go to the scorer."""
    assert expected == certain(asked(question), sentence, found)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("It failed because the seal ran dry.", "because the seal ran dry"),
        ("It failed, since the seal ran dry.", "since the seal ran dry"),
        ("Because the seal ran dry, it failed.", "Because the seal ran dry"),
        ("It has failed since 2019.", "It has failed since 2019."),
    ],
)
def test_a_reason_is_the_clause_that_gives_it(sentence, answer):
    """Asked why, the clause that says so is the answer; "since 2019" is no reason."""
    plain = Plain()
    draft = Extractive(plain, plain).draft(
        asked("Why did the pump fail?"), ranked(hit(revision("D-1"), sentence)), STAFF, BUDGET, Patience()
    )
    assert (answer, [sentence]) == (draft.answer, [citation.quote for citation in draft.citations])


def test_no_span_begins_or_ends_inside_a_number():
    """Of 0.8 bar neither 0 nor 8 is an answer."""
    places = ((0, 1), (1, 2), (2, 3), (4, 7))
    allowed = _allowed(window("0.8 bar"), places)
    assert [(0, 2), (0, 3), (3, 3)] == [(int(a), int(b)) for a, b in zip(*allowed.nonzero(), strict=True)]


def test_only_the_encoder_it_was_trained_on_is_read():
    """Another encoder's states mean something else: the rules answer alone."""

    class Other(Random):
        name = "another"

    assert reads(Other()) is None
    assert reads(object()) is None
    assert reads(Random()) is not None


@pytest.mark.integration
def test_the_quotation_stays_the_whole_sentence(encoder):
    """The answer gets shorter; what is cited is the sentence it stands in."""

    class Both:
        def sentence_vectors(self, passage, scope):
            return encoder.embed([passage.quote(span) for span in passage.sentences])

    contract = asked("Who built the pump in hall 4?")
    draft = Extractive(encoder, Both()).draft(
        contract, ranked(hit(revision("D-1"), SENTENCE)), STAFF, BUDGET, Patience()
    )
    assert ("Brankamp", [SENTENCE]) == (draft.answer, [citation.quote for citation in draft.citations])


@pytest.mark.integration
def test_scoring_takes_a_fraction_of_an_ask(encoder):
    """A sentence is scored well within the time that an ask may take; the bound is measured by bench/answers.py."""
    scorer = SpanScorer(encoder)
    scorer.read(asked("Who built it?"), [window(SENTENCE)])
    began = time.process_time()
    scorer.read(asked("Who built the pump?"), [window(SENTENCE)])
    assert time.process_time() - began < 1.0
