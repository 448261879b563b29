"""Reviewers over HTTP, many at once."""

import threading

import pytest
import served

pytestmark = pytest.mark.e2e


def test_one_item_goes_to_one_reviewer(service):
    """Of eight reviewers who take an item at once one gets it; without their lease nobody's verdict counts."""
    with service.client(service.keys.mnt) as asker:
        trace = asker.post("/v1/ask", json={"question": "How long is the seal chamber of pump P-8 flushed?"}).json()[
            "trace"
        ]
    tokens = [served.key(service.store, f"r{at}:maintenance", "read,review") for at in range(8)]
    with service.client(tokens[0]) as client:
        items = client.get("/v1/review").json()["items"]
    (number,) = (one["number"] for one in items if one["trace"] == trace)
    gate, got = threading.Barrier(len(tokens)), {}

    def take(token):
        with service.client(token) as client:
            gate.wait()
            got[token] = client.post(f"/v1/review/{number}/lease")

    threads = [threading.Thread(target=take, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [token for token, done in got.items() if 200 == done.status_code]
    assert (1, {200, 409}) == (len(winners), {done.status_code for done in got.values()})
    lease = got[winners[0]].json()["lease"]
    verdict = {"lease": lease, "verdict": {"kind": "decline", "why": "Ask the engineer."}}
    gate, given = threading.Barrier(len(tokens)), {}

    def give(token):
        with service.client(token) as client:
            gate.wait()
            given[token] = client.post(f"/v1/review/{number}/verdict", json=verdict).status_code

    threads = [threading.Thread(target=give, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {winners[0]: 200} == {token: code for token, code in given.items() if 200 == code}
    assert set(given.values()) <= {200, 409, 422}
    with service.client(tokens[0]) as client:
        item = client.get(f"/v1/review/{number}").json()
        assert ("declined", 1) == (item["stand"], len(item["verdicts"]))
        assert 409 == client.post(f"/v1/review/{number}/lease").status_code


def test_an_auditor_reads_every_item_and_no_document(service):
    """Who may audit sees each item's record, also where they may read none of its sources; they see no text and judge nothing."""
    question = "How long is the seal chamber of pump P-8 flushed?"
    with service.client(service.keys.mnt) as asker:
        trace = asker.post("/v1/ask", json={"question": question}).json()["trace"]
    with service.client(service.keys.auditor) as auditor:
        listed = auditor.get("/v1/review", params={"limit": 200})
        assert 200 == listed.status_code
        (number,) = (one["number"] for one in listed.json()["items"] if one["trace"] == trace)
        item = auditor.get(f"/v1/review/{number}").json()
        assert (question, 2) == (item["question"], len(item["sources"]))
        assert {(None, None)} == {(side["quote"], side["text"]) for side in item["sources"]}
        assert 200 == auditor.get("/v1/gaps").status_code
        assert 403 == auditor.post(f"/v1/review/{number}/lease").status_code
        verdict = {"lease": 1, "verdict": {"kind": "decline", "why": "No."}}
        assert 403 == auditor.post(f"/v1/review/{number}/verdict", json=verdict).status_code
    with service.client(service.keys.reader) as reader:
        assert {403} == {reader.get(path).status_code for path in ("/v1/review", "/v1/gaps", f"/v1/review/{number}")}


def test_an_auditor_who_reviews_sees_what_the_sources_say(service):
    """Who may audit and review gets the quotations of an item that they may read, as any reviewer does."""
    both = served.key(service.store, "ada:maintenance", "read,review,audit")
    with service.client(service.keys.mnt) as asker:
        trace = asker.post("/v1/ask", json={"question": "How long is the seal chamber of pump P-8 flushed?"}).json()[
            "trace"
        ]
    with service.client(both) as ada, service.client(service.keys.second) as other:
        items = other.get("/v1/review", params={"limit": 200}).json()["items"]
        (number,) = (one["number"] for one in items if one["trace"] == trace)
        seen, usual = (client.get(f"/v1/review/{number}").json()["sources"] for client in (ada, other))
        assert usual == seen
        assert all(side["quote"] for side in seen)
