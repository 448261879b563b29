"""A passage that was cut to some of its sentences is weighed by the vectors of those, and not of its first ones."""

import numpy as np
from written import STAFF, asked, hit, ranked, revision

from remit.answer.extract import Extractive
from remit.llm.scripted import HashedWords

EMBED = HashedWords(64)
TEXT = "The gate opens at six. The bell rings at noon. The seal lasts a year."


class Stored:
    """A retriever that holds one vector for each sentence of the whole passage."""

    name = "stored"

    def __init__(self, whole):
        self._whole = whole

    def sentence_vectors(self, passage, scope):
        return EMBED.embed([self._whole.quote(span) for span in self._whole.sentences])


def test_a_cut_passage_keeps_each_sentence_with_its_own_vector():
    """The last sentence alone is weighed by its own likeness to the question."""
    whole = hit(revision("A"), TEXT)
    cut = whole.model_copy(
        update={"passage": whole.passage.model_copy(update={"sentences": whole.passage.sentences[2:]})}
    )
    question = "How long does the seal last?"
    (only,) = Extractive(EMBED, Stored(whole.passage)).weigh(asked(question), ranked(cut), STAFF)
    wanted = EMBED.embed([question, "The seal lasts a year."])
    assert "The seal lasts a year." == only.text
    assert np.isclose(float(wanted[0] @ wanted[1]), only.cosine)
