"""IRCoT (Trivedi et al., 2023): a sentence of reasoning, a search with it, the next sentence, until the answer stands in one.

Faithful: the alternation, the search with the last sentence, paragraphs collected up to fifteen, one worked example in the prompt, and a reader that
answers from what was collected. Emulated: the example is of our own making, and the reader is the common answer prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.reading import first_sentence
from remit.baselines.system import Need
from remit.baselines.work import MOST_SENT, Work, once

PROMPT: Final = "ircot.txt"
ANSWERED: Final = re.compile(r"\banswer is\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class IrCot:
    """Interleaves retrieval with a chain of thought."""

    k: int = 4
    rounds: int = 4
    max_tokens: int = 64
    paper: str = "Trivedi et al. (2023), Interleaving Retrieval with Chain-of-Thought Reasoning"

    @property
    def name(self) -> str:
        """Its name with its rounds."""
        return f"ircot rounds={self.rounds} k={self.k}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the draft from all that was collected."""
        held, thoughts = work.search(work.question, self.k), list[str]()
        for _ in range(self.rounds):
            reply = work.say(
                load(PROMPT),
                max_tokens=self.max_tokens,
                hits=held,
                question=work.question,
                thoughts=" ".join(thoughts) or "(none yet)",
            )
            work.did("think")
            thought = first_sentence(reply.text)
            if not thought or thought in thoughts or ANSWERED.search(thought):
                break
            thoughts.append(thought)
            held = once((*held, *work.search(thought, self.k)))[:MOST_SENT]
        return work.draft(held)
