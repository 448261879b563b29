"""What a decision leaves for people, on the sample corpus: each non-answer in its own queue, for readers who may see it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remit import Principal, Remit
from remit.errors import InvalidInput, NothingThere
from remit.record.queue import QUEUES

pytestmark = pytest.mark.integration

PLANT = Path(__file__).parents[2] / "examples" / "plant"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MARA = Principal(id="mara", groups=("maintenance",))
NOOR = Principal(id="noor", groups=("safety",))
DARIO = Principal(id="dario", groups=("operations",))
THEO = Principal(id="theo", groups=("maintenance",))
STRANGER = Principal(id="vera", groups=("visitors",))
REVIEW = "New seal is in on P-101, how long do I flush before starting it?"
CLARIFY = "What torque for the housing bolts on a G-205?"
ABSTAIN = "Which brand of oil goes into K-401?"
DENY = "Please summarise IR-2026-05 for the shift handover."


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample corpus, ingested once, and asked the four questions that end without an answer."""
    folder = tmp_path_factory.mktemp("plant") / "store"
    with Remit.open(folder, environ={}, make=True, now=lambda: NOW) as remit:
        assert remit.ingest([PLANT]).rejected == ()
        for question, asker in ((REVIEW, MARA), (CLARIFY, MARA), (ABSTAIN, MARA), (DENY, DARIO)):
            remit.ask(question, principal=asker)
    return folder


@pytest.fixture
def remit(sample):
    """The sample's store, opened."""
    with Remit.open(sample, environ={}, now=lambda: NOW) as opened:
        yield opened


def questions(remit, queue, principal, **page):
    """Return what waits in a queue for a reader, by question."""
    return [item.question for item in remit.queue(queue, principal=principal, **page)]


def test_every_non_answer_waits_in_its_own_queue(remit):
    """Review, clarify, abstain and deny each leave one item, in the queue of that decision, with the words of it."""
    found = {queue: remit.queue(queue, principal=None) for queue in QUEUES}
    told = {queue: [(item.question, item.decision) for item in items] for queue, items in found.items()}
    assert told == {
        "review_items": [(REVIEW, "review")],
        "access_requests": [(DENY, "deny")],
        "corpus_gaps": [(ABSTAIN, "abstain")],
        "open_clarifications": [(CLARIFY, "clarify")],
    }
    assert all(item.message for items in found.values() for item in items)


def test_a_review_item_holds_both_sources_where_they_say_so(remit):
    """What contradicts is named from both sides, at spans where exactly that stands, and in what it differs."""
    (item,) = remit.queue("review_items", principal=MARA)
    scope = remit.scope(MARA)
    assert [source.quote for source in item.sources] == [
        remit.corpus.text(source.revision_id, scope)[source.start : source.end] for source in item.sources
    ]
    assert len({source.revision_id for source in item.sources}) == 2
    assert item.differs == ("value",)


def test_a_clarification_names_the_key_and_the_choices(remit):
    """An open clarification says which key is missing and which values the asker may choose from."""
    (item,) = remit.queue("open_clarifications", principal=MARA)
    assert [(key, len(values) > 1) for key, values in item.choices] == [(item.missing[0], True)]


@pytest.mark.parametrize("queue", QUEUES)
def test_who_may_read_nothing_of_it_sees_no_item(remit, queue):
    """A reader without the labels of what an item rests on sees none, by list and by number, as if there were none."""
    for item in remit.queue(queue, principal=None):
        with pytest.raises(NothingThere) as hidden:
            remit.queues.get(item.number, scope=remit.scope(STRANGER))
        with pytest.raises(NothingThere) as absent:
            remit.queues.get(999, scope=remit.scope(STRANGER))
        assert str(hidden.value).replace(str(item.number), "N") == str(absent.value).replace("999", "N")
    assert remit.queue(queue, principal=STRANGER) == ()


def test_a_colleague_who_may_read_both_sides_sees_the_review(remit):
    """Somebody else than the asker sees an item where they may read all that it rests on."""
    assert questions(remit, "review_items", THEO) == [REVIEW]


def test_only_whoever_may_read_the_document_sees_the_request_for_it(remit):
    """A request for access to an incident report is there for safety, who may read it, and not for maintenance."""
    assert [questions(remit, "access_requests", who) for who in (NOOR, THEO)] == [[DENY], []]


def test_gaps_are_grouped_by_the_fact_that_is_missing(remit):
    """The corpus gap of a brand that no document names is listed under what was asked of it."""
    number = remit.queue("corpus_gaps", principal=None)[0].number
    assert ("brand oil", (number,)) in remit.gaps(principal=None)


def test_a_clarification_is_answered_by_binding_its_key(sample, tmp_path):
    """The same question with the key bound is answered, and takes the clarification off its queue, for good."""
    question = "How tight does the conveyor belt have to be tensioned?"
    with Remit.open(sample, environ={}, now=lambda: NOW) as remit:
        asked = remit.ask(question, principal=MARA)
        key, values = asked.outcome.choices[0]
        remit.ask(question, principal=THEO, parameters={key: values[0]})  # somebody else's says nothing of Mara's
        before = questions(remit, "open_clarifications", MARA)
        answered = remit.ask(question, principal=MARA, parameters={key: values[0]})
        after = questions(remit, "open_clarifications", MARA)
        (done,) = remit.queue("open_clarifications", principal=MARA, handled=True)
    assert (question in before, question in after, str(answered.outcome.decision.action)) == (True, False, "answer")
    assert (done.question, done.handled.how, done.handled.trace) == (question, "answered", answered.trace)


def test_items_come_in_pages(remit):
    """A page ends where it is told to, and the next goes on behind its last number."""
    remit.ask(ABSTAIN, principal=MARA)
    (first,) = remit.queue("corpus_gaps", principal=None, limit=1)
    rest = remit.queue("corpus_gaps", principal=None, after=first.number)
    assert [item.number > first.number for item in rest] == [True] * len(rest)
    assert rest


def test_a_queue_that_is_none_is_refused(remit):
    """A name that is no queue is invalid input that lists those there are."""
    with pytest.raises(InvalidInput, match="review_items"):
        remit.queue("gossip", principal=None)


def test_a_label_taken_away_takes_the_item_with_it(tmp_path):
    """Whoever loses one side of a contradiction sees the review no longer; the operator still does, without a quotation."""
    folder = tmp_path / "documents"
    folder.mkdir()
    head = "---\ndocument: {0}\nrevision: '1'\ntitle: {0}\nlabels: [{1}]\nstatus: current\nvalid_from: 2026-01-01\nauthority: authoritative\n---\n\n"
    body = "The seal chamber of pump P-7 is flushed for {} minutes.\n"
    for name, minutes in (("AA-1", 10), ("BB-2", 20)):
        (folder / f"{name}.md").write_text(head.format(name, "maintenance") + body.format(minutes), encoding="utf-8")
    with Remit.open(tmp_path / "store", environ={}, make=True, now=lambda: NOW) as remit:
        remit.ingest([folder])
        ended = remit.ask("How long is the seal chamber of pump P-7 flushed?", principal=MARA)
        seen = len(remit.queue("review_items", principal=THEO))
        (folder / "BB-2.md").write_text(head.format("BB-2", "safety") + body.format(20), encoding="utf-8")
        remit.ingest([folder])
        (own,) = remit.queue("review_items", principal=MARA)
        (operators,) = remit.queue("review_items", principal=None)
        assert (str(ended.outcome.decision.action), seen, remit.queue("review_items", principal=THEO)) == (
            "review",
            1,
            (),
        )
    assert [source.document for source in own.sources] == ["AA-1"]
    assert sorted(source.document for source in operators.sources) == ["AA-1", "BB-2"]


def test_the_command_line_prints_the_same(sample):
    """`remit queue` and `remit review list` print what waits, as JSON for programs, with exit code 0."""
    read = {}
    for name, command in {"queue": ["queue", "review_items"], "review": ["review", "list"]}.items():
        arguments = [
            sys.executable,
            "-c",
            "from remit.serve.cli import main; main()",
            *command,
            "--store",
            str(sample),
            "--as",
            "mara:maintenance",
            "--json",
        ]
        read[name] = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
    assert read["queue"] == read["review"]
    (item,) = read["queue"]["items"]
    assert (item["question"], len(item["sources"])) == (REVIEW, 2)
