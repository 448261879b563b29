"""A chat endpoint on this machine that plays every fault of a provider: the first part of the path says which."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-very-secret-000"
SEAL = "The mechanical seal of pump P-7 is replaced every 12 months."
GOOD = f"QUOTE [1]: {SEAL}\nANSWER: 12 months"


def event(text="", finish=None, **more):
    """Return one server-sent event of a chat stream."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice], **more}).encode() + b"\n\n"


USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 2}}\n\n'
DONE = b"data: [DONE]\n\n"
SSE = "text/event-stream"


class Faulty(BaseHTTPRequestHandler):
    """Plays one provider's behaviour: the path says which."""

    protocol_version = "HTTP/1.1"
    seen: list[dict]

    def log_message(self, *args):
        """Say nothing."""

    def do_POST(self):
        """Answer as the first part of the path says."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append(body)
        try:
            getattr(self, self.path.split("/")[1])()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, status=200, kind=SSE, parts=(), length=None, headers=()):
        """Send a whole or, with a longer `length`, a broken reply."""
        whole = b"".join(parts)
        self.send_response(status)
        for name, value in [("Content-Type", kind), *headers, ("Content-Length", str(length or len(whole)))]:
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(whole)
        self.close_connection = True

    def good(self):
        self.send(parts=[event("Par"), event("is"), event(finish="stop"), USAGE, DONE])

    def unmarked(self):
        self.send(parts=[event("Paris"), DONE])

    def plain(self):
        message = {"choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}]}
        self.send(kind="application/json; charset=utf-8", parts=[json.dumps(message).encode()])

    def uncounted(self):
        self.send(parts=[event("Paris", "stop"), DONE])

    def cut(self):
        self.send(parts=[event("Pa"), event(finish="length"), USAGE, DONE])

    def unauthorized(self):
        told = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
        self.send(401, "application/json", [told])

    def busy(self):
        self.send(429, "application/json", [b"{}"])

    def wait(self):
        self.send(429, "application/json", [b"{}"], headers=[("Retry-After", "7")])

    def dated(self):
        self.send(503, "text/html", [b"later"], headers=[("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")])

    def broken(self):
        self.send(500, "application/json", [json.dumps({"error": {"message": f"boom {KEY}"}}).encode()])

    def missing(self):
        self.send(404, "text/html", [b"<html>"])

    def moved(self):
        self.send(302, "text/html", [], headers=[("Location", "http://127.0.0.1:1/")])

    def malformed(self):
        self.send(parts=[event("Par"), b'data: {"choices": [\n\n', DONE])

    def shapeless(self):
        self.send(kind="application/json", parts=[b'["Paris"]'])

    def odd(self):
        self.send(parts=[b'data: {"choices": "x", "usage": 3}\n\n', b'data: {"choices": [7]}\n\n'])

    def empty(self):
        self.send(parts=[event(finish="stop"), DONE])

    def starved(self):
        self.send(parts=[event(finish="length"), DONE])

    def html(self):
        self.send(kind="text/html", parts=[b"<html>Welcome</html>"])

    def untyped(self):
        self.send(kind="", parts=[b"Paris"])

    def half(self):
        self.send(parts=[event("Par")], length=10_000)

    def unfinished(self):
        self.send(parts=[event("Par")])

    def reported(self):
        self.send(parts=[event("Par"), b'data: {"error": {"message": "out of memory"}}\n\n'])

    def filtered(self):
        self.send(parts=[event(finish="content_filter"), DONE])

    def said(self):
        """Stream what `say` makes of the request, with its usage."""
        text = self.server.say(self.server.seen[-1])
        usage = {"prompt_tokens": 200 + len(self.server.seen), "completion_tokens": len(text.split())}
        self.server.usage.append(sum(usage.values()))
        counted = b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"
        self.send(
            parts=[*(event(text[i : i + 9]) for i in range(0, len(text), 9)), event(finish="stop"), counted, DONE]
        )

    def told(self):
        """The same without a stream."""
        text = self.server.say(self.server.seen[-1])
        usage = {"prompt_tokens": 100, "completion_tokens": 7 + len(self.server.seen)}
        self.server.usage.append(sum(usage.values()))
        message = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}
        self.send(kind="application/json", parts=[json.dumps(message).encode()])

    def watched(self):
        """Stream `GOOD` in parts; `moment` is called as each one has gone out, and once before the first."""
        self.server.moment(0)
        self.send_response(200)
        self.send_header("Content-Type", SSE)
        self.end_headers()
        for number, part in enumerate([event(GOOD[:9]), event(GOOD[9:]), event(finish="stop"), USAGE, DONE], start=1):
            self.wfile.write(part)
            self.wfile.flush()
            self.server.moment(number)
        self.close_connection = True

    def silent(self):
        self.server.hold.wait(20)

    def stalled(self):
        self.send_response(200)
        self.send_header("Content-Type", SSE)
        self.end_headers()
        self.wfile.write(event("Par"))
        self.wfile.flush()
        self.server.hold.wait(20)
        self.close_connection = True

    def huge(self):
        self.send_response(200)
        self.send_header("Content-Type", SSE)
        self.send_header("Content-Length", str(200 * 1024 * 1024))
        self.end_headers()
        for _ in range(3_200):
            self.wfile.write(b"x" * 65_536)
            self.server.sent += 65_536


@contextmanager
def serving(handler=Faulty):
    """Give a server that plays faults: `seen` holds what it was asked, `sent` the octets of a huge reply.

    `say` makes a reply of a request, `usage` holds the tokens that were counted, `moment` is called while a reply goes out.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.seen, server.sent, server.hold = [], 0, threading.Event()
    server.say, server.usage, server.moment = (lambda body: GOOD), [], (lambda number: None)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
