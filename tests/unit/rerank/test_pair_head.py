from types import SimpleNamespace

import numpy as np
import pytest

from remit.errors import InvalidInput
from remit.llm.cancel import Patience
from remit.llm.weights import packed
from remit.rerank.pair_head import MATCHES, PARTS, PairHead, PairWeights, pair_features
from remit.testing.build import hits_of

WIDTH = 4


def read(first, second):
    """Return states of two texts, a row a word: its letters counted by their place in four."""
    rows = [
        [sum(ord(c) % WIDTH == at for c in word) + 0.1 for at in range(WIDTH)] for word in f"{first} {second}".split()
    ]
    return SimpleNamespace(states=np.array(rows, dtype=np.float32).reshape(-1, WIDTH), second=len(first.split()))


def weights(**given):
    """Return weights that look at nothing but what is given."""
    width = MATCHES + 3 * WIDTH
    arrays = {
        "mean": np.zeros(width), "scale": np.ones(width), "0.w": np.zeros((width, 2)), "0.b": np.zeros(2),
        "1.w": np.zeros((2, 1)), "1.b": np.zeros(1), "direct": np.zeros(width),
    }  # fmt: skip
    return PairWeights({**arrays, **given})


class Reads:
    """An encoder that gives those states."""

    name = "reads/1"

    def read_pair(self, first, second):
        """Return the states."""
        return read(first, second)


def test_matches_by_hand():
    """The first number is the mean over the question's tokens of their best cosine, as in MaxSim."""
    states = np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32)
    found = pair_features(SimpleNamespace(states=states, second=2))
    assert (MATCHES + 6,) == found.shape
    assert [0.5, 0.0, 0.5] == found[:3].tolist()


@pytest.mark.parametrize(("first", "second"), [("", "one"), ("one", ""), ("", "")])
def test_a_text_without_a_token_tells_nothing(first, second):
    """All features are 0 and none of them is no number."""
    assert not pair_features(read(first, second)).any()


def test_scores_are_those_of_the_network():
    """A hidden unit that is not reached adds nothing; the input's own weight and the level count."""
    width = MATCHES + 3 * WIDTH
    direct = np.zeros(width)
    direct[0] = 2.0
    hidden = np.zeros((width, 2))
    hidden[0] = 1.0, -1.0
    held = weights(**{"direct": direct, "0.w": hidden, "1.w": np.array([[3.0], [5.0]]), "1.b": np.array([0.5])})
    row = np.zeros((1, width))
    row[0, 0] = 0.25
    assert [pytest.approx(0.5 + 2 * 0.25 + 3 * 0.25)] == held.scores(row).tolist()


def test_scores_do_not_depend_on_the_other_hits():
    """Each passage is scored by question and passage alone."""
    scorer = PairHead(Reads(), weights=weights(direct=np.linspace(-1, 1, MATCHES + 3 * WIDTH)))
    hits = hits_of("abc def", "xyz", "abc")
    together = scorer.score("abc?", hits, Patience())
    assert [scorer.score("abc?", [hit], Patience())[0] for hit in hits] == list(together)


def test_weights_are_read_back_as_they_were_written(tmp_path):
    """Saved as 32-bit numbers; the digest names the scorer."""
    file = tmp_path / "head.safetensors"
    file.write_bytes(weights(**{"1.b": np.array([0.5])}).packed())
    back = PairWeights.read(file)
    assert [0.5] == back.scores(np.zeros((1, MATCHES + 3 * WIDTH))).tolist()
    assert back.digest[7:19] in PairHead(Reads(), weights=back).name


@pytest.mark.parametrize("said", [{"version": "pairs/0"}, {}])
def test_weights_of_another_version_are_refused(tmp_path, said):
    """The error names the file and what to do."""
    file = tmp_path / "head.safetensors"
    file.write_bytes(packed({name: np.zeros(1, np.float32) for name in PARTS}, said))
    with pytest.raises(InvalidInput, match=r"head.safetensors.*train them again"):
        PairWeights.read(file)


def test_the_weights_shipped_tell_what_answers_from_what_does_not():
    """With the packaged encoder, a passage that answers scores above one of the same words that does not, and above another matter."""
    from remit.adapters.minilm import MiniLm

    hits = hits_of(
        "Marie Curie was born in Warsaw in 1867.",
        "Pierre Curie met Marie in Paris.",
        "The pump is drained each winter.",
    )
    scores = PairHead(MiniLm()).score("Where was Marie Curie born?", hits, Patience())
    assert scores[0] == max(scores)
    assert scores[2] == min(scores)
