from pathlib import Path

from remit.llm.learned import QUESTIONS, keys_of, learned_from, question_key


def test_a_question_has_one_key_however_it_is_written():
    """Case, spacing and full-width letters make no other question; another word does."""
    assert question_key("Who built  the Alda?\n") == question_key(
        "who BUILT the \N{FULLWIDTH LATIN CAPITAL LETTER A}lda?"
    )
    assert question_key("Who built the Alda?") != question_key("Who built the Vela?")


def test_keys_are_read_beside_the_weights(tmp_path):
    """By the folder or by the file in it; weights that say nothing learned from nothing that is known."""
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert learned_from(tmp_path, "remit.repair", "encoder.safetensors") == frozenset()
    (tmp_path / QUESTIONS).write_text(keys_of(["A?", "B?", "a?"]))
    wanted = {question_key("A?"), question_key("B?")}
    assert wanted == learned_from(tmp_path, "remit.repair", "encoder.safetensors")
    assert wanted == learned_from(tmp_path / "model.safetensors", "remit.repair", "encoder.safetensors")


def test_what_ships_says_what_it_learned_from():
    """Both trained policies of the package have their keys; the clone that training starts from has none."""
    counts = [len(learned_from(None, f"remit.{floor}", "encoder.safetensors")) for floor in ("repair", "rerank")]
    assert [1099, 2036] == counts
    assert learned_from(None, "remit.repair", "clone.safetensors") == frozenset()
    assert learned_from(Path("nowhere"), "remit.repair", "encoder.safetensors") == frozenset()
