"""Requests as nobody's client sends them: told what is wrong or closed, never a 5xx, and the service goes on."""

import gzip
import json
import socket
import threading
import time
from urllib.parse import quote, urlsplit

import pytest
from served import LEAVE, QUESTION

pytestmark = pytest.mark.e2e

JSON = {"content-type": "application/json"}


def raw(service, *pieces, wait=20.0):
    """Send bytes as they are, and return what comes back until the connection is closed or nothing comes."""
    parts = urlsplit(service.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=wait) as wire:
        for piece in pieces:
            wire.sendall(piece)
        got = b""
        try:
            while piece := wire.recv(65536):
                got += piece
        except (TimeoutError, ConnectionResetError):
            pass
    return got


def head(service, *lines, method="POST", path="/v1/ask", host="remit"):
    """Return the head of a request with mara's key."""
    said = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {service.keys.mnt}", *lines]
    return "\r\n".join([*said, "", ""]).encode()


def status(answer):
    """Return the status of an answer's bytes."""
    return int(answer.split(b" ", 2)[1])


def test_a_name_twice_in_a_body_is_refused(service):
    """An object that says a thing twice is not read one way or the other, at any depth, on any route."""
    with service.client(service.keys.mnt) as client:
        for route, body in [
            ("/v1/ask", '{"question": "x", "question": "y"}'),
            ("/v1/ask", '{"question": "x", "parameters": {"a": "1", "a": "2"}}'),
            ("/v1/search", '{"query": "x", "k": 1, "k": 5}'),
            ("/v1/documents", '{"name": "a.md", "text": "# A", "labels": ["personnel"], "labels": ["maintenance"]}'),
            ("/v1/chat/completions", '{"messages": [{"role": "user", "role": "tool", "content": "x"}]}'),
        ]:
            done = client.post(route, content=body, headers=JSON)
            assert (422, True) == (done.status_code, "twice" in done.json()["detail"]), body


def test_a_packed_body_is_not_unpacked(service):
    """A compressed body is told to come as it is, so that no small one can grow."""
    with service.client(service.keys.mnt) as client:
        for coding in ("gzip", "deflate", "br", "gzip, gzip"):
            content = gzip.compress(json.dumps({"question": QUESTION}).encode())
            done = client.post("/v1/ask", content=content, headers={**JSON, "content-encoding": coding})
            assert (415, True) == (done.status_code, "Content-Encoding" in done.json()["detail"])
        plain = json.dumps({"question": QUESTION}).encode()
        done = client.post("/v1/ask", content=plain, headers={**JSON, "content-encoding": "identity"})
        assert "12 months" == done.json()["answer"]


def test_a_body_in_chunks_is_a_body(service):
    """A body of unknown length is read as far as bodies may go, and not further."""
    plain = json.dumps({"question": QUESTION}).encode()
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/ask", content=iter([plain[:10], plain[10:]]), headers=JSON)
        assert "12 months" == done.json()["answer"]
        done = client.post("/v1/ask", content=(b" " * 65536 for _ in range(64)), headers=JSON)
        assert 413 == done.status_code


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: y\r\n" % at for at in range(20_000)) + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"GET /%00%ff%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://elsewhere.example.org/v1/me HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\r\n\r\n\r\n",
    ],
    ids=range(15),
)
def test_what_is_no_request_gets_no_5xx(service, sent):
    """What breaks the rules of HTTP is refused or closed."""
    got = raw(service, sent, wait=3)
    assert not got or status(got) < 500, got[:200]
    with service.client() as client:
        assert 200 == client.get("/healthz").status_code


def test_no_request_hides_behind_another(service):
    """A second request in the body of a first one, by either kind of length, is not answered as somebody's."""
    hidden = b"GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n"
    lengths = ["Transfer-Encoding: chunked", f"Content-Length: {len(hidden) + 5}", "Content-Type: application/json"]
    got = raw(service, head(service, *lengths), b"0\r\n\r\n" + hidden, wait=3)
    assert b'"principal"' not in got
    assert got.count(b"HTTP/1.1 ") <= 2


def test_the_host_that_is_named_leads_nowhere(service):
    """No link, redirect or form goes to where the Host header says, and no header says who calls or how."""
    for host in ("evil.example.org", "evil.example.org:1", "localhost/../..", ""):
        got = raw(
            service,
            head(service, "Connection: close", "X-Forwarded-Host: evil.example.org", method="GET", path="/", host=host),
            wait=5,
        )
        assert b"evil" not in got
        assert not got or status(got) < 500
    with service.client() as client:
        done = client.get("/ask", headers={"host": "evil.example.org", "x-forwarded-proto": "https"})
        assert ("/sign-in", 303) == (done.headers["location"], done.status_code)
        for path in ("/v1/me/", "/v1/ask/", "/ask/", "/review/1/"):
            done = client.get(path, headers={"host": "evil.example.org"})
            assert (404, None) == (done.status_code, done.headers.get("location")), path


PATHS = [
    "/v1/documents/..%2f..%2f..%2fetc%2fpasswd",
    "/v1/documents/%2e%2e/%2e%2e/keys.json",
    "/v1/documents/PR-1-QMNT%00",
    "/v1/documents/PR-1-QMNT/",
    "/v1/documents//PR-1-QMNT",
    "/v1/documents/pr-1-qmnt",
    "/v1/documents/%EF%BC%B0R-1-QMNT",
    "/v1/documents/%ff%fe",
    "/v1/documents/" + "a" * 20_000,
    "/v1/documents/GATE'%20OR%20'1'='1",
    "/v1/passages/LV-9-QPRS@7%230",
    "/v1/passages/%2e%2e%2f@1%23-1",
    "/v1/passages/GATE@1%2399999999999999999999",
    "/v1/traces/..%2f..%2fjournal.db",
    "/v1/review/-1",
    "/v1/review/1e9",
    "/v1/review/" + "9" * 5_000,
    "/v1/review/" + "9" * 19,
    "/review/" + "9" * 5_000,
    "/static/../templates/ask.html",
    "/static/%2e%2e/page.py",
    "/static/..%2fpage.py",
    "/static/%5c..%5cpage.py",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_leads_to_what_it_names_or_nowhere(service, path):
    """No spelling of an id opens a file, somebody else's document, or a 5xx."""
    got = raw(service, head(service, "Connection: close", method="GET", path=path), wait=30)
    assert status(got) in {400, 404}, got[:200]
    for word in (b"root:", b"digest", b"nine weeks", b"import ", b"{%"):
        assert word not in got


@pytest.mark.parametrize(
    "name",
    [
        "../../evil.md",
        "a.m\u0000d",
        "a.md\u0000",
        "a.md/../../../x",
        "/etc/passwd",
        "a." + "m" * 300,
        "con.md.exe",
        ".",
    ],
)
def test_the_name_of_a_file_reaches_no_disk(service, name):
    """A name with parts of a path, or what a file system cannot hold, is a name or is refused."""
    body = {"name": name[:300], "document": "NAMED", "collection": "procedures", "labels": ["maintenance"]}
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/documents", json={**body, "text": "# A\n\nThe lamp is green.\n"})
        assert done.status_code in {200, 422}, done.text
        assert (200 == done.status_code) == name.endswith(".md")
        if done.status_code == 200:
            assert 1 == client.delete("/v1/documents/NAMED").json()["deleted"]


def test_who_asks_is_read_from_no_header_but_one(service):
    """Headers of proxies, cookies and methods that say who somebody is change nothing."""
    forged = {
        "x-remit-principal": "hana",
        "x-forwarded-user": "hana",
        "x-forwarded-groups": "personnel",
        "remote-user": "hana",
        "x-original-url": "/v1/traces?everyone=true",
        "x-http-method-override": "DELETE",
        "cookie": "principal=hana; remit-session=x",
        "forwarded": "for=127.0.0.1;by=hana",
    }
    with service.client(service.keys.mnt) as client:
        assert "mara" == client.get("/v1/me", headers=forged).json()["principal"]
        assert "answer" != client.post("/v1/ask", json={"question": LEAVE}, headers=forged).json()["decision"]
        assert 200 == client.get("/v1/documents/PR-1-QMNT", headers=forged).status_code


def test_markup_is_shown_and_never_run(service):
    """A title, an id, a group and a question with markup stand on every page as they were written, and not as markup."""
    evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    document = f"EV {evil}"
    said = {"name": "a.md", "document": document, "revision": evil, "title": evil, "collection": "procedures"}
    said |= {"labels": ["maintenance"], "status": "current", "applies_to": {"unit": [evil]}}
    text = f"# {evil}\n\nThe frob of E-1 is {evil} wide.\n"
    with service.client(service.keys.mnt) as client:
        done = client.post("/v1/documents", json={**said, "text": text})
        assert 200 == done.status_code, done.text
        trace = client.post("/v1/ask", json={"question": f"How wide is the frob of E-1 {evil}?"}).json()["trace"]
        with service.client() as browser:
            browser.post("/sign-in", data={"token": service.keys.mnt})
            name, revision = quote(document), quote(evil)
            for place in (
                "/documents",
                f"/documents/{name}",
                f"/documents/{name}?revision={revision}&start=0&end=9",
                f"/documents/{evil}",
                "/traces",
                f"/traces/{trace}",
                "/review?queue=corpus_gaps",
                f"/review?queue={evil}",
                f"/ask?question={evil}",
            ):
                shown = browser.get(place)
                assert shown.status_code < 500
                assert shown.headers["content-security-policy"].startswith("default-src 'none'")
                assert "<script" not in shown.text, place
                assert "<img" not in shown.text, place
        assert 1 == client.delete(f"/v1/documents/{name}").json()["deleted"]


@pytest.mark.slow
def test_who_sends_slowly_holds_up_nobody(service):
    """Two hundred connections that send a byte now and then keep nobody out, and are closed in their time."""
    parts = urlsplit(service.url)
    wires = [socket.create_connection((parts.hostname, parts.port), timeout=60) for _ in range(200)]
    began, stop = time.monotonic(), threading.Event()

    def trickle():
        while not stop.wait(1.0):
            for wire in wires:
                try:
                    wire.sendall(b"X")
                except OSError:
                    continue

    feeder = threading.Thread(target=trickle)
    feeder.start()
    try:
        with service.client(service.keys.mnt) as client:
            assert "12 months" == client.post("/v1/ask", json={"question": QUESTION}).json()["answer"]
        for wire in wires:
            try:
                assert b"" == wire.recv(1024)
            except ConnectionResetError:
                continue
        assert 10 < time.monotonic() - began < 55
    finally:
        stop.set()
        feeder.join()
        for wire in wires:
            wire.close()
