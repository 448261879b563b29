"""Self-RAG (Asai et al., 2024), a prompted emulation: faithful only with its trained reflection tokens, and named so.

Faithful: whether to retrieve is decided first, and above 0.2 it is done; one answer per passage; the answer with the best
relevance + (full + half of partial support) + utility is given, each weighted 1. Emulated: the four kinds of reflection tokens are questions
put to the model, the last three in one; utility 1 to 5 counts from -1 to 1 as published. The term for the likelihood of the answer
itself is left out: the common answer prompt's replies quote and are no continuation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from remit.answer.draft import Draft
from remit.baselines.closed_book import recalled
from remit.baselines.prompts import load
from remit.baselines.reading import chance_of_yes, labelled, verdict
from remit.baselines.system import Need
from remit.baselines.work import Work

PROMPT: Final = "self_rag.txt"
_SUPPORT: Final = {"fully": 1.0, "partially": 0.5, "no": 0.0}
_DIGIT: Final = re.compile(r"[1-5]")


class Grades(NamedTuple):
    """What reflection says of one passage and the answer from it; None where it said nothing that can be read."""

    relevant: float | None
    support: float | None
    utility: float | None


@dataclass(frozen=True, slots=True)
class SelfRag:
    """Answers from each passage and gives the answer it thinks best of."""

    passages: int = 10
    retrieve_above: float = 0.2
    relevance: float = 1.0
    support: float = 1.0
    utility: float = 1.0
    max_tokens: int = 48
    paper: str = "Asai et al. (2024), Self-RAG: Learning to Retrieve, Generate, and Critique through Self-Reflection"

    @property
    def name(self) -> str:
        """Its name, which says that it is an emulation."""
        return f"self-rag (prompted emulation) passages={self.passages}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the answer with the best score; of equal ones the first."""
        if not self._retrieves(work):
            return recalled(work, max_tokens=self.max_tokens)
        best = -10.0
        for hit in work.search(work.question, self.passages):
            draft = work.draft((hit,))
            if draft.answer is None:
                continue
            if work.held is None:
                work.hold(draft)
            score = self.score(self._reflected(work, draft))
            if score > best:
                best = score
                work.hold(draft)
        return work.held or Draft(answer=None, method=self.name, why="no passage gave an answer")

    def score(self, grades: Grades) -> float:
        """Return the score of an answer. A grade that could not be read adds nothing, as a middling one would."""
        relevant, support, utility = grades
        return (
            self.relevance * (0.5 if relevant is None else relevant)
            + self.support * (0.5 if support is None else support)
            + self.utility * (0.0 if utility is None else utility)
        )

    def _retrieves(self, work: Work) -> bool:
        """Say whether to look anything up; where that cannot be read, it is done."""
        spelled = work.means.spelled is not None
        reply = work.say(load(PROMPT), "retrieve", max_tokens=4, spelled=spelled, question=work.question)
        work.did("reflect")
        likely = chance_of_yes(reply)
        return likely is None or likely > self.retrieve_above

    def _reflected(self, work: Work, draft: Draft) -> Grades:
        reply = work.say(
            load(PROMPT),
            "grade",
            max_tokens=self.max_tokens,
            hits=work.sent,
            question=work.question,
            answer=str(draft.answer),
        )
        work.did("reflect")
        return grades(reply.text)


def grades(text: str) -> Grades:
    """Return the grades that a reply gives."""
    said = verdict(labelled(text, "RELEVANT") or "")
    carried = re.search(r"fully|partially|no\b", labelled(text, "SUPPORTED") or "", re.IGNORECASE)
    useful = _DIGIT.search(labelled(text, "USEFUL") or "")
    return Grades(
        None if said is None else float(said),
        None if carried is None else _SUPPORT[carried[0].lower()],
        None if useful is None else (int(useful[0]) - 3) / 2,
    )
