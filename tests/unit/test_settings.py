"""Settings from a file and the environment."""

from pathlib import Path

import pytest

from remit.answer.checking import SupportChoice
from remit.contract.budget import Limits
from remit.errors import InvalidInput, NothingThere
from remit.llm.ledger import Price
from remit.settings import Settings

CHAT = '[chat]\nkind = "openai"\nurl = "https://a/v1"\nmodel = "m"\napi_key_env = "MY_KEY"\n'


@pytest.fixture
def load(tmp_path):
    """Return a function that reads a text, with an environment, as settings."""

    def read(text, **environ):
        path = tmp_path / "remit.toml"
        path.write_text(text, encoding="utf-8")
        return Settings.load(path, environ)

    return read


def test_nothing_said_is_the_defaults(tmp_path):
    """Without a file, and with one that may be missing, every setting has a default."""
    assert Settings() == Settings.load(None, {}) == Settings.load(tmp_path / "remit.toml", {}, optional=True)
    assert Settings().chat is None
    assert not Settings().keep_text


def test_a_named_file_must_exist(tmp_path):
    """A file that was asked for and is not there is an error."""
    with pytest.raises(NothingThere, match="--config"):
        Settings.load(tmp_path / "other.toml", {})


def test_all_sections(load, tmp_path):
    """Limits, operating point, trace and chat; paths are relative to the file."""
    found = load(
        '[limits]\nrounds = 0\nseconds = 2\n[point]\npath = "point.json"\n[trace]\nkeep_text = true\n'
        '[chat]\nkind = "gguf"\npath = "m.gguf"\nthreads = 2\n[ingest]\nexclude = ["x"]\n'
    )
    assert Limits(rounds=0, seconds=2.0) == found.limits
    assert (tmp_path / "point.json", True, ("x",)) == (found.point, found.keep_text, found.control.exclude)
    assert ("gguf", tmp_path / "m.gguf", 2) == (found.chat.kind, found.chat.path, found.chat.threads)
    assert str(tmp_path / "remit.toml") == found.source


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("[limits]\nrounds = -1", 2, "limits.rounds"),
        ("[limits]\nrounds = 1.5", 2, "limits.rounds"),
        ("[limits]\nseconds = inf", 2, "limits.seconds"),
        ("[limits]\nseconds = 0", 2, "limits.seconds"),
        ("[limits]\nround = 1", 2, "limits.round"),
        ("[point]\nname = 1", 2, "point.name"),
        ("[point]\nname = 'x'\npath = 'y'", 1, "point"),
        ("[trace]\nkeep_text = 1", 2, "trace.keep_text"),
        ("[chat]\nurl = 'https://a'", 1, "chat"),
        ("[chat]\nkind = 'gguf'", 1, "chat"),
        ("[chat]\nkind = 'other'", 2, "chat.kind"),
        ("[chat]\nkind = 'openai'\nurl = 'ftp://a'\nmodel = 'm'", 3, "chat.url"),
        ("[chat]\nkind = 'openai'\nurl = 'https://me:pass@a/v1'\nmodel = 'm'", 3, "chat.url"),
        ("[chat]\nkind = 'gguf'\npath = 'm'\napi_key = 'sk-secret'", 4, "chat.api_key"),
        ("[search]\nk = 1", 1, "search"),
    ],
)
def test_what_is_wrong_names_line_and_field(load, text, line, field):
    """Unknown keys and wrong types are faults; none of them repeats a value that may be secret."""
    with pytest.raises(InvalidInput) as caught:
        load(text)
    fault = caught.value.faults[0]
    assert (line, field) == (fault.line, fault.field)
    assert "secret" not in str(caught.value)
    assert "pass@" not in str(caught.value)


def test_the_key_comes_from_the_named_variable_and_is_never_shown(load):
    """The key is read from the variable the file names, and no way of printing settings shows it."""
    found = load(CHAT, MY_KEY="sk-secret")
    assert "sk-secret" == found.chat.key.get_secret_value()
    for shown in (repr(found), str(found), found.model_dump_json(), str(found.model_dump())):
        assert "sk-secret" not in shown


def test_the_environment_goes_before_the_file(load):
    """URL, model and key of the environment hold where the file says otherwise."""
    found = load(CHAT, MY_KEY="old", REMIT_CHAT_URL="http://b/v1", REMIT_CHAT_MODEL="n", REMIT_CHAT_KEY="new").chat
    assert ("openai", "http://b/v1", "n", "new") == (found.kind, found.url, found.model, found.key.get_secret_value())


def test_a_key_is_not_sent_elsewhere(load):
    """Another URL from the environment does not get the key of the file's URL."""
    assert load(CHAT, MY_KEY="old", REMIT_CHAT_URL="http://b/v1").chat.key is None


def test_a_local_model_from_the_environment(load):
    """A GGUF file takes the place of an endpoint and keeps the sizes; a blank variable says nothing."""
    found = load(CHAT + "context = 2048\n", REMIT_CHAT_GGUF="/m.gguf", REMIT_CHAT_URL=" ").chat
    assert ("gguf", Path("/m.gguf"), None, 2048) == (found.kind, found.path, found.url, found.context)


@pytest.mark.parametrize(
    ("environ", "error"),
    [
        ({"REMIT_CHAT_URL": "http://a", "REMIT_CHAT_GGUF": "m"}, "both set"),
        ({"REMIT_CHAT_URL": "http://a"}, "set REMIT_CHAT_MODEL too"),
        ({"REMIT_CHAT_URL": "a", "REMIT_CHAT_MODEL": "m"}, "REMIT_CHAT_URL: want a URL"),
    ],
)
def test_an_environment_that_makes_no_sense(environ, error):
    """What the environment gets wrong is told by the variable's name."""
    with pytest.raises(InvalidInput, match=error):
        Settings.load(None, environ)


def test_how_a_chat_model_is_asked(load):
    """Structured replies, log-probabilities, the cache and the price are switched on one by one; a price of 0 is one."""
    chat = load(
        f"{CHAT}structured = true\nlogprobs = true\ncache_megabytes = 5\n[chat.price]\nprompt = 0\nreply = 1.5\n"
    ).chat
    assert (True, True, False, 5, Price(0.0, 1.5)) == (
        chat.structured,
        chat.logprobs,
        chat.abstains,
        chat.cache_megabytes,
        chat.price,
    )
    plain = load(CHAT).chat
    assert (False, False, 0, None) == (plain.structured, plain.logprobs, plain.cache_megabytes, plain.price)


@pytest.mark.parametrize(
    "text",
    [
        f"{CHAT}price = 3",
        f"{CHAT}[chat.price]\nprompt = 1",
        f"{CHAT}[chat.price]\nprompt = -1\nreply = 1",
        f"{CHAT}[chat.price]\nprompt = 1\nreply = inf",
        f"{CHAT}[chat.price]\nprompt = 1\nreply = 1\nimages = 1",
    ],
)
def test_half_a_price_is_refused(load, text):
    """Both prices, and numbers: anything else would count an unknown price as known."""
    with pytest.raises(InvalidInput, match=r"chat\.price"):
        load(text)


def test_a_local_model_by_name_or_folder(load):
    """Kind transformers needs a model and no URL."""
    chat = load('[chat]\nkind = "transformers"\nmodel = "models/tiny"\n').chat
    assert {"model": "models/tiny", "context": 4096, "threads": 1} == chat.backend


def test_the_encoder_is_the_default_one_unless_said(load):
    """Without a section it is MiniLM, with the lexical weight chosen for it."""
    assert ("minilm", {}, 0.15) == ((said := load("").encoder).adapter, said.arguments, said.weight)
    assert ("static", {}) == ((said := load('[encoder]\nkind = "static"\n').encoder).adapter, said.arguments)
    assert 0.5 == load("[encoder]\nlexical_weight = 0.5\n").encoder.weight


def test_an_encoder_of_ones_own(load, tmp_path):
    """A model by path or name, or behind an endpoint; the key comes from the named variable and is not shown."""
    local = '[encoder]\nkind = "sentence-transformers"\n'
    assert {"model": tmp_path / "m"} == load(local + 'path = "m"').encoder.arguments
    assert {"model": "a/b"} == load(local + 'model = "a/b"').encoder.arguments
    remote = '[encoder]\nkind = "openai"\nurl = "http://h/v1"\nmodel = "m"\ndimension = 8\napi_key_env = "K"\n'
    said = load(remote, K="sk-secret").encoder
    assert {"url": "http://h/v1", "model": "m", "dimension": 8, "key": "sk-secret"} == said.arguments
    assert "openai-embeddings" == said.adapter
    assert "secret" not in f"{said!r} {said.model_dump_json()}"


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("kind = 'bert'", 2, "encoder.kind"),
        ("kind = 'openai'\nurl = 'http://h'\nmodel = 'm'", 1, "encoder"),
        ("kind = 'openai'\nurl = 'ftp://h'\nmodel = 'm'\ndimension = 8", 3, "encoder.url"),
        ("kind = 'sentence-transformers'", 1, "encoder"),
        ("kind = 'sentence-transformers'\nmodel = 'a/b'\npath = 'm'", 1, "encoder"),
        ("kind = 'static'\nmodel = 'm'", 3, "encoder.model"),
        ("lexical_weight = -1", 2, "encoder.lexical_weight"),
    ],
)
def test_a_wrong_encoder_names_line_and_field(load, text, line, field):
    """What is missing, unknown to the kind or of the wrong type is a fault."""
    with pytest.raises(InvalidInput) as caught:
        load("[encoder]\n" + text)
    assert (line, field) == (caught.value.faults[0].line, caught.value.faults[0].field)


def test_a_judge_is_chosen_and_what_it_lacks_is_told(load, tmp_path):
    """A cross-encoder needs one place for its weights, a chat judge a chat model; nothing said is no judge."""
    assert load("").support == SupportChoice()
    said = load('[support]\nkind = "cross-encoder"\npath = "nli"\nthreshold = 0.7\n').support
    assert SupportChoice(kind="cross-encoder", path=tmp_path / "nli", threshold=0.7) == said
    assert "chat" == load(CHAT + '[support]\nkind = "chat"\n').support.kind
    for wrong, told in (
        ('kind = "cross-encoder"', "needs path"),
        ('kind = "chat"', r"set \[chat\]"),
        ('kind = "nli"', "want "),
        ('path = "nli"', "knows no path"),
    ):
        with pytest.raises(InvalidInput, match=told):
            load(f"[support]\n{wrong}\n")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[policy]\nkind = []\n", "policy.kind"),
        ("[policy]\nkind = {a = 1}\n", "policy.kind"),
        (f"[limits]\nseconds = 1{'0' * 400}\n", "limits.seconds"),
        ("[limits]\nprice = nan\n", "limits.price"),
        (f'[rerank]\npolicy = "score"\nthreshold = 1{"0" * 400}\n', "rerank.threshold"),
        ('[rerank]\npolicy = "score"\nthreshold = nan\n', "rerank.threshold"),
        (f'[support]\nkind = "cross-encoder"\npath = "m"\nthreshold = 1{"0" * 400}\n', "support.threshold"),
        (f"{CHAT}price = {{prompt = 1{'0' * 400}, reply = 0}}\n", "chat.price"),
        (f"[limits]\ntokens = 1{'0' * 5000}\n", None),
        (f"a = {'[' * 5000}\n", None),
    ],
)
def test_a_value_no_machine_can_hold_is_a_fault_like_any_other(load, text, field):
    """Numbers beyond a float, longer than Python reads, nested too deep, or of a type that no set takes: a fault that names the place."""
    with pytest.raises(InvalidInput) as wrong:
        load(text)
    assert field in {fault.field for fault in wrong.value.faults}
    assert all(fault.file for fault in wrong.value.faults)
