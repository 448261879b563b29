import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from small_model import small_model

from remit.adapters.gguf import GgufChat
from remit.adapters.openai import OpenAiChat
from remit.errors import ProviderBusy, ProviderFailed
from remit.llm.retry import Retrying
from remit.llm.scripted import ScriptedChat, Slow
from remit.testing import ChatSuite

USAGE = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 1}}
GO = threading.Event()


class TestScriptedChat(ChatSuite):
    @pytest.fixture
    def chat(self):
        """Return a model with enough turns."""
        return ScriptedChat(["yes"] * 10)

    @pytest.fixture
    def slow(self):
        """Return a model that takes a minute."""
        return ScriptedChat([Slow("yes", 60.0)])

    @pytest.fixture
    def failing(self):
        """Return a model whose backend fails."""
        return ScriptedChat([ProviderFailed("the backend is down: start it")])


class TestRetrying(ChatSuite):
    @pytest.fixture
    def chat(self):
        """Return a model that is busy at every other call."""
        turns = [ProviderBusy("try again: it is busy"), "yes"] * 10
        return Retrying(ScriptedChat(turns), first=0.001)

    @pytest.fixture
    def slow(self):
        """Return a model that is busy once and then takes a minute."""
        return Retrying(ScriptedChat([ProviderBusy("busy: wait"), Slow("yes", 60.0)]), first=0.001)

    @pytest.fixture
    def failing(self):
        """Return a model that stays busy."""
        return Retrying(ScriptedChat([ProviderBusy("busy: wait")] * 3), first=0.001)


class Provider(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint: the first part of the path says whether it replies, falls silent or fails."""

    def log_message(self, *args):
        """Say nothing."""

    def do_POST(self):
        """Stream one word and the usage."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(500 if "failing" in self.path else 200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        said = {"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": "stop"}]}
        for part in (said, USAGE):
            self.wfile.write(b"data: " + json.dumps(part).encode() + b"\n\n")
            self.wfile.flush()
            if "slow" in self.path:
                GO.wait(60.0)
                return
        self.wfile.write(b"data: [DONE]\n\n")


@pytest.fixture(scope="module")
def provider():
    """Lend the address of a local endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    GO.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.integration
class TestOpenAiChat(ChatSuite):
    @pytest.fixture
    def chat(self, provider):
        """Return a model behind an endpoint."""
        return OpenAiChat(f"{provider}/good/v1", "m")

    @pytest.fixture
    def slow(self, provider):
        """Return one that falls silent after its first word."""
        return OpenAiChat(f"{provider}/slow/v1", "m")

    @pytest.fixture
    def failing(self, provider):
        """Return one whose server has an error."""
        return OpenAiChat(f"{provider}/failing/v1", "m")


@pytest.fixture(scope="module")
def weights():
    """Lend the smallest real chat model, where the package that brings it is installed; it is not imported."""
    chat = GgufChat(small_model(), context=2048)
    yield chat
    chat.close()


@pytest.mark.integration
@pytest.mark.slow
class TestGgufChat(ChatSuite):
    @pytest.fixture
    def chat(self, weights):
        """Return a model in this process."""
        return weights
