"""Plans: their text, their fingerprint."""

from remit.repair.ops import GenerateAnswer, Ref, Retrieval
from remit.repair.plan import Plan, Step

QUESTION, IN_USE = Ref("question"), Ref("doc_list")


def plan(name="docs", topk=5, docs=None):
    """Return a plan of one search and an answer."""
    return Plan(
        (
            Step(name, Retrieval(QUESTION, topk)),
            Step("final_answer", GenerateAnswer(QUESTION, docs or (Ref(name), IN_USE))),
        )
    )


def test_the_text_is_the_papers_call_syntax():
    """One call a line, the paper's two first arguments by place, the rest by name, absent ones left out."""
    assert "docs = Retrieval(question, 5)\nfinal_answer = GenerateAnswer(question, [docs, doc_list])" == plan().text
    step = Step("d", Retrieval("a", 5, revision="current"))
    assert 'd = Retrieval("a", 5, revision="current")' == Plan((step,)).text


def test_what_a_result_is_called_and_how_lists_nest_does_not_matter():
    """Two plans that do the same have one fingerprint."""
    assert plan().fingerprint(("p",), "s") == plan("other").fingerprint(("p",), "s")
    assert plan().fingerprint(("p",), "s") == plan(docs=((Ref("docs"),), (IN_USE,))).fingerprint(("p",), "s")
    assert plan().fingerprint(("p", "q"), "s") == plan().fingerprint(("q", "p"), "s")


def test_what_is_done_and_on_what_does_matter():
    """Another argument, other passages or another snapshot give another fingerprint."""
    same = plan().fingerprint(("p",), "s")
    assert same != plan(topk=6).fingerprint(("p",), "s")
    assert same != plan(docs=(IN_USE, Ref("docs"))).fingerprint(("p",), "s")
    assert same != plan().fingerprint(("p", "q"), "s")
    assert same != plan().fingerprint(("p",), "t")


def test_a_name_is_not_mistaken_for_a_text():
    """The query `question` by name is not the query "question" written out."""
    answer = Step("final_answer", GenerateAnswer(QUESTION, Ref("docs")))
    named = Plan((Step("docs", Retrieval(QUESTION, 5)), answer))
    written = Plan((Step("docs", Retrieval("question", 5)), answer))
    assert named.fingerprint((), "s") != written.fingerprint((), "s")


def test_only_answers_is_told_from_new_evidence():
    """A plan without a search only answers again."""
    assert not plan().answers_only
    assert Plan((Step("final_answer", GenerateAnswer(QUESTION, IN_USE)),)).answers_only


def test_answering_again_counts_once_for_the_same_evidence() -> None:
    """Plans that only answer again are one plan, whatever their instructions; with other evidence they are another."""
    plain = Plan((Step("final_answer", GenerateAnswer(QUESTION, IN_USE)),))
    told = Plan((Step("final_answer", GenerateAnswer(QUESTION, IN_USE, "Name the part.")),))
    assert plain.fingerprint(("a", "b"), "s") == told.fingerprint(("b", "a"), "s")
    assert plain.fingerprint(("a", "b"), "s") not in {told.fingerprint(("a",), "s"), told.fingerprint(("a", "b"), "t")}
    assert plain.fingerprint(("a",), "s") != plan().fingerprint(("a",), "s")
