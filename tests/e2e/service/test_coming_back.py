"""An answer on a page can be come back to and read again: by whom it was shown, while they may read it, and without asking twice."""

import re
from contextlib import contextmanager

import pytest
from served import LEAVE, QUESTION

pytestmark = pytest.mark.e2e


@contextmanager
def signed_in(service, token):
    """Lend a browser without a window in which somebody has signed in."""
    with service.client() as browser:
        assert 303 == browser.post("/sign-in", data={"token": token}).status_code
        yield browser


def asked(browser, question):
    """Ask on the page, and return where its answer stands."""
    form_key = re.search(r'name="form_key" value="([^"]+)"', browser.get("/ask").text)[1]
    done = browser.post("/ask", data={"question": question, "form_key": form_key})
    assert 303 == done.status_code
    return done.headers["location"]


def test_reading_an_answer_again_asks_nothing(service):
    """The address of an answer shows it again, and no second question is recorded."""
    with signed_in(service, service.keys.mnt) as browser, service.client(service.keys.mnt) as client:
        place = asked(browser, QUESTION)
        before = client.get("/v1/traces").json()
        assert ["12 months" in browser.get(place).text for _ in range(2)] == [True, True]
        assert before == client.get("/v1/traces").json()


def test_an_answer_is_its_askers_alone(service):
    """In another session, of somebody else or after signing in anew, its address leads to the trace: theirs, or none."""
    with signed_in(service, service.keys.prs) as owner, signed_in(service, service.keys.mnt) as other:
        place = asked(owner, LEAVE)
        assert "nine weeks" in owner.get(place).text
        told = other.get(place, follow_redirects=True)
        assert (404, False) == (told.status_code, "weeks" in told.text.replace(LEAVE, ""))
    with signed_in(service, service.keys.prs) as owner, service.client() as nobody:
        assert place.replace("/ask/", "/traces/") == owner.get(place).headers["location"]
        assert "/sign-in" == nobody.get(place).headers["location"]


def test_what_may_no_longer_be_read_is_not_shown_again(service):
    """Once the document is gone, or given to other readers, its answer is not shown from memory."""
    said = {"name": "n.md", "document": "BACK-1", "collection": "procedures", "labels": ["maintenance"]}
    text = "# Lamp of hall BACK-1\n\nThe lamp of hall BACK-1 is replaced every 37 months.\n"
    with service.client(service.keys.third) as client, signed_in(service, service.keys.third) as browser:
        assert 200 == client.post("/v1/documents", json={**said, "status": "current", "text": text}).status_code
        place = asked(browser, "How often is the lamp of hall BACK-1 replaced?")
        assert "37 months" in browser.get(place).text
        assert 1 == client.delete("/v1/documents/BACK-1").json()["deleted"]
        told = browser.get(place)
        assert (303, place.replace("/ask/", "/traces/")) == (told.status_code, told.headers["location"])


def test_an_address_that_leads_nowhere_has_a_page(service):
    """Somebody at a browser gets a page in words, a program a problem as data; neither is told more by being signed in."""
    with signed_in(service, service.keys.mnt) as browser:
        page = browser.get("/nowhere", headers={"accept": "text/html"})
        assert (404, True) == (page.status_code, "There is no such thing" in page.text and "mara" in page.text)
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        for path, accept in (("/nowhere", "*/*"), ("/v1/nowhere", "text/html")):
            done = browser.get(path, headers={"accept": accept})
            assert "application/problem+json" == done.headers["content-type"]
