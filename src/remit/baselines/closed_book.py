"""No retrieval: the model alone.

Faithful: the question and nothing else. What differs: it is asked for the same short forms of answer as everyone. Its answers
rest on no passage, so that none of them is supported; they count for EM and F1 and against unsupported answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remit.answer.draft import Draft
from remit.answer.generate import PROMPT as ANSWER_PROMPT
from remit.answer.prompt import load as load_answer
from remit.baselines.prompts import load
from remit.baselines.reading import labelled
from remit.baselines.system import Need
from remit.baselines.work import Work

PROMPT: Final = "closed_book.txt"
_LEAD: Final = re.compile(r"^(?:the\s+)?answer\s+is\b[\s:]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """Asks the model without passages."""

    max_tokens: int = 64
    paper: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return "no-retrieval"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return what the model says without looking anything up."""
        return recalled(work, max_tokens=self.max_tokens)


def recalled(work: Work, *, max_tokens: int) -> Draft:
    """Return the model's answer from what it knows, for other systems that may decide not to look anything up."""
    form = load_answer(ANSWER_PROMPT).forms[work.asked.contract.form]
    reply = work.say(load(PROMPT), max_tokens=max_tokens, question=work.question, form=form)
    work.did("recall")
    said = labelled(reply.text, "ANSWER")
    if said is None and "answer:" not in reply.text.lower():
        said = reply.text.strip().splitlines()[0] if reply.text.strip() else None
    given = _LEAD.sub("", said.strip("[]\"'. ")) if said else ""
    unknown = not given or given.lower() in {"none", "unknown"}
    return Draft(answer=None if unknown else given, method="closed-book/1", why="nothing was looked up")
