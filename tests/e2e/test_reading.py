"""`remit ask`, `search` and `trace`, as processes on a real store."""

import json

import pytest

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
MARA = ("--as", "mara:maintenance")


@pytest.fixture(scope="module")
def answer(run, ingested):
    """What `ask --json` says to somebody who may read the answer."""
    return run("ask", QUESTION, "--store", ingested, *MARA, "--json").json


def test_ask_answers_with_a_citation_that_verifies(answer, documents):
    """The answer comes from the current revision, and its quote stands in the document at the span it names."""
    assert ("answer", "12 months") == (answer["decision"], answer["answer"])
    cited = answer["citations"][0]
    assert ("PR-1", "2") == (cited["document"], cited["revision"])
    assert cited["quote"] in (documents / "pr-1-r2.md").read_text(encoding="utf-8")
    assert cited["end"] - cited["start"] == len(cited["quote"])


def test_ask_json_has_the_documented_fields(answer):
    """The fields are exactly those of the design."""
    fields = {"decision", "reason", "message", "answer", "citations", "missing", "observation", "budget", "snapshot"}
    assert {*fields, "trace", "rounds"} == answer.keys()
    assert {"document", "revision", "passage", "start", "end", "quote", "digest"} == answer["citations"][0].keys()
    assert {"limit", "used"} == answer["budget"].keys()


def test_ask_takes_the_question_from_stdin(run, ingested):
    """Without an argument the question comes on stdin."""
    done = run("ask", "--store", ingested, *MARA, "--json", stdin=QUESTION + "\n")
    assert "12 months" == done.json["answer"]


def test_ask_for_a_date_reads_what_held_then(run, ingested):
    """The revision that was valid on the day asked about answers."""
    done = run("ask", QUESTION, "--store", ingested, *MARA, "--as-of", "2024-05-01", "--json").json
    assert ("18 months", "1") == (done["answer"], done["citations"][0]["revision"])


def test_ask_in_words_fits_a_terminal(run, ingested):
    """People get decision, answer, numbered citation and reason in at most 80 columns, without colour."""
    done = run("ask", QUESTION, "--store", ingested, *MARA)
    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("ANSWER\n")
    assert "12 months [1]" in done.out
    assert "[1] PR-1, revision 2, Seal of pump P-7, Interval" in done.out
    assert "why " in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "\x1b" not in done.out


def test_explain_shows_every_reading(run, ingested):
    """`--explain` adds each reading and what was spent."""
    out = run("ask", QUESTION, "--store", ingested, *MARA, "--explain").out
    assert [] == [
        name
        for name in ("relevance", "coverage", "agreement", "validity", "authorization", "budget")
        if name not in out
    ]


@pytest.mark.parametrize("asker", ["noone", "noone:", "noone:*", "noone:Maintenance", "noone:unknown", "noone: , "])
def test_whoever_may_read_nothing_gets_nothing(run, ingested, asker):
    """Unknown, empty, wildcard and look-alike groups open nothing: a refusal, exit code 0, no word of a document."""
    done = run("ask", QUESTION, "--store", ingested, "--as", asker, "--json")
    assert 0 == done.code
    assert done.json["decision"] in ("deny", "abstain")
    assert (None, []) == (done.json["answer"], done.json["citations"])
    assert "12 months" not in done.out
    assert [] == run("search", QUESTION, "--store", ingested, "--as", asker, "--json").json["hits"]


@pytest.mark.parametrize(("hidden", "absent"), [("LV-9", "LV-8"), ("HR-9", "HR-8")])
def test_hidden_and_absent_look_alike(run, ingested, hidden, absent):
    """Asking for a document of a hidden collection reads exactly as asking for one that does not exist."""
    first, second = (
        run("ask", f"What does {name} say about leave?", "--store", ingested, *MARA, "--json").json
        for name in (hidden, absent)
    )
    assert first.pop("trace") != second.pop("trace")
    assert json.dumps(first).replace(hidden, absent) == json.dumps(second)
    assert (None, None, None) == (first["observation"], first["budget"], first["rounds"])


def test_search_shows_what_the_asker_may_read(run, ingested):
    """Hits carry the documented fields, are numbered from 1, and hold none of what others may read."""
    found = run("search", "weeks of leave for a pump", "--store", ingested, *MARA, "-k", "5", "--json").json
    assert ["snapshot", "hits"] == list(found)
    fields = ["rank", "score", "document", "revision", "passage", "title", "section", "text"]
    assert [fields] * 2 == [list(hit) for hit in found["hits"]]
    assert [1, 2] == [hit["rank"] for hit in found["hits"]]
    assert {"PR-1"} == {hit["document"] for hit in found["hits"]}


def test_search_looks_where_it_is_told(run, ingested):
    """A collection and a revision narrow a search; a collection nobody may know of is a wrong argument, as for `ask`."""
    asked = ("search", "seal of pump P-7", "--store", ingested, *MARA, "--json")
    revisions = {hit["revision"] for hit in run(*asked, "--revision", "1").json["hits"]}
    assert ({"1"}, {"2"}) == (revisions, {hit["revision"] for hit in run(*asked).json["hits"]})
    assert run(*asked, "--collection", "procedures").json["hits"]
    assert [5, 2] == [
        run(*asked, *more).code for more in (["--collection", "hr"], ["--revision", "1", "--rerank", "cutoff"])
    ]


def test_search_shows_what_a_policy_would_send(run, ingested):
    """Which passages, in which order and how many, with policy, digest, reason and log-probability; and in words."""
    asked = ("search", "weeks of leave for a pump", "--store", ingested, *MARA)
    told = run(*asked, "--rerank", "encoder", "--json").json
    assert told["rerank"]["k"] == len(told["hits"]) <= 15
    assert told["rerank"]["policy"].startswith("encoder/1 ")
    assert told["rerank"]["log_probability"] <= 0
    assert "cutoff/1" in run(*asked, "--rerank", "cutoff").err


def test_search_in_words(run, ingested):
    """People see rank, document, revision and the beginning of the passage."""
    done = run("search", "seal", "--store", ingested, *MARA)
    assert 0 == done.code
    assert "  1. PR-1, revision 2" in done.out


def test_trace_reads_as_recorded_and_replays(run, ingested, answer):
    """The operator sees every value in order; deciding again from them gives the same."""
    shown = run("trace", answer["trace"], "--store", ingested, "--json").json
    kinds = [entry["kind"] for entry in shown["entries"]]
    assert ("closed", "mara", QUESTION) == (shown["state"], shown["asker"], shown["question"])
    assert ["Setup", "Contract", "OperatingPoint", "Scope", "Snapshot"] == kinds[:5]
    assert "Outcome" == kinds[-1]
    again = run("trace", answer["trace"], "--store", ingested, "--replay", "--json").json
    assert (True, None, 1) == (again["same"], again["difference"], again["decisions"])


def test_trace_holds_no_document_text(run, ingested, answer):
    """Neither quote nor answer stands in the trace: digests do."""
    out = run("trace", answer["trace"], "--store", ingested, "--json").out
    assert "12 months" not in out
    assert answer["citations"][0]["digest"] in out


def test_trace_is_for_its_asker(run, ingested, answer):
    """With --as only one's own trace is there; another's does not exist as far as one can tell."""
    assert 0 == run("trace", answer["trace"], "--store", ingested, *MARA).code
    other = run("trace", answer["trace"], "--store", ingested, "--as", "theo:maintenance")
    nobodys = run("trace", "0" * 36, "--store", ingested, "--as", "theo:maintenance")
    assert (4, 4) == (other.code, nobodys.code)
    assert other.err.replace(answer["trace"], "0" * 36) == nobodys.err


def test_trace_masks_what_its_asker_lost(run, ingested, answer):
    """Once out of the group, the asker's own trace names the passage no more."""
    out = run("trace", answer["trace"], "--store", ingested, "--as", "mara", "--json").out
    assert "PR-1" not in out
    assert "[not readable]" in out
