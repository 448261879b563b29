"""The words of each outcome: one plain sentence per reason that names what is missing and nothing that is hidden."""

from __future__ import annotations

from typing import Final

from remit.contract.parameters import label
from remit.decide.decision import Reason

_SENTENCES: Final[dict[Reason, str]] = {
    "supported": "Answered from the documents cited.",
    "new_plan": "Looking again with a changed plan.",
    "nothing_readable": "You may not read {missing}. Ask its owner for access.",
    "outside_scope": "A passage outside what you may read was found; nothing is answered from it.",
    "access_unmeasured": "What you may read could not be established, so nothing is answered.",
    "parameter_open": "The answer depends on the {missing}. Which one do you mean: {choices}?",
    "revision_ambiguous": "More than one revision fits: {missing}. Which one do you mean?",
    "sources_contradict": "Approved documents contradict each other on {missing}. A person has to settle it.",
    "nothing_found": "Nothing that you may read is about this question.",
    "not_relevant": "Nothing that you may read is about this question closely enough to answer from.",
    "fact_missing": "The documents that you may read do not establish: {missing}.",
    "revision_not_established": "It could not be established that the source holds now: {missing}.",
    "citation_unverified": "No quotation could be verified at its place, so no answer is given.",
    "draft_differs": "What was drafted differs from its own source ({missing}), so no answer is given.",
    "not_applicable": "What was found holds for something else than the question asks about: {missing}.",
    "reading_unmeasured": "The evidence could not be checked: {missing}.",
    "budget_exhausted": "The time or budget for this question ran out before an answer was established.",
    "changed_since": "A document changed while the question was answered. Ask again.",
    "part_failed": "A part failed while the question was answered, so nothing is answered.",
    "not_answerable_from_readable": "The question could not be answered from what you may read. Not established: {missing}.",
}


def sentence(
    reason: Reason, *, missing: tuple[str, ...] = (), choices: tuple[tuple[str, tuple[str, ...]], ...] = ()
) -> str:
    """Return the sentence for a reason, with what is missing and the choices that the asker is allowed to see."""
    named = ", ".join(label(name) if reason == "parameter_open" else name for name in missing)
    offered = "; ".join(" or ".join(values) for _, values in choices)
    return _SENTENCES[reason].format(
        missing=named or ("anything here" if reason == "nothing_readable" else "what was asked"), choices=offered
    )
