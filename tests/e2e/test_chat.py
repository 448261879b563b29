"""`remit ask` with a chat model behind an OpenAI-compatible endpoint, served by the test on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytestmark = pytest.mark.e2e

QUESTION = "How often is the mechanical seal of pump P-7 replaced?"
QUOTE = "The mechanical seal of pump P-7 is replaced every 12 months."
USAGE = {"prompt_tokens": 300, "completion_tokens": 20}


class Endpoint:
    """A chat endpoint that says one thing, or fails, and keeps what it was asked."""

    def __init__(self, status, said):
        self.asked = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                endpoint.asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                message = {"role": "assistant", "content": said}
                reply = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE}
                body = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.environ = {"REMIT_CHAT_URL": url, "REMIT_CHAT_MODEL": "test", "REMIT_CHAT_KEY": "sk-secret"}


@pytest.fixture
def endpoint():
    """Start an endpoint with a status and a reply; it stops after the test."""
    started = []

    def start(status, said):
        started.append(Endpoint(status, said))
        return started[-1]

    yield start
    for one in started:
        one.server.shutdown()
        one.server.server_close()


def test_a_model_answers_from_the_passages_it_was_shown(run, ingested, endpoint):
    """What the model quotes is cited and verified; the call and its tokens are on the budget."""
    model = endpoint(200, f"QUOTE [1]: {QUOTE}\nANSWER: 12 months")
    done = run("ask", QUESTION, "--store", ingested, "--as", "mara:maintenance", "--json", **model.environ)
    answer = done.json
    assert ("answer", "12 months") == (answer["decision"], answer["answer"])
    assert [QUOTE] == [citation["quote"] for citation in answer["citations"]]
    assert (1, 320) == (answer["budget"]["used"]["model_calls"], answer["budget"]["used"]["tokens"])
    assert 1 == len(model.asked)
    shown = run("trace", answer["trace"], "--store", ingested, "--json").out
    assert "openai:test" in shown
    assert "sk-secret" not in done.out + done.err + shown


def test_a_model_that_invents_a_quote_is_not_believed(run, ingested, endpoint):
    """What stands in no passage is never handed out."""
    model = endpoint(200, "QUOTE [1]: The seal is replaced every 99 months.\nANSWER: 99 months")
    done = run("ask", QUESTION, "--store", ingested, "--as", "mara:maintenance", "--json", **model.environ)
    assert "99 months" not in done.out


def test_a_provider_that_fails_costs_no_answer(run, ingested, endpoint):
    """With the endpoint down the extractive answerer answers, and the decision is still a decision."""
    model = endpoint(400, "no")
    done = run("ask", QUESTION, "--store", ingested, "--as", "mara:maintenance", "--json", **model.environ)
    assert (0, "answer", "12 months") == (done.code, done.json["decision"], done.json["answer"])


@pytest.mark.parametrize("asker", ["theo", "theo:visitors"])
def test_a_denied_question_makes_no_model_call(run, ingested, endpoint, asker):
    """Invariant 2: who may read nothing costs no model call."""
    model = endpoint(200, f"QUOTE [1]: {QUOTE}\nANSWER: 12 months")
    done = run("ask", QUESTION, "--store", ingested, "--as", asker, "--json", **model.environ)
    assert done.json["decision"] != "answer"
    assert [] == model.asked


def test_the_model_is_shown_nothing_the_asker_may_not_read(run, ingested, endpoint):
    """A question about a hidden document sends none of its text to the provider."""
    model = endpoint(200, "ANSWER: NONE")
    question = "How many weeks of paid leave may a parent take?"
    run("ask", question, "--store", ingested, "--as", "mara:maintenance", "--json", **model.environ)
    assert not any("nine weeks" in asked for asked in model.asked)
