import pytest

from remit.adapters.openai import OpenAiChat, completions_url
from remit.errors import Cancelled, InvalidInput
from remit.llm.cancel import Patience
from remit.llm.chat import Message

KEY = "sk-very-secret-000"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://localhost:8080", "http://localhost:8080/v1/chat/completions"),
        ("http://localhost:8080/", "http://localhost:8080/v1/chat/completions"),
        ("http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"),
        ("http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"),
        (" https://x.example/v1/chat/completions ", "https://x.example/v1/chat/completions"),
        ("https://x.example/v1beta/openai/", "https://x.example/v1beta/openai/chat/completions"),
        ("https://x.example/api/v3", "https://x.example/api/v3/chat/completions"),
        ("https://x.example/proxy", "https://x.example/proxy/v1/chat/completions"),
        ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_a_base_url_is_taken_with_or_without_its_version(given, expected):
    """However the base is written, chat completions are found below its version."""
    assert expected == completions_url(given)


@pytest.mark.parametrize(
    "given", ["", "localhost:8080", "ftp://x", "http://", "http://x:99999", "http://[x", "file:///etc"]
)
def test_what_is_no_url_is_refused(given):
    """Something else than an http address is refused, and told how one looks."""
    with pytest.raises(InvalidInput, match="http://host:port/v1"):
        completions_url(given)


@pytest.mark.parametrize("given", [f"http://me:{KEY}@host/v1", f"http://host/v1?key={KEY}", f"http://host/v1#{KEY}"])
def test_a_key_in_the_url_is_refused_and_not_repeated(given):
    """A key belongs in its own setting; the error does not show it."""
    with pytest.raises(InvalidInput) as caught:
        completions_url(given)
    assert KEY not in str(caught.value)


def test_the_key_is_nowhere_to_be_read():
    """Neither the adapter's text nor its name shows the key."""
    chat = OpenAiChat("http://localhost:1", "m", KEY)
    assert KEY not in f"{chat!r} {chat} {chat.name}"
    assert "key=set" in repr(chat)


@pytest.mark.parametrize("key", ["sk-a\nX-Other: 1", "ключ"])
def test_a_key_that_no_header_can_carry_is_refused(key):
    """A key with a line break or other letters is refused, unseen."""
    with pytest.raises(InvalidInput) as caught:
        OpenAiChat("http://localhost:1", "m", key)
    assert key not in str(caught.value)


def test_a_cancelled_asker_makes_no_request():
    """After the signal no connection is opened."""
    patience = Patience()
    patience.stop.set()
    with pytest.raises(Cancelled):
        OpenAiChat("http://localhost:1", "m").reply(
            (Message("user", "hello"),), max_tokens=1, temperature=0.0, patience=patience
        )
