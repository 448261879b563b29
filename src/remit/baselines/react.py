"""ReAct (Yao et al., 2023): a thought, then an action: search, or finish.

Faithful: thought, action and observation in turn, five steps at most, two acts. Emulated: the published acts on single Wikipedia pages (lookup) have no counterpart
in a search over passages; an observation shows the first passages found. The answer comes from the common answer prompt over what was observed; where
it finishes without a search, its own words are the answer and rest on nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remit.answer.draft import Draft
from remit.baselines.prompts import load
from remit.baselines.system import Need
from remit.baselines.work import Work, once
from remit.retrieve.retriever import Hit

PROMPT: Final = "react.txt"
ACTION: Final = re.compile(r"\b(?P<act>search|finish)\s*\[(?P<what>[^\]\n]*)\]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReAct:
    """Reasons and acts in turn."""

    steps: int = 5
    k: int = 3
    max_tokens: int = 80
    shown: int = 400
    paper: str = "Yao et al. (2023), ReAct: Synergizing Reasoning and Acting in Language Models"

    @property
    def name(self) -> str:
        """Its name with its steps."""
        return f"react steps={self.steps}"

    @property
    def needs(self) -> frozenset[Need]:
        """A model."""
        return frozenset({Need.CHAT})

    def answer(self, work: Work) -> Draft:
        """Return the draft from what was observed."""
        seen: tuple[Hit, ...] = ()
        history: list[str] = []
        for _ in range(self.steps):
            reply = work.say(
                load(PROMPT),
                max_tokens=self.max_tokens,
                question=work.question,
                history="\n".join(history) or "(nothing yet)",
            )
            work.did("think")
            act = ACTION.search(reply.text)
            if act is None or not act["what"].strip():
                history.append("Observation: that was no action. Reply with Search[...] or Finish[...].")
                continue
            if act["act"].lower() == "finish":
                return work.draft(seen) if seen else unsupported(act["what"].strip())
            found = work.search(act["what"].strip(), self.k)
            seen = once((*found, *seen))
            history.append(f"{' '.join(reply.text[: act.end()].split())}\nObservation: {self._observed(found)}")
        return work.draft(seen)

    def _observed(self, hits: tuple[Hit, ...]) -> str:
        told = [f"{hit.source.title}: {hit.passage.text[: self.shown]}" for hit in hits]
        return " | ".join(" ".join(one.split()) for one in told) or "nothing was found"


def unsupported(answer: str) -> Draft:
    """Return an answer that rests on no passage."""
    return Draft(answer=answer, method="react/1", why="finished without a search")
