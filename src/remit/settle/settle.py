"""The last verification: citations once more against the live corpus and the scope. It can only downgrade."""

from __future__ import annotations

from typing import Protocol

from remit.access.scope import Scope
from remit.answer.draft import Citation, Draft
from remit.contract.compare import in_unit
from remit.contract.contract import Contract
from remit.contract.terms import codes
from remit.contract.value import text_digest
from remit.corpus.document import Revision
from remit.corpus.store import Corpus
from remit.decide.decision import Action, Decision
from remit.observe.observation import Agreement, Coverage, Observation
from remit.settle.outcome import Outcome
from remit.settle.words import drafted, in_other_unit, sentence


class Settle(Protocol):
    """Turns a decision into what is handed out."""

    def __call__(
        self, decision: Decision, contract: Contract, scope: Scope, seen: Observation, draft: Draft
    ) -> Outcome:
        """Return the outcome; an answer whose citations no longer hold becomes a refusal."""


class Settlement:
    """The default: reads the corpus as it is now, whatever snapshot the question was answered at."""

    def __init__(self, corpus: Corpus) -> None:
        """Take the live corpus."""
        self._corpus = corpus

    def __call__(
        self, decision: Decision, contract: Contract, scope: Scope, seen: Observation, draft: Draft
    ) -> Outcome:
        """Return the outcome with its words; what the asker is shown may say less than the decision."""
        if decision.action is Action.ANSWER:
            decision = self._downgraded(decision, contract, scope, draft) or decision
        shown, closed = self._shown(decision, contract, scope, seen)
        answers = decision.action is Action.ANSWER
        choices = _choices(decision, seen)
        tongue, past = contract.reply_in, contract.wanted.historical
        said = [sentence(shown.reason, missing=shown.missing, choices=choices, language=tongue, historical=past)]
        if answers:
            said += _remarks(contract, draft)
        return Outcome(
            decision=decision,
            shown=shown,
            message=" ".join(said),
            answer=draft.answer if answers else None,
            citations=draft.citations if answers else (),
            choices=choices,
            closed=closed,
        )

    def _downgraded(self, decision: Decision, contract: Contract, scope: Scope, draft: Draft) -> Decision | None:
        """Return the refusal that an answer becomes where a citation no longer holds, or None where all do."""
        for citation in draft.citations:
            action = self._standing(citation, contract, scope)
            if action is not None:
                queue = "access_requests" if action is Action.DENY else "corpus_gaps"
                reason = "outside_scope" if action is Action.DENY else "changed_since"
                changes = {
                    "action": action,
                    "reason": reason,
                    "queue": queue,
                    "rule": 1 if action is Action.DENY else 6,
                }
                return Decision.model_validate(decision.model_dump() | changes)
        return None

    def _standing(self, citation: Citation, contract: Contract, scope: Scope) -> Action | None:
        snapshot = self._corpus.snapshot()
        there = {r.id: r for r in self._corpus.revisions(citation.document, scope, snapshot=snapshot)}
        source = there.get(citation.revision_id)
        if source is None:
            return Action.ABSTAIN if not self._corpus.named(citation.document, scope) or there else Action.DENY
        text = self._corpus.text(citation.revision_id, scope)
        quote = None if text is None else text[citation.start : citation.end]
        same = quote == citation.quote and text_digest(citation.quote) == citation.digest
        return None if same and _holds(source, contract) else Action.ABSTAIN

    def _shown(self, decision: Decision, contract: Contract, scope: Scope, seen: Observation) -> tuple[Decision, bool]:
        """Return the decision as the asker may see it, and whether the rest of the asker's view is closed.

        Whatever the contract names, the asker may know of (`corpus.known`). A code that nothing readable mentions closes the
        view: what it would show says nothing about that code, and a hidden document is such a code.
        """
        if decision.reason == "nothing_readable":
            named = [one for document in contract.documents for one in self._corpus.named(document, scope)]
            owners = {*contract.collections, *(one.collection for one in named)}
            found = [self._corpus.catalogue().find(owner) for owner in owners]
            titles = tuple(sorted(collection.title or collection.name for collection in found))
            return decision.model_copy(update={"missing": titles}), False
        unknown = _unknown_codes(contract, seen)
        if decision.action is Action.ABSTAIN and unknown:
            return _closed(decision, unknown), True
        return decision, False


def _remarks(contract: Contract, draft: Draft) -> list[str]:
    """Return what has to be said beside an answer: that it was not drafted as configured, or stands in another unit."""
    said = [drafted(draft.why, language=contract.reply_in)] if draft.why else []
    if contract.unit is not None and not in_unit(draft.answer or "", contract.unit):
        said.append(in_other_unit(contract.unit, language=contract.reply_in))
    return said


def _closed(decision: Decision, named: tuple[str, ...]) -> Decision:
    changes = {
        "action": Action.ABSTAIN,
        "reason": "not_answerable_from_readable",
        "missing": tuple(sorted(name.upper() for name in named)),
        "queue": None,
        "rule": 6,
    }
    return Decision.model_validate(decision.model_dump() | changes)


def _unknown_codes(contract: Contract, seen: Observation) -> tuple[str, ...]:
    """Return the codes of the question that no readable evidence names."""
    if not isinstance(seen.coverage, Coverage):
        return ()
    named = set(codes(contract.question))
    return tuple(fact.fact for fact in seen.coverage.facts if fact.fact in named and fact.support == 0.0)


def _holds(source: Revision, contract: Contract) -> bool:
    at = contract.wanted.at
    if contract.wanted.named == source.revision:
        return source.status not in {"draft", "withdrawn"}
    started = source.valid_from is None or source.valid_from <= at
    ended = source.valid_to is not None and source.valid_to <= at
    return started and not ended and source.status not in {"draft", "withdrawn"}


def _choices(decision: Decision, seen: Observation) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if decision.reason != "parameter_open" or not isinstance(seen.agreement, Agreement):
        return ()
    return tuple((opened.key, opened.values) for opened in seen.agreement.open_parameters)
