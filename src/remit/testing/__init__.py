"""Conformance suites for engines of your own: inherit one, override its fixture, and pytest says what is not kept.

Beside them stand the builders the suites use: revisions, scopes and hits from a few words, and an encoder without weights.
This is the only part of Remit that needs pytest, and nothing else imports it. `docs/conformance.md` shows a run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from remit.testing.build import EMBED as EMBED
    from remit.testing.build import amended as amended
    from remit.testing.build import fill as fill
    from remit.testing.build import new as new
    from remit.testing.build import passages as passages
    from remit.testing.build import revision as revision
    from remit.testing.build import scope_of as scope_of
    from remit.testing.chat import ChatSuite as ChatSuite
    from remit.testing.corpus import CorpusSuite as CorpusSuite
    from remit.testing.embed import EmbedSuite as EmbedSuite
    from remit.testing.judge import JudgeSuite as JudgeSuite
    from remit.testing.planner import PlannerSuite as PlannerSuite
    from remit.testing.policy import PolicySuite as PolicySuite
    from remit.testing.reranker import RerankerSuite as RerankerSuite
    from remit.testing.retriever import RetrieverSuite as RetrieverSuite
    from remit.testing.searching import Searching as Searching

_HOMES: Final = {
    "ChatSuite": "chat",
    "CorpusSuite": "corpus",
    "EMBED": "build",
    "EmbedSuite": "embed",
    "JudgeSuite": "judge",
    "PlannerSuite": "planner",
    "PolicySuite": "policy",
    "RerankerSuite": "reranker",
    "RetrieverSuite": "retriever",
    "Searching": "searching",
    "amended": "build",
    "fill": "build",
    "new": "build",
    "passages": "build",
    "revision": "build",
    "scope_of": "build",
}
_WITH_TESTS: Final = (
    "chat",
    "corpus_dates",
    "corpus_odd",
    "corpus_scope",
    "corpus_writes",
    "embed",
    "judge",
    "planner",
    "policy",
    "reranker",
    "retriever_exact",
    "retriever_scope",
)

__all__ = [
    "EMBED",
    "ChatSuite",
    "CorpusSuite",
    "EmbedSuite",
    "JudgeSuite",
    "PlannerSuite",
    "PolicySuite",
    "RerankerSuite",
    "RetrieverSuite",
    "Searching",
    "amended",
    "fill",
    "new",
    "passages",
    "revision",
    "scope_of",
]

# Before any of them is loaded: without it a failure in a suite would say AssertionError and nothing more.
pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in _WITH_TESTS))


def __getattr__(name: str) -> Any:
    """Return a public name, loading its module on first use."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"remit.testing has no public name {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)
