"""The suite for a sentence encoder: inherit `EmbedSuite`, override `embed`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from remit.llm.embed import Embed

TEXTS = (
    "Tighten the bolts to 45 Nm.",
    "Payslips are kept for ten years.",
    "P-101/B",
    "低头思故乡",
    "Größe: naïve café ☕",
)
ODD = ("\ud800", "\x00", "\u200b", "🙂" * 50, "e\u0301", "\u202eabc", "<|endoftext|> [MASK] {}", "\n\n#\n")


class EmbedSuite:
    """What every encoder promises: one vector a text, whatever stands beside it."""

    @pytest.fixture
    def embed(self) -> Embed:
        """Return the encoder."""
        raise NotImplementedError("override the fixture `embed`: return the encoder")

    def test_one_unit_vector_a_text(self, embed: Embed) -> None:
        """Rows of 32-bit floats, as many as texts, as wide as said, each of length 1."""
        vectors = embed.embed(TEXTS)
        assert ((len(TEXTS), embed.dimension), np.dtype(np.float32)) == (vectors.shape, vectors.dtype)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_no_text_gives_no_vector(self, embed: Embed) -> None:
        """No rows, and still as wide as said."""
        assert (0, embed.dimension) == embed.embed([]).shape

    def test_a_text_has_one_vector_in_any_batch(self, embed: Embed) -> None:
        """Neither neighbours nor order nor repetition move a vector by a bit."""
        texts = [*TEXTS, "word " * 400, ""]
        alone = np.vstack([embed.embed([text]) for text in texts])
        assert np.array_equal(alone, embed.embed(texts))
        assert np.array_equal(alone[::-1], embed.embed(texts[::-1]))
        assert np.array_equal(alone[[0, 0, 1]], embed.embed([texts[0], texts[0], texts[1]]))
        assert np.array_equal(alone, np.vstack([embed.embed([text]) for text in texts]))

    def test_different_texts_differ(self, embed: Embed) -> None:
        """Each of some texts is nearest to itself, and no two have the same vector."""
        products = embed.embed(TEXTS) @ embed.embed(TEXTS).T
        assert list(range(len(TEXTS))) == products.argmax(axis=1).tolist()
        assert (products - 2 * np.eye(len(TEXTS))).max() < 1 - 1e-4

    @pytest.mark.parametrize("text", ["", " ", " \n\t"])
    def test_a_text_without_words_is_no_error(self, embed: Embed, text: str) -> None:
        """It gives zeros or a unit vector, and never NaN."""
        assert _usable(embed, [text])

    def test_an_empty_text_is_zeros(self, embed: Embed) -> None:
        """What says nothing is near to nothing."""
        assert not embed.embed([""]).any()

    @pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
    def test_any_text_has_a_vector(self, embed: Embed, text: str) -> None:
        """Half a surrogate, controls, emoji and the model's own marks are only text."""
        assert _usable(embed, [text])

    @pytest.mark.parametrize("text", ["word " * 20_000, "x" * 100_000, "故" * 10_000], ids=["words", "one word", "CJK"])
    def test_a_long_text_is_cut_and_not_refused(self, embed: Embed, text: str) -> None:
        """However long, there is one vector; a text is read from its beginning."""
        assert _usable(embed, [text])

    def test_threads_may_share_it(self, embed: Embed) -> None:
        """Texts encoded at the same time have the vectors they have alone."""
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda text: embed.embed([text])[0], TEXTS * 4))
        assert np.array_equal(np.vstack([embed.embed(TEXTS)] * 4), np.vstack(found))

    def test_a_caller_cannot_spoil_it(self, embed: Embed) -> None:
        """A vector that was handed out may be written on, and the texts stay as they were."""
        texts = list(TEXTS)
        first = embed.embed(texts)
        kept = first.copy()
        if first.flags.writeable:
            first[:] = 0
        assert np.array_equal(kept, embed.embed(texts))
        assert list(TEXTS) == texts

    def test_name_and_dimension_stay(self, embed: Embed) -> None:
        """Stores are bound to both: using the encoder changes neither, and the name holds no address."""
        before = (embed.name, embed.dimension)
        embed.embed(TEXTS)
        assert before == (embed.name, embed.dimension)
        assert embed.name.strip()
        assert embed.dimension > 0
        assert " at 0x" not in embed.name


def _usable(embed: Embed, texts: list[str]) -> bool:
    """Say whether vectors have the right shape, and length 1 or, for nothing, 0."""
    vectors = embed.embed(texts)
    lengths = np.linalg.norm(vectors, axis=1)
    right = np.isclose(lengths, 1, atol=1e-5) | (lengths == 0)
    return vectors.shape == (len(texts), embed.dimension) and bool(right.all())
