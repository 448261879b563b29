"""The systems by name, as experiments call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

from remit.baselines.closed_book import ClosedBook
from remit.baselines.crag import Crag
from remit.baselines.dynamic_rag import DynamicRag
from remit.baselines.flare import Flare
from remit.baselines.governed import Governed
from remit.baselines.ircot import IrCot
from remit.baselines.iter_retgen import IterRetGen
from remit.baselines.kit import Kit
from remit.baselines.meta_rag import MetaRag
from remit.baselines.rag_critic import RagCritic
from remit.baselines.react import ReAct
from remit.baselines.repair import Repair
from remit.baselines.self_rag import SelfRag
from remit.baselines.self_refine import SelfRefine
from remit.baselines.system import System
from remit.baselines.vanilla import Reranked, Vanilla
from remit.errors import InvalidInput
from remit.record.setup import read_point

_RERANKER: Final = ("reranker", "most", "share", "weights", "temperature", "scorer", "threshold", "model")
_PLANNER: Final = ("planner", "weights", "judge")


def _taken(said: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: said.pop(name) for name in names if name in said}


def _reranked(kit: Kit, said: dict[str, Any]) -> System:
    return Reranked(kit.reranker(_taken(said, _RERANKER)), **said)


def _meta_rag(kit: Kit, said: dict[str, Any]) -> System:
    return MetaRag(kit.reranker(_taken(said, _RERANKER)), **said)


def _dynamic_rag(kit: Kit, said: dict[str, Any]) -> System:
    taken = _taken(said, _RERANKER)
    return DynamicRag(kit.reranker(taken), chat=taken.get("reranker") == "listwise", **said)


def _rag_critic(kit: Kit, said: dict[str, Any]) -> System:
    return RagCritic(kit.taking_executor(), **said)


def _repair(kit: Kit, said: dict[str, Any]) -> System:
    taken = _taken(said, _PLANNER)
    chat = taken.get("planner") == "prompted" or bool(taken.get("judge", False))
    return Repair(kit.planner(taken), kit.line.executor, chat=chat, **said)


def _governed(kit: Kit, said: dict[str, Any]) -> System:
    line = kit.line
    if "reranker" in said:
        line = replace(line, reranker=kit.reranker(_taken(said, _RERANKER)))
    if "planner" in said:
        line = replace(line, planner=kit.planner(_taken(said, _PLANNER)))
    if "point" in said:
        line = kit.at(line, read_point(said.pop("point")))
    return Governed(line, **said)


def _plain(kind: type[Any], said: dict[str, Any]) -> System:
    made: System = kind(**said)
    return made


class Listed(NamedTuple):
    """A system's class, how it is made where that takes more than its options, and the options beyond its own fields."""

    kind: type[Any]
    make: Callable[[Kit, dict[str, Any]], System] | None = None
    more: tuple[str, ...] = ()


SYSTEMS: Final[Mapping[str, Listed]] = {
    "no-retrieval": Listed(ClosedBook),
    "vanilla": Listed(Vanilla),
    "vanilla-reranker": Listed(Reranked, _reranked, _RERANKER),
    "self-refine": Listed(SelfRefine),
    "flare": Listed(Flare),
    "self-rag": Listed(SelfRag),
    "metarag": Listed(MetaRag, _meta_rag, _RERANKER),
    "crag": Listed(Crag),
    "rag-critic": Listed(RagCritic, _rag_critic),
    "ircot": Listed(IrCot),
    "react": Listed(ReAct),
    "iter-retgen": Listed(IterRetGen),
    "repair": Listed(Repair, _repair, _PLANNER),
    "dynamicrag": Listed(DynamicRag, _dynamic_rag, _RERANKER),
    "remit": Listed(Governed, _governed, (*_RERANKER, *_PLANNER, "point")),
}
_OURS: Final = frozenset({"reranker", "planner", "executor", "line", "chat", "paper"})
"""Fields that are made of options and not given as one."""


def options_of(name: str) -> tuple[str, ...]:
    """Return the options that a system takes.

    Raises:
        InvalidInput: there is no such system.
    """
    if name not in SYSTEMS:
        raise InvalidInput(f"{name!r} is no system; known are {', '.join(SYSTEMS)}")
    kind, _, more = SYSTEMS[name]
    return tuple(sorted({*(field.name for field in fields(kind) if field.name not in _OURS), *more}))


def system_of(name: str, said: Mapping[str, Any], kit: Kit) -> System:
    """Return a system with its options, over the parts of a store.

    Raises:
        InvalidInput: there is no such system or option, or its value cannot be used.
        MissingPrerequisite: it needs a model or weights that are not there.
    """
    known = options_of(name)
    for option in said:
        if option not in known:
            raise InvalidInput(f"{name} has no option {option!r}; known are {', '.join(known)}")
    kind, make, _ = SYSTEMS[name]
    return _plain(kind, dict(said)) if make is None else make(kit, dict(said))
