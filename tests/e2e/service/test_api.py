"""The service over HTTP, as its clients use it."""

import base64
import json
from pathlib import Path

import openai
import pytest
import served
from served import LEAVE, QUESTION

pytestmark = pytest.mark.e2e


def events(text):
    """Return the server-sent events of a stream as pairs of name and data."""
    blocks = [block for block in text.split("\n\n") if block.startswith("event:")]
    return [(block.split("\n")[0][7:], json.loads(block.split("\n")[1][6:])) for block in blocks]


def test_an_ask_is_what_the_command_line_prints(service):
    """`/v1/ask` gives the same decision, answer and citations as `remit ask --json`, and its trace can be read."""
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/ask", json={"question": QUESTION})
        told = served.run("ask", QUESTION, "--store", service.store, "--as", "mara:maintenance", "--json")
        shown, said = done.json(), json.loads(told)
        assert set(said) == set(shown)
        same = ("decision", "reason", "message", "answer", "citations", "missing", "snapshot", "rounds")
        assert {name: said[name] for name in same} == {name: shown[name] for name in same}
        assert "12 months" == shown["answer"]
        trace = client.get(f"/v1/traces/{shown['trace']}").json()
        assert ("closed", "mara", QUESTION) == (trace["state"], trace["asker"], trace["question"])
        assert shown["trace"] == done.headers["x-remit-trace"]


def test_no_answer_is_sent_before_its_release(service):
    """In a stream every stage comes before the decision, and the decision before the first word of the answer."""
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/ask", json={"question": QUESTION, "stream": True})
        assert done.headers["content-type"].startswith("text/event-stream")
        seen = events(done.text)
        names = [name for name, _ in seen]
        assert "opened" == names[0]
        assert "done" == names[-1]
        stages = [data["stage"] for name, data in seen if name == "stage"]
        assert ["framed", "authorized", "searched", "ranked", "drafted", "observed", "decided"] == stages
        assert max(at for at, name in enumerate(names) if name == "stage") < names.index("decision")
        assert names.index("decision") < names.index("answer")
        assert "12 months" == "".join(data["text"] for name, data in seen if name == "answer")
        before = done.text[: done.text.index("event: decision")]
        assert "months" not in before


def test_a_refusal_streams_no_answer(service):
    """A question that is not answered streams its decision and no answer event."""
    with service.client(service.keys.mnt) as client:
        names = [name for name, _ in events(client.post("/v1/ask", json={"question": LEAVE, "stream": True}).text)]
        assert "answer" not in names
        assert "decision" in names


@pytest.mark.parametrize("stream", [False, True])
def test_the_openai_client_works(service, stream):
    """The official client gets text with answer, citation and decision, and the same as data in `remit`."""
    client = openai.OpenAI(base_url=f"{service.url}/v1", api_key=service.keys.mnt)
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}]
    if stream:
        chunks = list(client.chat.completions.create(model="remit", messages=asked, stream=True))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        told = next(chunk.model_extra["remit"] for chunk in chunks if chunk.model_extra.get("remit"))
        assert "stop" == chunks[-1].choices[0].finish_reason
    else:
        done = client.chat.completions.create(model="remit", messages=asked)
        text, told = done.choices[0].message.content, done.model_extra["remit"]
    assert "answer" == told["decision"]
    quote = told["citations"][0]["quote"]
    assert quote in text
    assert "12 months [1]" in text
    assert "Decision: answer" in text
    assert "PR-1-QMNT, revision 2" in text


def test_the_openai_client_learns_what_is_wrong(service):
    """A token that proves nobody, and a body without a question, are errors that the client knows."""
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(base_url=f"{service.url}/v1", api_key="remit_x_y", max_retries=0).models.list()
    client = openai.OpenAI(base_url=f"{service.url}/v1", api_key=service.keys.mnt, max_retries=0)
    assert ["remit"] == [model.id for model in client.models.list()]
    with pytest.raises(openai.UnprocessableEntityError, match="no turn of the user"):
        client.chat.completions.create(model="remit", messages=[{"role": "assistant", "content": "hello"}])
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    for parts in ([image], [{"type": "text", "text": QUESTION}, image]):
        with pytest.raises(openai.UnprocessableEntityError, match="only text is read"):
            client.chat.completions.create(model="remit", messages=[{"role": "user", "content": parts}])
    with pytest.raises(openai.UnprocessableEntityError, match="n: "):
        client.chat.completions.create(model="remit", messages=[{"role": "user", "content": QUESTION}], n=2)


def test_what_a_client_sends_as_null_is_left_out(service):
    """Clients of chat completions may send null for what they do not set: the question is answered."""
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": None, "n": None, "remit": None, "stop": None}
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/chat/completions", json=body)
        assert (200, "answer") == (done.status_code, done.json()["remit"]["decision"])


def test_who_asks_is_never_taken_from_a_body(service):
    """A body that names a principal, a group or a role is refused."""
    with service.client(service.keys.mnt) as client:
        for name in ("principal", "as", "user", "groups", "role", "labels", "scope"):
            done = client.post("/v1/ask", json={"question": LEAVE, name: "hana"})
            assert 422 == done.status_code, name
        done = client.post(
            "/v1/chat/completions", json={"messages": [{"role": "user", "content": LEAVE}], "user": "hana"}
        )
        assert "answer" != done.json()["remit"]["decision"]


def test_search_finds_what_may_be_read(service):
    """Each caller finds their own group's passages and what is public, and no other."""
    with service.client(service.keys.mnt) as mnt, service.client(service.keys.prs) as prs:
        found = [client.post("/v1/search", json={"query": "seal leave gate", "k": 50}).json() for client in (mnt, prs)]
    documents = [{hit["document"] for hit in one["hits"]} for one in found]
    assert {"PR-1-QMNT", "IN-3-QMNT", "IN-4-QMNT", "GATE"} == documents[0]
    assert {"LV-9-QPRS", "GATE"} == documents[1]  # LV-8 was replaced


def test_a_document_can_be_stored_revised_and_deleted(service):
    """A writer stores, replaces, amends and deletes in their collection; each counts for the next request."""
    with service.client(service.keys.mnt) as client:
        new = {"name": "p9.md", "document": "PR-9", "revision": "1", "collection": "procedures", "status": "current"}
        new |= {"labels": ["maintenance"], "valid_from": "2026-01-01", "authority": "authoritative"}
        first = client.post(
            "/v1/documents", json={**new, "text": "# Pump P-9\n\nThe gasket of pump P-9 is replaced every 3 months.\n"}
        )
        assert [{"revision": "PR-9@1", "effect": "new"}] == first.json()["stored"], first.text
        question = {"question": "How often is the gasket of pump P-9 replaced?"}
        assert "3 months" == client.post("/v1/ask", json=question).json()["answer"]
        changed = {**new, "revision": "2", "supersedes": ["PR-9@1"], "valid_from": "2026-02-01"}
        text = "# Pump P-9\n\nThe gasket of pump P-9 is replaced every 5 months.\n"
        assert 200 == client.post("/v1/documents", json={**changed, "text": text}).status_code
        assert "5 months" == client.post("/v1/ask", json=question).json()["answer"]
        shown = client.get("/v1/documents/PR-9", params={"revision": "2"}).json()
        assert (text.strip(), [["PR-9@1"]]) == (
            shown["text"].strip(),
            [one["supersedes"] for one in shown["revisions"]],
        )
        amended = client.patch("/v1/documents/PR-9", json={"revision": "2", "changes": {"status": "withdrawn"}})
        assert {"revision": "PR-9@2", "effect": "amended"} == amended.json()
        assert "5 months" != client.post("/v1/ask", json=question).json()["answer"]
        assert {"document": "PR-9", "deleted": 2} == client.delete("/v1/documents/PR-9").json()
        assert 404 == client.get("/v1/documents/PR-9").status_code


def test_what_is_said_of_a_document_goes_before_what_it_says(service):
    """A text that calls itself public in its front matter is stored under the labels that the caller gave."""
    with service.client(service.keys.mnt) as client, service.client(service.keys.reader) as reader:
        text = "---\nlabels: [public]\ncollection: default\ndocument: GATE\n---\n# Note\n\nThe crane K-2 lifts 20 tonnes.\n"
        said = {"name": "n.md", "document": "NOTE", "collection": "procedures", "labels": ["maintenance"], "text": text}
        assert 200 == client.post("/v1/documents", json=said).status_code
        assert 404 == reader.get("/v1/documents/NOTE").status_code
        assert ["GATE"] == [one["document"] for one in reader.get("/v1/documents").json()["documents"]]
        assert 1 == client.delete("/v1/documents/NOTE").json()["deleted"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"collection": "hr"}, 403),
        ({"collection": "default"}, 403),
        ({"labels": ["personnel"]}, 403),
        ({"labels": ["maintenance", "personnel"]}, 403),
        ({"labels": []}, 422),
        ({"labels": ["*"]}, 422),
        ({"document": "LV-9-QPRS"}, 403),
        ({"document": "GATE"}, 403),
        ({"supersedes": ["LV-9-QPRS@7"]}, 403),
        ({"supersedes": ["NOT-THERE@1"]}, 403),
        ({"supersedes": ["GATE@1"]}, 403),
        ({"valid_from": "2026-02-30"}, 422),
        ({"text": None}, 422),
        ({"base64": "aGVsbG8="}, 422),
        ({"text": None, "base64": "%%%"}, 422),
        ({"name": ""}, 422),
        ({"name": "x.exe"}, 422),
    ],
)
def test_nobody_writes_what_is_not_theirs(service, change, status):
    """A write outside the caller's collections or labels, or over what is hidden from them, is refused and changes nothing."""
    said = {
        "name": "t.md",
        "document": "TRY-1",
        "collection": "procedures",
        "labels": ["maintenance"],
        "text": "# T\n\nA trial.\n",
    }
    with service.client(service.keys.mnt) as client, service.client(service.keys.prs) as other:
        before = other.post("/v1/search", json={"query": "leave", "k": 1}).json()["snapshot"]
        done = client.post(
            "/v1/documents", json={name: value for name, value in {**said, **change}.items() if value is not None}
        )
        assert status == done.status_code, done.text
        assert "application/problem+json" == done.headers["content-type"]
        assert before == other.post("/v1/search", json={"query": "leave", "k": 1}).json()["snapshot"]


def test_a_reader_writes_nothing(service):
    """Without the role to write, every write is refused, and without the role to review every look at the queues."""
    with service.client(service.keys.reader) as client:
        assert 403 == client.post("/v1/documents", json={"name": "a.md", "text": "# A\n\nB."}).status_code
        assert (
            403
            == client.patch("/v1/documents/GATE", json={"revision": "1", "changes": {"status": "draft"}}).status_code
        )
        assert 403 == client.delete("/v1/documents/GATE").status_code
        assert 403 == client.get("/v1/review").status_code
        assert 403 == client.get("/metrics").status_code
        assert 403 == client.get("/v1/traces", params={"everyone": "true"}).status_code


def test_what_is_wrong_is_a_problem_with_its_fields(service):
    """Bad input gives problem details that name the field, whatever is wrong with it."""
    with service.client(service.keys.mnt) as client:
        post = {"content-type": "application/json"}
        trials = [
            (client.post("/v1/ask", json={}), 422, "question"),
            (client.post("/v1/ask", json={"question": ""}), 422, "empty"),
            (client.post("/v1/ask", json={"question": "a\u0000b"}), 422, "control character"),
            (client.post("/v1/ask", json={"question": "x" * 20_001}), 422, "question"),
            (client.post("/v1/ask", json={"question": "x" * 15_000}), 422, "characters"),
            (client.post("/v1/ask", json={"question": 7}), 422, "question"),
            (client.post("/v1/ask", json={"question": "x", "as_of": "soon"}), 422, "as_of"),
            (client.post("/v1/ask", json={"question": "x", "seconds": 0}), 422, "seconds"),
            (client.post("/v1/ask", json=[]), 422, "object"),
            (client.post("/v1/ask", content=b"{", headers=post), 400, "no JSON"),
            (client.post("/v1/ask", content=b'{"question": NaN}', headers=post), 400, "no JSON"),
            (client.post("/v1/ask", content=b"\xff", headers=post), 400, "no JSON"),
            (client.post("/v1/ask", content=b"[" * 5000, headers=post), 400, "no JSON"),
            (client.post("/v1/ask", content=b"question=x"), 415, "application/json"),
            (client.post("/v1/ask", content=b" " * (2 << 20), headers=post), 413, "bytes"),
            (client.post("/v1/search", json={"query": "x", "k": 0}), 422, "k"),
            (client.get("/v1/documents", params={"limit": "many"}), 422, "limit"),
            (client.get("/v1/documents?limit=1&limit=2"), 422, "twice"),
            (client.get("/v1/me", params={"as": "hana"}), 422, "as"),
            (client.get("/v1/review/999999999999999999"), 404, "no such item"),
            (client.get("/v1/nothing"), 404, "openapi"),
            (client.put("/v1/ask", json={}), 405, "openapi"),
        ]
    for done, status, word in trials:
        told = done.json()
        assert (status, "application/problem+json") == (done.status_code, done.headers["content-type"]), done.text
        assert status == told["status"]
        assert word in told["detail"] + str(told["errors"]), told


def test_the_metrics_are_the_auditors(service):
    """An auditor reads counts by decision; no label of them comes from a caller or a document."""
    with service.client(service.keys.mnt) as client, service.client(service.keys.auditor) as auditor:
        client.post("/v1/ask", json={"question": QUESTION})
        text = auditor.get("/metrics").text
    assert 'remit_decisions_total{action="answer",reason="supported"}' in text
    for word in ("QMNT", "QPRS", "mara", "maintenance", "seal"):
        assert word not in text


def test_the_log_holds_no_document_and_no_question(service):
    """Each request is a line of JSON with its route and principal, and no text of a question, a document or a token."""
    with service.client(service.keys.mnt) as client:
        client.post("/v1/ask", json={"question": QUESTION})
        client.get("/v1/documents/PR-1-QMNT")
    lines = service.server.lines()
    assert any(line.get("route") == "/v1/ask" and line.get("principal") == "mara" for line in lines)
    text = service.server.log.read_text()
    for word in ("QMNT", "QPRS", "mechanical", "months", service.keys.mnt[15:]):
        assert word not in text


def test_a_hostile_file_breaks_nothing(service):
    """A PDF, a Word file or a page that breaks its reader is refused with the reason, and the service goes on."""
    said = {"document": "BROKEN", "collection": "procedures", "labels": ["maintenance"]}
    with service.client(service.keys.mnt) as client:
        for name in ("a.pdf", "a.docx", "a.html", "a.csv", "a.jsonl"):
            content = base64.b64encode(b"%PDF-1.7\n\x00\xff<<>>PK\x03\x04" * 50).decode()
            done = client.post("/v1/documents", json={**said, "name": name, "base64": content})
            assert 422 == done.status_code, (name, done.text)
            assert 404 == client.get("/v1/documents/BROKEN").status_code
        pdf = (
            Path(__file__).resolve().parents[3] / "examples/plant/engineering/sd-610-sump-pump-p-610-r1.pdf"
        ).read_bytes()
        done = client.post("/v1/documents", json={**said, "name": "a.pdf", "base64": base64.b64encode(pdf).decode()})
        assert ["new"] == [one["effect"] for one in done.json()["stored"]], done.text
        assert client.delete("/v1/documents/BROKEN").json()["deleted"]
