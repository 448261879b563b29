"""CRAG's three actions, its strips and its keywords."""

import pytest

from remit.baselines.crag import Crag, cut

GOOD = "QUOTE [1]: Ada Holm was born in Vik.\nANSWER: Vik"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.592], "correct"),
        ([0.5919], "ambiguous"),
        ([-0.995], "ambiguous"),
        ([-0.9951], "incorrect"),
        ([], "incorrect"),
        ([-1.0, 0.6, -0.999], "correct"),
    ],
)
def test_the_best_passage_decides(scores, expected):
    """Any at the upper threshold: correct; any at the lower: ambiguous; else, and with none, incorrect."""
    assert expected == Crag().judged(scores)


def test_correct_refines_and_looks_nowhere_else(make):
    """One search; strips of the good passages only."""
    result = make().run(Crag(upper=-1.0, lower=-1.0))
    assert (("retrieve", "correct", "refine", "answer"), 1) == (result.steps, result.searches)


def test_incorrect_looks_elsewhere_with_keywords(make):
    """The passages found are set aside; the model's keywords are asked for, three at most."""
    made = make(["KEYWORDS: Vik, town, Norway, pier", GOOD])
    result = made.run(Crag(upper=1.0, lower=1.0))
    assert ("retrieve", "incorrect", "rewrite", "retrieve", "refine", "answer") == result.steps
    assert "Vik, town, Norway" not in made.prompts[1]


def test_ambiguous_does_both(make):
    """Strips of what was found and of what the keywords find."""
    result = make().run(Crag(upper=1.0, lower=-1.0))
    assert ("retrieve", "ambiguous", "refine", "retrieve", "refine", "answer") == result.steps


def test_without_a_model_keywords_are_content_words(make):
    """It runs with the extractive answerer, too."""
    assert make().run(Crag(upper=1.0, lower=1.0)).searches == 2


def test_only_passages_at_the_threshold_are_refined(make):
    """A correct retrieval keeps strips of its good passages and of no other."""
    made = make()
    work = made.work()
    hits = work.search(work.question, 4)
    best = max(one.score for one in Crag().scored(work, hits))
    assert 1 == len(made.run(Crag(upper=best)).sent)
    assert 1 < len(made.run(Crag(upper=-1.0)).sent)


def test_a_strip_quotes_its_passage_at_its_place(make):
    """A strip of sentences is a stretch of the document, so that a quotation from it still verifies."""
    work = make().work()
    hit = work.search("Ada Holm", 1)[0]
    first, second = cut(hit, 2, 50)
    whole = hit.passage
    assert whole.text == f"{first.passage.text} {second.passage.text}"
    assert all(
        strip.passage.quote(span) == whole.quote(span) for strip in (first, second) for span in strip.passage.sentences
    )


@pytest.mark.parametrize(("sentences", "words", "count"), [(3, 50, 1), (1, 50, 3), (3, 7, 2)])
def test_strips_end_at_sentences_or_words(make, sentences, words, count):
    """Three sentences, or fewer once there are fifty words."""
    hit = make().work().search("Ada Holm", 1)[0]
    assert count == len(cut(hit, sentences, words))


def test_at_most_six_strips_reach_the_answer(make):
    """Strips of one passage are told apart, and the best are kept."""
    made = make()
    work = made.work()
    system = Crag(sentences=1, strips=6)
    strips = system.refined(work, work.search(work.question, 4))
    assert 6 == len(strips) == len({(hit.passage.id, hit.passage.start) for hit in strips})
    assert 6 == len(work.draft(strips) and work.sent)


def test_scores_lie_on_the_published_scale(make):
    """From -1 to 1, in the order of likeness; a strip scores by its own sentences."""
    work = make().work("the ship Alda sank near Oslo")
    system = Crag()
    scored = {one.hit.source.title: one.score for one in system.scored(work, work.search(work.question, 4))}
    assert -1 <= min(scored.values()) < max(scored.values()) == scored["Alda"] <= 1
    hit = work.search("ship Alda built", 1)[0]
    built, sank = system.scored(work, [hit], cut(hit, 1, 50))
    assert built.score < sank.score == scored["Alda"]
