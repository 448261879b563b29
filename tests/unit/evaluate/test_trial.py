"""What counts for an answer, and the traps of published scoring code."""

import pytest

from remit.answer.draft import Draft
from remit.baselines.system import Ended, Result
from remit.cases.formats.question import Question
from remit.contract.budget import Cost
from remit.evaluate.trial import accuracy, case_of, parts_held, parts_of, trial_of


def result(
    answer=None, *, action=None, ended=Ended.DONE, failure="", sent=("a@1#0",), texts=("The pier of Vik.",), **draft
):
    """Return what a system left."""
    made = Draft(answer=answer, method="t", confidence=0.5, **draft)
    action = action or ("abstain" if answer is None else "answer")
    return Result(
        action,
        answer,
        made,
        ("a@1#0", "b@1#0", "c@1#0"),
        sent,
        texts,
        ("retrieve", "answer"),
        1,
        Cost(),
        ended,
        failure,
    )


def question(**fields):
    """Return a question of a set."""
    return Question("q", "Who built the pier?", **{"answers": ("Ada Holm",), "gold": ("b", "z"), **fields})


def trial(found, asked=None):
    """Return the trial of a result."""
    case = case_of(asked or question(), asker="reader", group="g")
    return trial_of(case, found, system="s", set_name="set", digest="d", seconds=1.0)


@pytest.mark.parametrize(
    ("answer", "golden", "expected"),
    [
        ("It was Ada Holm.", ["Ada Holm"], 1.0),
        ("", ["Ada Holm"], 0.0),
        ("the", ["Ada Holm"], 0.0),
        ("Ada", ["Ada Holm"], 0.0),
        ("Holmes", ["Holm"], 0.0),
        ("anything", [""], 0.0),
        ("anything", ["the"], 0.0),
        ("", [""], 0.0),
    ],
)
def test_containment_never_scores_what_is_empty(answer, golden, expected):
    """An empty prediction is contained in every answer, and holds an empty one: neither is right."""
    assert expected == accuracy(answer, golden)


def test_an_empty_answer_scores_nothing():
    """No answer is 0 in all of them, and not left out of the mean."""
    made = trial(result(None))
    assert (0.0, 0.0, 0.0, 0.0) == (made.em, made.f1, made.rouge_l, made.accuracy)


def test_a_failed_question_counts_as_wrong():
    """What broke gave no answer: it is in the denominator, and is not taken for an abstention that was right."""
    made = trial(result(None, ended=Ended.FAILED, failure="the engine broke"), question(answerable=False))
    assert (False, "the engine broke") == (made.right, made.failure)
    assert 0.0 == trial(result(None, ended=Ended.FAILED, failure="x")).f1


def test_recall_and_hit_by_answer_are_two_things():
    """The words of the answer stand in what was sent, yet no gold text does: a hit, and no recall."""
    made = trial(result("Ada Holm", texts=("Ada Holm built it.",)))
    assert (0.0, 1.0) == (made.recall_sent, made.hit_sent)
    assert (0.5, 0.5) == (made.recalls[0], made.recalls[2])


def test_without_gold_recall_is_unmeasured():
    """A set that names no gold text has no recall, not one of 0."""
    made = trial(result("Ada Holm"), question(gold=()))
    assert (None, None, None) == (made.recalls[0], made.recall_sent, made.ndcg)


def test_nothing_sent_recalls_nothing():
    """A choice of none is a recall of 0 where there was something to recall."""
    assert 0.0 == trial(result(None, sent=(), texts=())).recall_sent


def test_a_question_without_an_answer_is_right_to_decline():
    """It has no F1 to give; declining is right and answering is not."""
    unanswerable = question(answerable=False, answers=(), gold=())
    declined, answered = trial(result(None), unanswerable), trial(result("Ole"), unanswerable)
    assert (True, None, False, "unanswerable") == (declined.right, declined.f1, answered.right, answered.kind)
    assert (False, True) == (answered.supported, answered.answered)


def test_where_sources_conflict_asking_back_is_acceptable():
    """Of conflicting sources an answer, a review and a question back are all acceptable."""
    conflict = question(kind="conflict")
    assert trial(result(None, action="review"), conflict).right
    assert not trial(result(None, action="review")).right


def test_an_answer_without_the_model_is_told():
    """Answers by quotation, because the model did not do its part, are counted."""
    assert trial(result("Ada Holm", why="without the model: no QUOTE line")).fell_back


def test_parts_of_an_answer_count_each():
    """ASQA's readings and RGB's parts: the share of them of which one spelling is in the answer."""
    asked = question(more={"readings": [{"answers": ["Ole"]}, {"answers": ["Kari", "Kari N."]}, {"answers": ["Per"]}]})
    assert (("Ole",), ("Kari", "Kari N."), ("Per",)) == parts_of(asked)
    assert 2 / 3 == parts_held("Ole in 1990, Kari in 2000.", parts_of(asked))
    assert 0.0 == parts_held(None, parts_of(asked))
    assert None is parts_held("Ole", parts_of(question()))
