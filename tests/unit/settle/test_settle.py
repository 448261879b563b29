"""The last verification and the words of outcomes, over a corpus written by hand."""

from __future__ import annotations

from datetime import date
from typing import get_args

import pytest
from written import STAFF, TODAY, asked, hit, revision

from remit.access.scope import Scope
from remit.answer.draft import Citation, Claim, Draft
from remit.contract.catalogue import Catalogue, Collection
from remit.corpus.document import Revision, Snapshot
from remit.corpus.store import Named
from remit.decide.decision import Action, Decision, Reason
from remit.errors import InvalidInput
from remit.observe.observation import Coverage, FactSupport, Observation, Unmeasured
from remit.settle.outcome import Outcome
from remit.settle.settle import Settlement
from remit.settle.words import in_other_unit, languages, sentence, spoken

TEXT = "The seal chamber of P-101 is flushed for 10 minutes."
SOURCE = revision("PR-101", "3")
CONTRACT = asked("How long is the seal chamber of P-101 flushed?")
CATALOGUE = Catalogue(
    collections=(Collection(name="incidents", title="Incident reports", discoverable=True), Collection(name="hr"))
)


class Live:
    """A corpus as it is at the moment of release."""

    def __init__(self, source: Revision | None, text: str | None = TEXT, *, owner: str | None = "procedures") -> None:
        """Hold one revision and its text; `owner` is the collection of any document asked for."""
        self._source, self._text, self._owner = source, text, owner

    def snapshot(self) -> Snapshot:
        """Return some snapshot."""
        return Snapshot(number=2, digest="sha256:1")

    def catalogue(self) -> Catalogue:
        """Return two collections, of which one is discoverable."""
        return CATALOGUE

    def revisions(self, document: str, scope: Scope, *, snapshot: Snapshot) -> tuple[Revision, ...]:
        """Return the revision, where the scope admits it."""
        source = self._source
        seen = source is not None and scope.admits(source.labels, source.collection, document) and snapshot is not None
        return (source,) if source is not None and seen else ()

    def text(self, revision: str, scope: Scope) -> str | None:
        """Return the live text."""
        return self._text if revision and scope else None

    def named(self, name: str, scope: Scope) -> tuple[Named, ...]:
        """Return the document and its owner."""
        return () if self._owner is None else (Named(name, self._owner, readable=scope.empty),)


def draft() -> Draft:
    """Write the draft that quotes the sentence."""
    passage = hit(SOURCE, TEXT).passage
    citation = Citation.of(document="PR-101", revision="3", passage=passage.id, span=passage.sentences[0], quote=TEXT)
    return Draft(answer="10 minutes", claims=(Claim(text=TEXT, citations=(citation,), support=1.0),), method="t")


def observation(coverage: Coverage | None = None) -> Observation:
    """Write an observation of which only the coverage matters."""
    unread = Unmeasured(reason="not read here")
    return Observation(
        relevance=unread,
        coverage=coverage or unread,
        agreement=unread,
        validity=unread,
        authorization=unread,
        citations=unread,
        estimate=unread,
    )


def decision(action: Action, reason: Reason, *missing: str) -> Decision:
    """Write a decision."""
    return Decision(action=action, reason=reason, rule=6, missing=missing, point="p")


def settled(live: Live, made: Decision | None = None, scope: Scope = STAFF, **framed: object) -> Outcome:
    """Settle a decision, by default the answer, against the live corpus."""
    made = made or decision(Action.ANSWER, "supported")
    contract = CONTRACT.model_copy(update=framed)
    return Settlement(live)(made, contract, scope, observation(), draft())  # type: ignore[arg-type]


def test_an_answer_that_still_stands_is_released_with_its_citations() -> None:
    """Where every citation stands in the live corpus, the answer goes out with exactly those."""
    outcome = settled(Live(SOURCE))
    assert (outcome.decision.action, outcome.answer, outcome.citations) == (
        Action.ANSWER,
        "10 minutes",
        draft().citations,
    )


@pytest.mark.parametrize(
    ("live", "action"),
    [
        (Live(None, owner=None), Action.ABSTAIN),
        (Live(revision("PR-101", "3", labels=["hr"])), Action.DENY),
        (Live(revision("PR-101", "3", status="withdrawn")), Action.ABSTAIN),
        (Live(revision("PR-101", "3", valid_to=TODAY)), Action.ABSTAIN),
        (Live(revision("PR-101", "3", valid_from=date(2027, 1, 1))), Action.ABSTAIN),
        (Live(revision("PR-101", "4")), Action.ABSTAIN),
        (Live(SOURCE, "The seal chamber of P-101 is flushed for 99 minutes."), Action.ABSTAIN),
        (Live(SOURCE, None), Action.ABSTAIN),
    ],
    ids=["deleted", "label gone", "withdrawn", "superseded", "not yet", "other revision", "other text", "no text"],
)
def test_what_changed_since_downgrades_the_answer(live: Live, action: Action) -> None:
    """A document deleted, superseded or changed since ends in abstain, a label gone in deny; nothing is handed out."""
    outcome = settled(live)
    assert (outcome.decision.action, outcome.answer, outcome.citations) == (action, None, ())


def test_settling_never_upgrades() -> None:
    """A refusal stays a refusal and carries neither answer nor citations, whatever the draft holds."""
    outcome = settled(Live(SOURCE), decision(Action.ABSTAIN, "fact_missing", "brand"))
    assert (outcome.decision.action, outcome.answer, outcome.citations) == (Action.ABSTAIN, None, ())


DENIED = Decision(action=Action.DENY, reason="nothing_readable", rule=1, queue="access_requests", point="p")


def test_a_discoverable_collection_is_named_in_a_deny() -> None:
    """Where the owner allows it, the asker learns which collection to ask for."""
    outcome = settled(Live(None, owner="incidents"), DENIED, documents=("ir-1",))
    assert (outcome.shown.action, outcome.closed, "Incident reports" in outcome.message) == (Action.DENY, False, True)


def test_a_code_that_nothing_readable_mentions_closes_the_view() -> None:
    """An abstention over a code that no readable evidence names shows that code and nothing else."""
    missing = Coverage(facts=(FactSupport(fact="hr-07", support=0.0),), share=0.0, method="t")
    outcome = Settlement(Live(None, owner=None))(  # type: ignore[arg-type]
        decision(Action.ABSTAIN, "not_relevant"), asked("What does HR-07 say?"), STAFF, observation(missing), draft()
    )
    assert (outcome.closed, outcome.shown.reason, outcome.shown.missing) == (
        True,
        "not_answerable_from_readable",
        ("HR-07",),
    )
    assert (outcome.decision.reason, outcome.answer) == ("not_relevant", None)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_one_sentence_in_every_language(reason: Reason, language: str) -> None:
    """Every reason code has a plain sentence of its own in each language, with what is missing and no placeholder left."""
    choices = (("line", ("1", "2")),)
    said = sentence(reason, missing=("x9",), choices=choices, language=language)
    others = {sentence(other, language=language) for other in get_args(Reason) if other != reason}
    assert "{" not in said
    assert sentence(reason, language=language) not in others
    assert language == "en" or said != sentence(reason, missing=("x9",), choices=choices)


def test_every_language_says_the_same_of_the_same() -> None:
    """A sentence that names what is missing in English names it in every language."""
    named = {
        language: {
            reason for reason in get_args(Reason) if "x9" in sentence(reason, missing=("x9",), language=language)
        }
        for language in languages()
    }
    assert {"de", "en", "fr"} <= named.keys()
    assert all(reasons == named["en"] for reasons in named.values())


@pytest.mark.parametrize("language", ["xx", "", "../en", "en-GB"])
def test_a_language_without_sentences_is_told_in_english(language: str) -> None:
    """An unknown language, or one that is none, gets the English sentence; nothing else is read."""
    assert sentence("nothing_found", language=language) == sentence("nothing_found")


def test_what_remit_names_itself_is_said_in_the_language() -> None:
    """Names of facts and states that come from Remit are translated; words of the question and of documents stay."""
    said = sentence("revision_not_established", missing=("PR-1@2: superseded", "a date", "Dichtung"), language="de")
    assert said.endswith("PR-1@2: ersetzt, ein Datum, Dichtung.")


@pytest.mark.parametrize(("language", "now", "then"), [("en", "now", "the day asked about"), ("de", "jetzt", "Tag"), ("fr", "est en vigueur :", "jour")])  # fmt: skip
def test_a_question_about_another_day_is_not_told_of_now(language: str, now: str, then: str) -> None:
    """Where a question names a day, what could not be established is said of that day."""
    settle, seen = Settlement(Live(SOURCE)), observation(Coverage(facts=(), share=0.0, method="t"))  # type: ignore[arg-type]
    told = [
        settle(
            decision(Action.ABSTAIN, "revision_not_established"),
            asked("What torque for P-102?", reply_in=language, as_of=day),
            STAFF,
            seen,
            draft(),
        ).message
        for day in (None, date(2024, 1, 1))
    ]
    assert [now in told[0], then in told[0]] == [True, False]
    assert [now in told[1], then in told[1]] == [False, True]


def test_the_message_comes_in_the_language_of_the_question() -> None:
    """A German question is refused in German, unless another language is asked for."""
    settle, seen = Settlement(Live(SOURCE)), observation(Coverage(facts=(), share=0.0, method="t"))  # type: ignore[arg-type]
    german = asked("Wie lange wird die Kammer von der Pumpe gespült?")
    english = asked("Wie lange wird die Kammer von der Pumpe gespült?", reply_in="en")
    told = [
        settle(decision(Action.ABSTAIN, "nothing_found"), c, STAFF, seen, draft()).message for c in (german, english)
    ]
    assert told == [sentence("nothing_found", language="de"), sentence("nothing_found")]


@pytest.mark.parametrize(
    ("question", "answer", "remarked"),
    [
        ("What is the pressure in psi?", "5 bar", True),
        ("What is the pressure in bar?", "5 bar", False),
        ("What is the pressure in bar?", "5 Bar at the inlet, 72 psi", False),
        ("How many hours is it flushed?", "10 minutes", True),
        ("What is the pressure in psi?", "as the plate says", False),
        ("What is the pressure?", "5 bar", False),
    ],
)
def test_an_answer_in_another_unit_is_remarked_upon(question: str, answer: str, remarked: bool) -> None:
    """The unit that a question asks for is not computed: where the source gives another one, the message says so."""
    contract, seen = asked(question), observation(Coverage(facts=(), share=1.0, method="t"))  # type: ignore[arg-type]
    told = Settlement(Live(SOURCE))(  # type: ignore[arg-type]
        decision(Action.ANSWER, "supported"), contract, STAFF, seen, draft().model_copy(update={"answer": answer})
    )
    remark = in_other_unit(contract.unit or "", language=contract.reply_in)
    assert (remark in told.message) is remarked


@pytest.mark.parametrize("language", ["xx", "", "../en", "english please"])
def test_a_language_that_is_asked_for_has_to_be_there(language: str) -> None:
    """An unknown language is named as a fault, with those that there are; region tags and none at all pass."""
    with pytest.raises(InvalidInput, match="there are: de, en, fr"):
        spoken(language)
    assert (spoken("en-GB"), spoken(None)) == ("en-GB", None)
