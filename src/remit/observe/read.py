"""Run the five probes, the citation check and the estimate, in order, into one Observation."""

from __future__ import annotations

from typing import Protocol

from remit.access.scope import Scope
from remit.answer.draft import Draft
from remit.contract.contract import Contract
from remit.corpus.document import Snapshot
from remit.observe.observation import Observation
from remit.rerank.ranking import Ranking
from remit.retrieve.retriever import Candidates


class Observer(Protocol):
    """Reads the evidence and the draft. It never decides, and never sees what lies outside the scope."""

    def read(
        self,
        contract: Contract,
        scope: Scope,
        snapshot: Snapshot,
        found: Candidates,
        ranking: Ranking,
        draft: Draft,
    ) -> Observation:
        """Return the observation; a reading that could not be taken is Unmeasured with the reason."""
