"""What leaves the journal, and what is exported from it."""

import json
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from remit.decide.decision import Action, Decision
from remit.errors import InvalidInput, NothingThere, ProviderFailed
from remit.record.journal import Journal
from remit.record.overrides import overrides
from remit.record.retention import prune, redact
from remit.record.review import Answer, Authority, Decline, Quoted, claim, give
from remit.record.reviewing import ReviewBook
from remit.record.trace import Entry
from remit.serve.otlp import send
from remit.serve.spans import spans

pytestmark = pytest.mark.integration

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUOTED = Quoted(document="D", revision="1", start=0, end=3, quote="abc")
SECRET = "How long is the okapi's leave?"
ENTRIES = (
    Entry(kind="Contract", data={"question": SECRET}, after=0.1),
    Entry(
        kind="Candidates",
        data={"visible": 3, "hits": [{"passage": {"id": "D@1#0", "text": "sha256:x"}, "score": 0.5}]},
        after=0.3,
    ),
    Entry(kind="Draft", data={"method": "m", "confidence": 0.5}, after=1.0),
    Entry(kind="Outcome", data={"decision": {"action": "review", "reason": "sources_contradict"}}, after=1.2),
    Entry(
        kind="Ledger",
        data={"calls": [{"model": "m", "prompt_tokens": 11, "reply_tokens": 2, "seconds": 0.5, "ended": "replied"}]},
        after=1.3,
    ),
)


@pytest.fixture
def journal(tmp_path):
    """A journal of ten questions, one a day; every second one waits for review."""
    made = Journal(tmp_path / "journal.db")
    for day in range(10):
        at, queue = NOW - timedelta(days=day), "review_items" if day % 2 else None
        decision = Decision(action=Action.REVIEW, reason="sources_contradict", rule=3, queue=queue, point="p")
        made.open(f"t{day}", asker="mara", question=SECRET, at=at)
        made.close(f"t{day}", entries=ENTRIES, decision=decision, at=at + timedelta(seconds=2))
    yield made
    made.shut()


def judged(journal, number, verdicts):
    """Give the verdicts of several reviewers on an item."""
    book = ReviewBook(journal.path)
    until = NOW + timedelta(hours=1)
    for by in verdicts:
        book.add(number, NOW, lambda s, by=by: [claim(s, by, asker="mara", reviewers=2, at=NOW, until=until)])
    for by, verdict in verdicts.items():
        lease = next(one.version for one in book.state(number).leases if one.by == by)
        authority = Authority(by=by, source=f"key {by}")
        book.add(number, NOW, lambda s, v=verdict, n=lease, a=authority: give(s, n, v, a, reviewers=2, at=NOW))


def test_old_traces_go_and_what_waits_stays(journal):
    """Traces older than five days are gone from the file, but for those whose item waits; the journal is append-only again."""
    done = prune(journal.path, before=NOW - timedelta(days=5), now=NOW)
    assert 2 == done.traces  # t6 and t8: t7 and t9 wait for review
    for gone in ("t6", "t8"):
        with pytest.raises(NothingThere):
            journal.read(gone)
    assert [SECRET] * 8 == [journal.read(f"t{day}").question for day in (0, 1, 2, 3, 4, 5, 7, 9)]
    with sqlite3.connect(journal.path) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM opened")
        assert [(2, done.digest)] == connection.execute("SELECT traces, digest FROM taken_out").fetchall()
    connection.close()
    journal.open("later", asker="mara", question="?", at=NOW)
    assert 0 == prune(journal.path, before=NOW - timedelta(days=5), now=NOW).traces


def test_what_was_settled_goes_with_its_trace(journal):
    """Once its item is settled an old trace goes, with its review."""
    number = journal.waiting("review_items")[-1].number  # t9
    judged(journal, number, {"ann": Decline(why="no"), "ben": Decline(why="no")})
    assert 3 == prune(journal.path, before=NOW - timedelta(days=5), now=NOW).traces
    with pytest.raises(NothingThere):
        journal.item(number)
    assert () == ReviewBook(journal.path).events(number)


def test_a_redacted_trace_holds_no_word(journal):
    """After a redaction the file holds no word of the question in that trace, only that and when it was asked."""
    for day in range(10):
        redact(journal.path, f"t{day}", now=NOW)
    read = journal.read("t3")
    assert read.question.startswith("sha256:")
    assert ["Redacted"] == [entry.kind for entry in read.entries]
    assert "closed" == read.state
    assert b"okapi" not in journal.path.read_bytes()
    with pytest.raises(NothingThere):
        redact(journal.path, "nothing", now=NOW)


def test_a_redaction_reaches_the_item_and_its_review(journal):
    """What the question lacked, what reviewers wrote and quoted, and the asker's name where they ended it, go as well."""
    decision = Decision(
        action=Action.ABSTAIN, reason="fact_missing", rule=5, queue="corpus_gaps", point="p", missing=("okapi's leave",)
    )
    journal.open("gap", asker="mara", question=SECRET, at=NOW)
    journal.close("gap", entries=ENTRIES, decision=decision, at=NOW)
    gap = journal.waiting("corpus_gaps")[0].number
    journal.handle(gap, "answered", who="mara", at=NOW)
    number = next(item.number for item in journal.waiting("review_items") if item.trace == "t3")
    words = Answer(text="the okapi is off", citations=(QUOTED.model_copy(update={"quote": "okapi off"}),), why="okapi")
    judged(journal, number, {"ann": words, "ben": words})
    for trace in ("gap", *(f"t{day}" for day in range(10))):
        redact(journal.path, trace, now=NOW)
    assert b"okapi" not in journal.path.read_bytes()
    assert b"mara" not in journal.path.read_bytes()
    state = ReviewBook(journal.path).state(number)
    assert ("answered", "ann") == (state.stand, state.verdicts[0][1].authority.by)


def test_overrides_need_agreement(journal):
    """What reviewers settled is exported where enough items have two verdicts and these agree beyond chance; else nothing is."""
    yes, no = Answer(text="12", citations=(QUOTED,)), Decline(why="no")
    numbers = [item.number for item in journal.waiting("review_items")]
    judged(journal, numbers[0], {"ann": yes, "ben": yes})
    judged(journal, numbers[1], {"ann": no, "ben": no})
    with pytest.raises(InvalidInput, match="5 are needed"):
        overrides(journal, least_kappa=0.6, least_items=5)
    done = overrides(journal, least_kappa=0.6, least_items=2)
    assert 1.0 == done.agreed.kappa
    assert ["answered", "declined"] == [row["stand"] for row in done.rows]
    assert [{"by": "ann", "source": "key ann"}, {"by": "ben", "source": "key ben"}] == done.rows[0]["authority"]
    redact(journal.path, journal.item(numbers[0]).trace, now=NOW)
    assert ["declined"] == [row["stand"] for row in overrides(journal, least_kappa=0.6, least_items=2).rows]
    for number in numbers[2:4]:
        judged(journal, number, {"ann": yes, "ben": no})
    with pytest.raises(InvalidInput, match="kappa"):
        overrides(journal, least_kappa=0.6, least_items=2)


def test_spans_follow_the_record(journal):
    """A trace becomes one root and a span for each step and call, in order, with ids that are the same each time and no text."""
    recorded = journal.read("t0")
    found = list(spans(recorded))
    assert ["ask", "frame", "retrieve", "draft", "settle", "chat"] == [span.name for span in found]
    assert found == list(spans(recorded))
    assert len({span.span_id for span in found}) == len(found)
    root, *steps = found
    assert all(span.parent == root.span_id and root.start <= span.start <= span.end <= root.end for span in steps)
    assert 200_000_000 == steps[1].end - steps[1].start
    assert "D@1#0" == steps[1].attributes["retrieval.documents.0.document.id"]
    assert (11, 2) == tuple(steps[-1].attributes[f"gen_ai.usage.{which}_tokens"] for which in ("input", "output"))
    assert "okapi" not in json.dumps([span.attributes for span in found])
    set_back = recorded._replace(closed_at=(NOW - timedelta(hours=1)).isoformat())
    assert all(span.start <= span.end for span in spans(set_back))


class Collector(BaseHTTPRequestHandler):
    """Takes spans as a collector does."""

    def log_message(self, *args):
        """Say nothing."""

    def do_POST(self):
        """Take one batch, where this collector takes any."""
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(self.server.status)
        self.end_headers()


@pytest.mark.parametrize("status", [200, 400])
def test_a_collector_gets_every_span_or_it_is_said(journal, status):
    """Every span arrives at an OTLP collector; where it takes none that is an error, never a success."""
    server = HTTPServer(("127.0.0.1", 0), Collector)
    server.bodies, server.status = [], status
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        records = [journal.read(f"t{day}") for day in range(10)]
        url = f"http://127.0.0.1:{server.server_port}/v1/traces"
        if status != 200:
            with pytest.raises(ProviderFailed, match="did not take"):
                send(records, url)
            return
        assert (10, 60) == send(records, url)
    finally:
        server.shutdown()
        server.server_close()
    got = [ExportTraceServiceRequest.FromString(body) for body in server.bodies]
    names = [s.name for one in got for r in one.resource_spans for scope in r.scope_spans for s in scope.spans]
    assert 60 == len(names)
    assert b"okapi" not in b"".join(server.bodies)
