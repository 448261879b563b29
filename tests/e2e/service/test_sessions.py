"""Sessions and forms of the pages, without a browser: what they keep, and what other sites and groups get of them."""

import re
from contextlib import ExitStack

import httpx
import pytest
import served
from served import LEAVE, QUESTION

pytestmark = pytest.mark.e2e


@pytest.fixture
def sign_in(service):
    """Return what signs a client in, and returns it with the key that its forms carry."""
    with ExitStack() as opened:
        yield lambda token: signed_in(
            service, opened.enter_context(httpx.Client(base_url=service.url, timeout=60)), token
        )


def signed_in(service, client, token):
    """Return a client that has signed in, and its form key."""
    done = client.post("/sign-in", data={"token": token})
    assert (303, "/ask") == (done.status_code, done.headers["location"])
    return client, re.search(r'name="form_key" value="([^"]+)"', client.get("/ask").text)[1]


def test_what_was_said_before_is_kept_where_the_question_goes_on(service, sign_in):
    """Whoever is asked back and chooses is answered for the day and the case that they had named, and the page says so."""
    text = "# Gearbox G-9\n\nThe housing bolts of gearbox G-9 are tightened to {} Nm.\n"
    said = {"name": "g.md", "collection": "procedures", "labels": ["maintenance"], "authority": "authoritative"}
    said |= {"status": "current", "valid_from": "2025-01-01"}
    question = "What torque do the housing bolts of gearbox G-9 take?"
    with service.client(service.keys.mnt) as writer:
        for name, value in (("A", 40), ("B", 60)):
            holds_for = {"equipment_revision": [name], "shift": ["night"]}
            case = {"document": f"G9-{name}", "applies_to": holds_for, "text": text.format(value)}
            assert 200 == writer.post("/v1/documents", json={**said, **case}).status_code
        client, form_key = sign_in(service.keys.mnt)
        sent = {"question": question, "form_key": form_key, "as_of": "2026-05-01"}
        again = client.post("/ask", data={**sent, "parameter": "shift=night"}, follow_redirects=True).text
        assert '<input type="hidden" name="given.shift" value="night">' in again
        asked = client.post("/ask", data=sent, follow_redirects=True).text
        choices = re.findall(r'name="choice" value="([^"]+)"', asked)
        assert ["equipment_revision=A", "equipment_revision=B"] == sorted(choices), asked
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', asked))
        done = client.post("/ask", data={**hidden, "choice": "equipment_revision=A"}, follow_redirects=True).text
        assert "40 Nm" in done
        assert "60 Nm" not in done
        assert "As of 2026-05-01, for equipment revision A" in done
        for name in ("A", "B"):
            assert 1 == writer.delete(f"/v1/documents/G9-{name}").json()["deleted"]


def test_the_session_is_out_of_reach_of_scripts_and_other_sites(service, sign_in):
    """The cookie is HttpOnly and SameSite=Strict and is no token; forms of other sites, or without their key, do nothing."""
    client, form_key = sign_in(service.keys.mnt)
    cookie = client.post("/sign-in", data={"token": service.keys.mnt}).headers["set-cookie"]
    assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert service.keys.mnt not in cookie
    client, form_key = sign_in(service.keys.mnt)
    asked = {"question": QUESTION, "form_key": form_key}
    assert 303 == client.post("/ask", data=asked).status_code
    assert 403 == client.post("/ask", data={"question": QUESTION}).status_code
    assert 403 == client.post("/ask", data={**asked, "form_key": form_key[:-1] + "x"}).status_code
    assert 403 == client.post("/ask", data=asked, headers={"sec-fetch-site": "cross-site"}).status_code
    assert 403 == client.post("/ask", data=asked, headers={"origin": "https://evil.example.org"}).status_code
    assert (
        401
        == client.post(
            "/sign-in", data={"token": service.keys.mnt}, headers={"origin": "https://evil.example.org"}
        ).status_code
    )
    assert 401 == client.get("/v1/me").status_code  # the interface takes tokens only
    page = client.get("/ask")
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
    assert "no-store" == page.headers["cache-control"]
    assert 303 == client.post("/sign-out", data={"form_key": form_key}).status_code
    assert "/sign-in" == client.get("/ask").headers["location"]


def test_signing_in_needs_a_token_that_proves_somebody(service, sign_in):
    """Nobody gets in without a token, and a session ends with the key it was opened with."""
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for token in ("", "nothing", "remit_00000000_x"):
            assert 401 == client.post("/sign-in", data={"token": token}).status_code
        for path in ("/ask", "/documents", "/traces", "/review", "/dashboard", "/review/1", "/documents/GATE"):
            assert "/sign-in" == client.get(path).headers["location"]
    token = served.key(service.store, "temp:maintenance")
    client, _ = sign_in(token)
    served.run("key", "revoke", token.split("_")[1], "--store", service.store)
    assert "/sign-in" == client.get("/ask").headers["location"]


def test_no_page_leaks_to_another_group(service, sign_in):
    """Each page that names something of another group's is as if it named nothing, and changes nothing."""
    with service.client(service.keys.prs) as owner:
        trace = owner.post("/v1/ask", json={"question": LEAVE}).json()["trace"]
        owner.post("/v1/ask", json={"question": "What does form QPRS-77 say of parental leave?"})
        items = [one["number"] for one in owner.get("/v1/review", params={"queue": "corpus_gaps"}).json()["items"]]
    assert items
    hidden = re.compile("okapi|nine weeks|four weeks|personnel|hana", re.IGNORECASE)
    for who in (service.keys.mnt, service.keys.reader, service.keys.third):
        client, form_key = sign_in(who)
        places = [
            "/documents",
            "/documents/LV-9-QPRS",
            "/documents/LV-9-QPRS?revision=7&start=0&end=50",
            f"/traces/{trace}",
            "/traces",
        ]
        places += [f"/review/{number}" for number in items] + [
            f"/review?queue={q}" for q in ("review_items", "corpus_gaps")
        ]
        found = [client.get(place) for place in places]
        for number in items:
            for act in ("take", "verdict", "correction"):
                sent = {"form_key": form_key, "lease": "1", "kind": "decline", "why": "x", "make": "yes"}
                found.append(client.post(f"/review/{number}/{act}", data=sent))
        found.append(client.post("/ask", data={"form_key": form_key, "question": LEAVE}, follow_redirects=True))
        for done in found:
            assert done.status_code < 500
            assert [] == hidden.findall(done.text), done.url
        assert [404] * 3 == [done.status_code for done in found[1:4]]


def test_an_item_offers_what_its_reader_can_do(service, sign_in):
    """Whoever asked, and who comes while another has an item, are told so and get no button; no link of it leads nowhere."""
    with service.client(service.keys.mnt) as asker:
        asked = asker.post("/v1/ask", json={"question": "How long is the seal chamber of pump P-8 flushed?"}).json()
        items = asker.get("/v1/review", params={"limit": 200}).json()["items"]
    (number,) = (one["number"] for one in items if one["trace"] == asked["trace"])
    place, link = f"/review/{number}", f'href="/traces/{asked["trace"]}"'
    pages = [sign_in(token) for token in (service.keys.mnt, service.keys.second, service.keys.third)]
    own, second, third = (client.get(place).text for client, _ in pages)
    assert ("Whoever asked does not review their own question." in own, f"{place}/take" in own) == (True, False)
    assert (True, True) == (f"{place}/take" in second, f"{place}/take" in third)
    assert (True, False, False) == (link in own, link in second, link in third)
    (client, form_key), (other, _) = pages[1:]
    assert 303 == client.post(f"{place}/take", data={"form_key": form_key}).status_code
    assert 'name="lease"' in client.get(place).text
    held = other.get(place).text
    assert ("This item is with rob: take another one." in held, f"{place}/take" in held) == (True, False)
    lease = re.search(r'name="lease" value="([0-9]+)"', client.get(place).text)[1]
    given = {"form_key": form_key, "lease": lease, "kind": "answer", "text": "10 minutes", "quote": "not there"}
    refused = client.post(f"{place}/verdict", data={**given, "source": items[-1]["sources"][0]["passage"]})
    assert 422 == refused.status_code
    assert "<p>The quotation does not stand" in refused.text
    assert "What you typed is still there" in refused.text
    assert 303 == client.post(f"{place}/verdict", data={**given, "kind": "release"}).status_code


def test_a_number_that_is_none_is_told(sign_in, service):
    """A page that is asked for beyond any number says so, whatever is sent."""
    client, _ = sign_in(service.keys.second)
    for after in ("9" * 19, "0" * 20 + "9" * 5_000, "0" * 20 + "9" * 30, "-1", "x"):
        assert 422 == client.get("/review", params={"after": after}).status_code


def test_signing_in_says_what_is_wrong_in_words(service):
    """What proves nobody is told in a sentence, and by no name of ours for an error."""
    with httpx.Client(base_url=service.url) as client:
        page = client.post("/sign-in", data={"token": "hello"})
        assert 401 == page.status_code
        assert "Error" not in page.text
        assert "The token is not valid: it is neither a key of Remit nor a token of the provider." in page.text


def test_gaps_are_told_in_words(service, sign_in):
    """A gap that is known by its reason alone is told by what the reason means, and by no name of ours."""
    with service.client(service.keys.mnt) as asker:
        assert "fact_missing" == asker.post("/v1/ask", json={"question": "q"}).json()["reason"]
        assert "fact_missing" in [gap["fact"] for gap in asker.get("/v1/gaps").json()["gaps"]]
    client, _ = sign_in(service.keys.mnt)
    page = client.get("/review", params={"queue": "corpus_gaps"}).text
    assert "fact_missing" not in page
    assert "a required fact is not supported by what was found" in page
