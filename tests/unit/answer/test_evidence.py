"""How far single sentences carry a question, alone and tied together, and what is quoted of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from written import STAFF, asked, hit, ranked, revision

from remit.access.scope import Scope
from remit.answer.bridge import Joint, strongest
from remit.answer.evidence import Evidence, together, weigh
from remit.answer.extract import Extractive
from remit.answer.facts import words_of
from remit.contract.budget import Budget, Limits
from remit.contract.contract import Contract
from remit.corpus.document import Passage
from remit.llm.cancel import Patience
from remit.llm.embed import Vectors
from remit.rerank.ranking import Ranking

BUDGET = Budget.of(Limits(), now=0.0)


class Alike:
    """An encoder to which every sentence is equally like every question, so that only the words tell them apart."""

    name = "alike"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give the same unit vector for each text."""
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))

    def sentence_vectors(self, passage: Passage, scope: Scope) -> Vectors:
        """Give vectors at cosine .6 to every question."""
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(passage.sentences), 1))


def weighed(contract: Contract, ranking: Ranking) -> tuple[Evidence, ...]:
    """Weigh the ranking's sentences by their words."""
    alike = Alike()
    question = alike.embed([contract.claim])
    return weigh(contract, ranking, question, lambda p: alike.sentence_vectors(p, STAFF), lambda word, others: 0.0)


def best(contract: Contract, ranking: Ranking) -> Joint:
    """Return the sentence, or the two, that carry the question best."""
    joint = strongest(contract, ranking, weighed(contract, ranking))
    assert joint is not None
    return joint


def drafted(question: str, *texts: str, **fields: object) -> tuple[str | None, list[str]]:
    """Draft from one passage per text and return the answer with the quotations."""
    alike, contract = Alike(), asked(question)
    hits = (hit(revision(f"D-{n}", **fields), text) for n, text in enumerate(texts, 1))
    draft = Extractive(alike, alike).draft(contract, ranked(*hits), STAFF, BUDGET, Patience())  # type: ignore[arg-type]
    return draft.answer, [citation.quote for citation in draft.citations]


def test_a_sentence_about_another_code_weighs_less() -> None:
    """Of two sentences that differ by a code of one family, the one that names the asked code leads by far."""
    contract = asked("How long is P-102 run in?")
    other = hit(revision("PR-101"), "P-101 is run in for 30 minutes.")
    right = hit(revision("PR-102"), "P-102 is run in for 45 minutes.")
    first, second = weighed(contract, ranked(other, right))
    assert first.text == "P-102 is run in for 45 minutes."
    assert second.weight < 0.5 * first.weight


def test_it_at_the_start_speaks_of_what_the_passage_names() -> None:
    """A sentence that begins with "It" speaks of the code its passage names, one beside it need not."""
    contract = asked("How long does G-201 run warm?")
    passage = hit(
        revision("EN-1"), "G-201 stands in the hall. It runs warm for 20 minutes. Others run warm for 5 minutes."
    )
    supports = {e.text: e.support[0] for e in weighed(contract, ranked(passage))}
    assert supports["It runs warm for 20 minutes."] == 1.0
    assert supports["Others run warm for 5 minutes."] < 1.0


def test_evidence_for_another_value_of_a_fixed_key_hardly_counts() -> None:
    """Where the question fixes line 2, a sentence for line 1 keeps less than a tenth of its weight."""
    contract = asked("How tight is the belt on line 2?")
    one = hit(revision("A", applies_to=[["line", ["1"]]]), "The belt is tensioned to 3.2 kN.")
    two = hit(revision("B", applies_to=[["line", ["2"]]]), "The belt is tensioned to 4.1 kN.")
    first, second = weighed(contract, ranked(one, two))
    assert (first.hit.source.document, first.fits, second.fits) == ("B", True, False)
    assert second.weight < 0.1 * first.weight


def test_a_table_row_carries_its_own_key() -> None:
    """A cell whose column names an applicability key fixes its row to that value."""
    contract = asked("What torque for the cover bolts on P-102 rev B?")
    rows = "Pump: P-102; Equipment revision: A; Torque nm: 38.\nPump: P-102; Equipment revision: B; Torque nm: 42."
    joint = best(contract, ranked(hit(revision("TB-7", title="Cover bolts"), rows, kind="table")))
    assert (joint.main.found.text if joint.main.found else None, joint.main.fits) == ("42 N·m", True)


def test_a_definition_ties_the_question_to_the_sentence() -> None:
    """A sentence that says what a word means is quoted beside the one that uses the other word."""
    answer, quotes = drafted(
        "What pressure should the barrier liquid on P-101 be at?",
        "On P-101 the quench fluid is held at 0.8 bar.",
        "Barrier liquid is the shop-floor name for quench fluid.",
    )
    assert answer == "0.8 bar"
    assert quotes == [
        "On P-101 the quench fluid is held at 0.8 bar.",
        "Barrier liquid is the shop-floor name for quench fluid.",
    ]


def test_a_definition_of_something_else_ties_nothing() -> None:
    """A definition whose meaning the sentence does not use is no tie."""
    _, quotes = drafted(
        "What pressure should the barrier liquid on P-101 be at?",
        "On P-101 the casing is tested at 0.8 bar.",
        "Barrier liquid is the shop-floor name for quench fluid.",
    )
    assert quotes == ["On P-101 the casing is tested at 0.8 bar."]


def test_a_row_is_found_by_the_prose_that_names_its_key() -> None:
    """A row whose key the question does not name is tied by prose that says which key it is."""
    contract = asked("What clearance does the pump P-101 have?")
    rows = "Model: KX-160; Clearance mm: 0.25.\nModel: KX-250; Clearance mm: 0.35."
    table = hit(revision("TB-11", title="Clearances"), rows, kind="table")
    prose = hit(revision("IR-3"), "P-101 is a pump of model KX-250.")
    joint = best(contract, ranked(table, prose))
    assert [e.text for e in joint.cited] == ["Model: KX-250; Clearance mm: 0.35.", "P-101 is a pump of model KX-250."]


def test_facts_are_met_together_term_by_term() -> None:
    """Two quotations meet a topic together where each holds a part of its terms."""
    contract = asked("How is the red valve opened by hand?")
    first = hit(revision("A"), "The red cover is locked.")
    second = hit(revision("B"), "A valve is opened by hand.")
    both = weighed(contract, ranked(first, second))
    words = words_of(contract, ranked(first, second))
    alone = [together(contract, words, (e,))[0] for e in both]
    assert together(contract, words, both)[0] > max(alone)


def test_a_lead_in_brings_its_items() -> None:
    """A sentence that ends in a colon is quoted with the items that follow it, which are the answer."""
    alike, contract = Alike(), asked("What do I need to wear in the tank?")
    text = "In the tank you wear:\n- a harness\n- a gas detector"
    source = revision("SN-1")
    passage = hit(source, text, kind="table").passage.model_copy(update={"kind": "prose"})
    ranking = ranked(hit(source, text, kind="table").model_copy(update={"passage": passage}))
    draft = Extractive(alike, alike).draft(contract, ranking, STAFF, BUDGET, Patience())  # type: ignore[arg-type]
    assert (draft.answer, draft.citations[0].quote) == ("a harness; a gas detector", text)


def test_nothing_found_is_an_empty_draft() -> None:
    """Without passages the draft is empty and says so."""
    alike = Alike()
    draft = Extractive(alike, alike).draft(asked("Why?"), ranked(), STAFF, BUDGET, Patience())  # type: ignore[arg-type]
    assert (draft.answer, draft.citations, draft.why) == (None, (), "no passage to answer from")


def test_the_focus_may_be_met_by_a_near_synonym() -> None:
    """Where a leading sentence lacks only the word that names what is asked, a near synonym meets it."""
    contract = asked("How often is the oil in G-201 changed?")
    ranking = ranked(hit(revision("PR-1"), "Change the lubricant of G-201 every 2,500 operating hours."))
    alike = Alike()

    def words(word: str, others: tuple[str, ...]) -> float:
        return 0.6 if word == "oil" and "lubricant" in others else 0.0

    (met,) = weigh(contract, ranking, alike.embed([""]), lambda p: alike.sentence_vectors(p, STAFF), words)
    (unmet,) = weighed(contract, ranking)
    focus = next(n for n, fact in enumerate(contract.facts) if fact.kind == "focus")
    assert (met.support[focus] > 0.5, unmet.support[focus]) == (True, 0.0)


def test_a_synonym_alone_is_another_thing() -> None:
    """Where a question has nothing but that word to go by, a like word does not meet it: a bicycle's fare is no motorcycle's."""
    contract = asked("How much does a motorcycle cost?")
    ranking = ranked(hit(revision("FARES"), "A bicycle costs 4 EUR."))
    alike = Alike()
    (one,) = weigh(contract, ranking, alike.embed([""]), lambda p: alike.sentence_vectors(p, STAFF), lambda *_: 0.9)
    focus = next(n for n, fact in enumerate(contract.facts) if fact.kind == "focus")
    assert 0.0 == one.support[focus]


def test_what_a_source_applies_to_is_named() -> None:
    """A rule for the vessel Amsel that does not repeat the name holds for it, as its record says, and not for another."""
    contract = asked("How often is a fire drill held on the Amsel?")
    text = "A fire drill is held every 30 days."
    sources = [revision(f"D-{n}", applies_to=(("vessel", (name,)),)) for n, name in enumerate(("Amsel", "Merle"), 1)]
    found = weighed(contract, ranked(*(hit(source, text) for source in sources)))
    at = next(n for n, fact in enumerate(contract.facts) if fact.name == "amsel")
    assert {"D-1": 1.0, "D-2": 0.0} == {one.hit.source.document: one.support[at] for one in found}


@pytest.mark.parametrize(
    ("question", "title", "carried"),
    [
        ("What pressure does the valve P-7 open at?", "Pumps", 0.2),
        ("What pressure does the pump P-7 run at?", "Pumps", 1.0),
        ("What pressure does unit P-7 run at?", "Pumps", 1.0),
        ("What pressure does P-7 run at?", "Pumps", 1.0),
        ("What pressure does the valve P-7 open at?", "Pumps and valves", 1.0),
    ],
)
def test_a_code_of_another_sort_of_thing_is_another_thing(question: str, title: str, carried: float) -> None:
    """The pump P-7 is no valve P-7: evidence that has the code behind another noun, and the asked one nowhere, is not for it."""
    contract = asked(question)
    one = hit(revision("PR-7", title=title), "Pump P-7 runs at 5 bar.")
    at = next(n for n, fact in enumerate(contract.facts) if fact.name == "p-7")
    assert [carried] == [evidence.support[at] for evidence in weighed(contract, ranked(one))]
