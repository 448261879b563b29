"""The five operations a plan may hold (RePAIR, section 3.1 and appendix). Frozen values; nothing here runs.

`Retrieval` has three keywords beyond the paper's. Each can only narrow what the scope opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Ref:
    """The result of an earlier step, or a given name; `item` picks one out of a list."""

    name: str
    item: int | None = None


Text = str | Ref
"""A question, a query or an answer, written out or by name."""

Docs = Ref | tuple["Docs", ...]
"""Passages by name. A list of lists stands for all of their passages; text written out is no passage."""


@dataclass(frozen=True, slots=True)
class RewriteQuery:
    """Clarify or expand a query. Gives a list of queries."""

    query: Text
    instruction: Literal["clarify", "expand"]


@dataclass(frozen=True, slots=True)
class DecomposeQuery:
    """Split a query into the questions it rests on. Gives a list of queries."""

    query: Text


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Search inside the scope. Gives a list of passages; for a list of queries, what each of them finds."""

    query: Text
    topk: int
    collection: str | None = None
    revision: Literal["current"] | None = None
    section: Literal["parent"] | None = None


@dataclass(frozen=True, slots=True)
class RefineDoc:
    """Explain or summarise passages in view of a query. Gives refined texts that stay linked to their passages."""

    query: Text
    doc: Docs
    instruction: Literal["explain", "summarize"]


@dataclass(frozen=True, slots=True)
class GenerateAnswer:
    """Answer a query from passages. Ends every plan."""

    query: Text
    docs: Docs
    additional_instruction: str | None = None


Operation = RewriteQuery | DecomposeQuery | Retrieval | RefineDoc | GenerateAnswer

OPERATIONS: Final[dict[str, type[Operation]]] = {
    kind.__name__: kind for kind in (RewriteQuery, DecomposeQuery, Retrieval, RefineDoc, GenerateAnswer)
}
"""The operations by the name a plan calls them."""
