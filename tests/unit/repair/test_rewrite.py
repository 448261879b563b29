"""The deterministic rewriter, decomposer and refiner, and the definitions they go by."""

import pytest

from remit.answer.definitions import definitions
from remit.contract.terms import terms
from remit.repair.decompose import ClauseDecomposer, parts_of
from remit.repair.planner import Synonym
from remit.repair.reach import Reach
from remit.repair.refine import SentenceRefiner
from remit.repair.rewrite import GlossaryRewriter, understood


def rewrite(made, query, rows, instruction="clarify", **more):
    """Return what the rewriter makes of a query over these rows."""
    reach = Reach.of(made.state(**more))
    return GlossaryRewriter(made.retriever(rows)).rewrite(query, instruction, reach, made.budget(), made.patience)


@pytest.mark.parametrize(
    ("sentence", "glossary", "found"),
    [
        ("Barrier liquid is the shop-floor name for mechanical seal quench fluid.", False, [("Barrier liquid", "mechanical seal quench fluid")]),
        ("Gland water is an old name for the flushing condensate.", False, [("Gland water", "flushing condensate")]),
        ("Stretch is the word for belt tension.", False, [("Stretch", "belt tension")]),
        ("Spearing means lancing the tubes with high-pressure water.", False, [("Spearing", "lancing the tubes with high-pressure water")]),
        ("The pressure relief valve, also called kick valve, is tested.", False, [("kick valve", "pressure relief valve"), ("pressure relief valve", "kick valve")]),
        ("Drain the quench fluid (barrier liquid) first.", False, [("barrier liquid", "quench fluid")]),
        ("A kick valve is a pressure relief valve.", True, [("kick valve", "pressure relief valve")]),
        ("A kick valve is a pressure relief valve.", False, []),
        ("- LOTO: lock-out and tag-out", True, [("LOTO", "lock-out")]),
        ("The seal is flushed.", False, []),
        ("", True, []),
    ],
)  # fmt: skip
def test_a_definition_is_found_by_its_form(made, sentence, glossary, found):
    """Sentences that say what a word means give term and meaning; "X is Y" only under a glossary's heading."""
    row = made.hit("g", sentence, title="Glossary" if glossary else "Notes", section=())
    assert found == [tuple(one) for one in definitions(row)]


def test_a_defined_word_is_replaced_or_added(made):
    """Clarify says it in the documents' words; expand keeps both."""
    row = made.hit("g", "Barrier liquid is the shop-floor name for quench fluid.")
    query = "What pressure should the barrier liquid on P-101 be at?"
    clarified = rewrite(made, query, [row])
    assert ("What pressure should the quench fluid on P-101 be at?",) == clarified.texts
    assert [("barrier liquid", "quench fluid", "g")] == [(s.phrase, s.meaning, s.passage) for s in clarified.synonyms]
    expanded = rewrite(made, query, [row], "expand")
    assert ("What pressure should the barrier liquid on P-101 be at quench fluid",) == expanded.texts


def test_a_definition_outside_the_scope_is_not_found(made):
    """A glossary that the asker may not read changes no query."""
    row = made.hit("g", "Barrier liquid is the shop-floor name for quench fluid.", labels=("board",))
    for heeds in (True, False):
        retriever = made.retriever([row], heeds=heeds)
        rewriter = GlossaryRewriter(retriever)
        reach = Reach.of(made.state())
        found = rewriter.rewrite("barrier liquid pressure", "expand", reach, made.budget(), made.patience)
        assert ((), ()) == (found.texts, found.synonyms)


def test_without_a_definition_clarify_drops_function_words_and_expand_gives_nothing(made):
    """The query changes, or there is nothing to rewrite."""
    assert ("torque cover bolts P-102",) == rewrite(made, "What is the torque of the cover bolts on P-102?", []).texts
    assert () == rewrite(made, "What is the torque of the bolts?", [], "expand").texts
    assert () == rewrite(made, "seal flush", []).texts
    assert () == rewrite(made, "What is it?", []).texts


def test_a_meaning_that_stands_there_already_changes_nothing(made):
    """No query is filled with what it says, and no definition goes in a circle."""
    row = made.hit("g", "Barrier liquid is the name for quench fluid.")
    assert () == rewrite(made, "barrier liquid or quench fluid pressure", [row], "expand").texts
    circle = made.hit("g", "Barrier liquid means cold barrier liquid of the pump.")
    assert () == rewrite(made, "barrier liquid pressure", [circle], "expand").texts


def test_no_definition_replaces_a_code(made):
    """A question about P-101 stays one, whatever a document says the code is a name for."""
    row = made.hit("g", "P-101 is the old name for pump P-202.")
    assert () == rewrite(made, "torque of P-101", [row], "expand").texts


def test_only_topic_and_focus_are_understood_anew(made):
    """Codes and values stay as asked; words of the phrase give way to the meaning's."""
    facts = (
        made.fact("entity", "p-101", "p-101"),
        made.fact("topic", "barrier liquid pressure", *(t.term for t in terms("barrier liquid pressure"))),
    )
    contract = made.state(facts=facts).contract
    found = understood(contract, "the query", (Synonym(phrase="barrier liquid", meaning="quench fluid", passage="g"),))
    assert facts[0] == found.facts[0]
    assert {t.term for t in terms("pressure quench fluid")} == set(found.facts[1].terms)
    assert ("the query", contract.question, "barrier liquid pressure") == (
        found.claim,
        found.question,
        found.facts[1].name,
    )


@pytest.mark.parametrize(
    ("question", "kind", "texts"),
    [
        ("Who signs it and how long is it kept?", "apart", ("Who signs it?", "how long is it kept?")),
        ("What are the torque and the clearance of P-101?", "apart", ("What are the torque of P-101?", "What are the clearance of P-101?")),
        ("Which runs hotter and longer?", None, None),
        ("What is the difference between PR-101 and PR-102?", "apart", ("What is the difference: PR-101?", "What is the difference: PR-102?")),
        ("Which is higher, the limit of K-401 or the limit of K-402?", "apart", ("Which is higher: the limit of K-401?", "Which is higher: the limit of K-402?")),
        ("What clearance does the pump named in IR-2026-03 have when new?", "bridge", ("Which pump named in IR-2026-03?", "What clearance does #1 have when new?")),
            ("When did the director of film It Happened Out West die?", "bridge", ("Who directed It Happened Out West?", "When did #1 die?")),
            ("When is Philip Iv Of Spain's father's birthday?", "bridge", ("Who is the father of Philip Iv Of Spain?", "When is #1's birthday?")),
            ("Who is the paternal grandfather of Princess Louise Of Prussia?", "bridge", ("Who is the father of Princess Louise Of Prussia?", "Who is the father of #1?")),
            ("Who is the director of film It Happened Out West?", None, None),
            ("Who was #1 on the list of the director of the works?", None, None),
        ("How long is the seal flushed?", None, None),
        ("", None, None),
    ],
)  # fmt: skip
def test_a_question_is_taken_apart_by_its_form(question, kind, texts):
    """Joined questions, comparisons and relative clauses; anything else is one question."""
    found = parts_of(question)
    assert (kind, texts) == ((found.kind, found.texts) if found else (None, None))


def test_a_question_in_another_language_is_not_taken_apart(made):
    """The forms are English ones."""
    reach = Reach.of(made.state(language="de"))
    found = ClauseDecomposer().decompose("Who signs and who pays?", reach, made.budget(), made.patience)
    assert () == found.texts


def test_refining_selects_sentences_that_share_the_querys_terms(made):
    """Two to summarise, four to explain, in the passage's order, none where none fits."""
    row = made.hit("p", "a seal. no. seal flush now. flush. seal ring. seals. gasket.")
    reach = Reach.of(made.state())

    def refined(query, instruction):
        return SentenceRefiner().refine(query, row, instruction, reach, budget=made.budget(), patience=made.patience)

    quotes = [row.passage.quote(span) for span in refined("seal flush", "summarize").spans]
    assert ["a seal.", "seal flush now."] == quotes
    assert 4 == len(refined("seal flush", "explain").spans)
    assert () == refined("nothing alike", "explain").spans
