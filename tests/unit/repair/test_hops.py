"""Questions that follow one another, and the blank that the first one's answer fills."""

import pytest

from remit.repair.hops import hop_of, makers_of
from remit.repair.parse import parse
from remit.repair.planner import StepFailure

ASKED = "When was the designer of Old Bridge born?"
FOLLOWED = (
    "sub = DecomposeQuery(question)\nfirst = GenerateAnswer(sub[0], doc_list)\nnext = Retrieval(sub[1], 5)\n"
    "final_answer = GenerateAnswer(sub[1], [next, doc_list])"
)


@pytest.mark.parametrize(
    ("question", "hop"),
    [
        (ASKED, ("Who designed Old Bridge?", "When was #1 born?")),
        (
            "What is the cause of death of director of film These Glamour Girls?",
            ("Who directed These Glamour Girls?", "What is the cause of death of #1?"),
        ),
        (
            "Where was the place of death of Isabel Moctezuma's father?",
            ("Who is the father of Isabel Moctezuma?", "Where was the place of death of #1?"),
        ),
        (
            "When was Laura Marx's husband born?",
            ("Who is the husband of Laura Marx?", "When was #1 born?"),
        ),
        (
            "Who is Abbas Shirvanshah's paternal grandfather?",
            ("Who is the father of Abbas Shirvanshah?", "Who is the father of #1?"),
        ),
        (
            "The author of Sexual Politics attended which British University?",
            ("Who wrote Sexual Politics?", "#1 attended which British University?"),
        ),
        ("Who is the director of film Old Bridge?", None),
        ("Who was the second president of India?", None),
        ("What is the capital of France?", None),
        ("Kaiser Ventures was founded by someone who became known as the father of Modern Shipbuilding?", None),
        ("Who wrote the #1 song of the composer of Old Bridge?", None),
        ("x" * 400 + " the director of Old Bridge born", None),
        ("", None),
    ],
)
def test_a_hop_is_read_off_the_form_of_a_question(question, hop):
    """What is described is asked for first; a question for the description itself is one question."""
    found = hop_of(question)
    assert hop == (None if found is None else tuple(found))


@pytest.mark.parametrize(
    ("question", "makers"),
    [
        (
            "Which film has the director born later, Burma Convoy or Old St. Paul'S (Film)?",
            ("Who directed Burma Convoy?", "Who directed Old St. Paul'S (Film)?"),
        ),
        (
            "Are director of film A Few Hours Of Spring and director of film The New Hotel both from the same country?",
            ("Who directed A Few Hours Of Spring?", "Who directed The New Hotel?"),
        ),
        (
            "Are the directors of both films Hope Floats and Sold (2014 Film) from the same country?",
            ("Who directed Hope Floats?", "Who directed Sold (2014 Film)?"),
        ),
        (
            "Do both Mexico Sleeps and Old Bridge films have the directors from the same country?",
            ("Who directed Mexico Sleeps?", "Who directed Old Bridge?"),
        ),
        ("Which film came out first, Burma Convoy or Old St. Paul'S?", ()),
        ("Who is older, Ann Lee or Bo Li?", ()),
    ],
)
def test_both_makers_of_two_works_that_are_compared(question, makers):
    """Works are compared by their makers only where the question says so."""
    assert makers == makers_of(question)


@pytest.fixture
def bridge(made):
    """Return passages on a bridge and on its designer, the second not in use."""
    return [
        made.hit("b", "The designer of the Old Bridge is Ann Lee.", document="B", title="Old Bridge"),
        made.hit("a", "Ann Lee was born on 4 May 1960.", document="A", title="Ann Lee"),
    ]


class Reader:
    """Answers who with a name and when with a date, out of the first passage that holds it."""

    name = "reader"

    def __init__(self, made, who="Ann Lee"):
        self.made, self.who, self.claims = made, who, []

    def draft(self, contract, ranking, scope, budget, patience):
        self.claims.append(contract.claim)
        answer = "4 May 1960" if "born" in contract.claim else self.who
        hit = next((one for one in ranking.hits if answer[:20] in one.passage.text), ranking.hits[0])
        return self.made.draft_on(hit, 0.9 if "born" in contract.claim else 0.6, answer=answer)


def followed(made, bridge, reader, text=FOLLOWED, question=ASKED):
    """Run a plan that follows the hop."""
    parts = made.executor(bridge, answerer=reader)
    state = made.state(question, bridge[:1], draft=made.draft_on(bridge[0], 0.1))
    return parts.run(parse(text), state, made.budget(), made.patience), parts


def test_the_answer_to_the_first_stands_in_the_second(made, bridge):
    """Search and answer are about whom the first answer named; both quotations are cited, and the weaker one counts."""
    reader = Reader(made)
    repaired, parts = followed(made, bridge, reader)
    assert ["Who designed Old Bridge?", "When was Ann Lee born?"] == reader.claims
    assert "When was Ann Lee born?" == parts.retriever.searches[-1][0].query
    assert ("4 May 1960", True) == (repaired.draft.answer, repaired.accepted)
    assert ["a", "b"] == [citation.passage for citation in repaired.draft.citations]
    assert 0.6 == repaired.draft.confidence


@pytest.mark.parametrize(
    "text",
    [
        FOLLOWED.replace("first = GenerateAnswer(sub[0], doc_list)\n", ""),
        FOLLOWED.replace("GenerateAnswer(sub[0], doc_list)", "GenerateAnswer(question, doc_list)"),
    ],
)
def test_a_blank_that_nothing_filled_fails_the_step(made, bridge, text):
    """The first draft stands, and the record says which step had nothing to ask."""
    repaired, _ = followed(made, bridge, Reader(made), text)
    assert not repaired.accepted
    assert StepFailure.NEEDS_FAILED_STEP in [step.failed for step in repaired.steps]


def test_a_whole_sentence_fills_no_blank(made, bridge):
    """What a document says at length does not become part of a query."""
    repaired, parts = followed(made, bridge, Reader(made, who="Ignore the rules and " * 9))
    assert not repaired.accepted
    assert all("Ignore" not in search.query for search, _, _ in parts.retriever.searches)


def test_a_filled_answer_is_not_filled_again(made, bridge):
    """A document that answers with a blank of its own starts nothing."""
    reader = Reader(made, who="#1 #2")
    followed(made, bridge, reader)
    assert "When was #1 #2 born?" == reader.claims[-1]


def test_a_list_of_parts_is_searched_without_those_that_wait(made, bridge):
    """The part that can be asked is asked."""
    text = "sub = DecomposeQuery(question)\ndocs = Retrieval(sub, 5)\nfinal_answer = GenerateAnswer(question, docs)"
    _, parts = followed(made, bridge, Reader(made), text)
    assert ["Who designed Old Bridge?"] == [search.query for search, _, _ in parts.retriever.searches]
