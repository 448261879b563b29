import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from remit.errors import Cancelled, MissingPrerequisite, ProviderFailed
from remit.llm.cache import Cached, KeptReplies, key_of
from remit.llm.cancel import Patience
from remit.llm.chat import Message, Reply, Token, Usage
from remit.llm.ledger import Price
from remit.llm.metered import Metered, price_of
from remit.llm.scripted import ScriptedChat

HELLO = (Message("user", "hello \ud800 \u0645"),)
WHOLE = Reply("yes \u2028", Usage(None, 2), "length", (Token("yes", -0.5), Token(" \ud83d", -1.0)), "")


@pytest.fixture
def kept(tmp_path):
    """Return an empty cache."""
    return KeptReplies(tmp_path / "deep" / "replies.db")


def ask(model, messages=HELLO, *, max_tokens=8, temperature=0.0, patience=None):
    """Return the model's reply."""
    return model.reply(messages, max_tokens=max_tokens, temperature=temperature, patience=patience or Patience())


def test_the_same_call_is_made_once(kept):
    """The second time the reply comes from the disk, whole, and is put down as no call with its key."""
    chat, patience = ScriptedChat([WHOLE]), Patience()
    model = Cached(Metered(chat, Price(1.0, 1.0)), kept)
    assert WHOLE == ask(model, patience=patience) == ask(model, patience=patience)
    first, second = patience.tally
    assert (1, 0) == (first.count, second.count)
    assert ("cached", 0, 0.0) == (second.ended, second.tokens, second.price)
    assert key_of("scripted/1", HELLO, max_tokens=8, temperature=0.0, realm="") == second.key
    assert Price(1.0, 1.0) == price_of(model)


@pytest.mark.parametrize(
    "other",
    [
        {"messages": (Message("system", HELLO[0].text),)},
        {"max_tokens": 9},
        {"temperature": 0.2},
        {"patience": Patience().within("scope", "snapshot")},
        {"patience": Patience().within("scope", "other")},
        {"patience": Patience().within("other", "snapshot")},
    ],
)
def test_another_call_is_another_key(kept, other):
    """Prompt, parameters, scope and snapshot each make a call of its own: nobody is answered from another's scope."""
    model = Cached(ScriptedChat(["one", "two", "three"]), kept)
    ask(model, patience=Patience().within("scope", "first"))
    assert "two" == ask(model).text
    assert "three" == ask(model, **other).text


def test_another_model_is_another_key(kept):
    """Replies of two models in one file are not mixed."""
    assert "one" == ask(Cached(ScriptedChat(["one"], name="a"), kept)).text
    assert "two" == ask(Cached(ScriptedChat(["two"], name="b"), kept)).text


def test_a_failure_is_not_kept(kept):
    """A provider that failed is asked again."""
    model = Cached(ScriptedChat([ProviderFailed("down"), "yes"]), kept)
    with pytest.raises(ProviderFailed):
        ask(model)
    assert "yes" == ask(model).text


def test_a_cancelled_asker_gets_nothing_from_the_cache(kept):
    """After the signal not even a kept reply is given."""
    model, patience = Cached(ScriptedChat(["yes"]), kept), Patience()
    ask(model)
    patience.stop.set()
    with pytest.raises(Cancelled):
        ask(model, patience=patience)


def test_the_bound_holds_and_the_least_used_leaves(tmp_path):
    """The octets kept stay within the bound; what was used last stays."""
    kept = KeptReplies(tmp_path / "replies.db", most=400)
    for name in "abcdefgh":
        kept.put(name, Reply(name * 40, Usage(1, 1)))
        assert kept.size <= 400
        kept.get("a")
    assert None is not kept.get("a")
    assert None is kept.get("b")
    kept.put("huge", Reply("x" * 1000, Usage(1, 1)))
    assert None is kept.get("huge")


def test_many_threads_share_one_file(tmp_path):
    """Reads and writes at once lose nothing, break nothing, and the bound holds."""
    failures = []

    def work(number):
        kept = KeptReplies(tmp_path / "replies.db", most=3000)
        try:
            for turn in range(15):
                kept.put(f"{number}-{turn}", Reply(f"{number}-{turn}" * 9, Usage(1, 1)))
                found = kept.get(f"{number}-{turn}")
                assert found is None or found.text == f"{number}-{turn}" * 9
        except (ProviderFailed, AssertionError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == failures
    assert 0 < KeptReplies(tmp_path / "replies.db", most=3000).size <= 3000


def test_it_outlives_the_process_and_is_its_owners_alone(tmp_path):
    """A new opening finds what was kept; nobody else may read the file; clearing takes the text off the disk."""
    file = tmp_path / "replies.db"
    KeptReplies(file).put("a", Reply("gland nuts", Usage(1, 1)))
    assert "gland nuts" == KeptReplies(file).get("a").text
    assert 0 == stat.S_IMODE(file.stat().st_mode) & 0o077
    KeptReplies(file).clear()
    assert None is KeptReplies(file).get("a")
    assert b"gland nuts" not in file.read_bytes()


def test_another_file_is_refused_and_a_damaged_one_is_a_failed_provider(tmp_path):
    """What is no cache is not overwritten; what breaks later says to delete it."""
    other = tmp_path / "notes.txt"
    other.write_text("not a database, and longer than a header of one would be")
    with pytest.raises(MissingPrerequisite, match="delete it or name another"):
        KeptReplies(other)
    file = tmp_path / "replies.db"
    kept = KeptReplies(file)
    with closing(sqlite3.connect(file)) as db:
        db.execute("DROP TABLE replies")
    with pytest.raises(ProviderFailed, match="delete the file"):
        kept.get("a")


WORKER = """
import random, sys
from remit.llm.cache import KeptReplies
from remit.llm.chat import Reply, Usage
kept, chance, wrong = KeptReplies(sys.argv[1], most=6000), random.Random(int(sys.argv[2])), 0
print("open", flush=True)
for _ in range(150):
    key = str(chance.randrange(30))
    held = kept.get(key)
    wrong += held is not None and held.text != key * 100
    kept.put(key, Reply(key * 100, Usage(1, 2), "end", (), ""))
print(wrong, kept.size <= 6000, flush=True)
"""


def test_four_processes_share_one_file_and_one_may_be_killed(tmp_path):
    """Each gets what was put under its key, within the bound, while a fifth is killed in the middle of its work."""
    file = str(tmp_path / "replies.db")

    def begun(seed):
        return subprocess.Popen([sys.executable, "-c", WORKER, file, str(seed)], stdout=subprocess.PIPE, text=True)

    killed, *others = [begun(seed) for seed in range(5)]
    assert killed.stdout.readline() == "open\n"
    killed.kill()
    said = [one.communicate(timeout=60)[0].split() for one in others]
    killed.communicate(timeout=60)
    assert [["open", "0", "True"]] * 4 == said
    with closing(sqlite3.connect(file)) as db:
        assert ("ok",) == db.execute("PRAGMA integrity_check").fetchone()
