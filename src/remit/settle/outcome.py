"""What is handed out: the final decision and its words."""

from __future__ import annotations

from typing import Literal

from remit.answer.draft import Citation
from remit.contract.value import DocumentText, Value
from remit.decide.decision import Decision


class Outcome(Value):
    """The end of a question. `answer` and `citations` are there exactly when the decision is to answer.

    `closed` says that the asker's faces show none of observation, budget and rounds, because what they would show could
    tell hidden from absent.
    """

    kind: Literal["outcome"] = "outcome"
    decision: Decision
    shown: Decision
    message: DocumentText
    answer: DocumentText | None = None
    citations: tuple[Citation, ...] = ()
    choices: tuple[tuple[str, tuple[str, ...]], ...] = ()
    closed: bool = False
