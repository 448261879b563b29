import pytest

from remit.adapters.gguf import GgufChat
from remit.errors import Cancelled, MissingPrerequisite
from remit.llm.cancel import Patience
from remit.llm.chat import Message


def test_a_missing_file_is_named(tmp_path):
    """No weights: the error names the path and what to give instead."""
    with pytest.raises(MissingPrerequisite, match=r"none\.gguf: No such file.*Give the path"):
        GgufChat(tmp_path / "none.gguf")


def test_a_folder_is_no_model(tmp_path):
    """A folder in place of the file is refused the same way."""
    with pytest.raises(MissingPrerequisite, match="Give the path"):
        GgufChat(tmp_path)


def test_another_format_is_refused(tmp_path):
    """A file without the format's mark is refused before anything is loaded."""
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04 not weights")
    with pytest.raises(MissingPrerequisite, match="not a GGUF file"):
        GgufChat(tmp_path / "model.gguf")


def test_a_cancelled_asker_loads_nothing(tmp_path):
    """After the signal not even the weights are read."""
    (tmp_path / "model.gguf").write_bytes(b"GGUF and no weights")
    patience = Patience()
    patience.stop.set()
    with pytest.raises(Cancelled):
        GgufChat(tmp_path / "model.gguf").reply(
            (Message("user", "hello"),), max_tokens=1, temperature=0.0, patience=patience
        )


@pytest.mark.integration
def test_damaged_weights_are_named(tmp_path):
    """A file that begins like weights and is none fails with its path."""
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + b"junk" * 400)
    with pytest.raises(MissingPrerequisite, match=r"model\.gguf: not loaded"):
        GgufChat(tmp_path / "model.gguf").reply(
            (Message("user", "hello"),), max_tokens=1, temperature=0.0, patience=Patience()
        )


def test_the_name_tells_two_builds_apart(tmp_path):
    """Traces tell weights of the same name and other content apart."""
    names = []
    for content in (b"GGUF one", b"GGUF two"):
        (tmp_path / "model.gguf").write_bytes(content)
        names.append(GgufChat(tmp_path / "model.gguf").name)
    assert 2 == len(set(names))
