"""Which planner a line has, picked from its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remit.adapters.table import adapter
from remit.decide.point import OperatingPoint
from remit.errors import MissingPrerequisite
from remit.llm.chat import Chat
from remit.repair.encoder import EncoderPlanner
from remit.repair.governed import GovernedPlanner
from remit.repair.judge import Judge, JudgedPlanner
from remit.repair.lm import LmPlanner
from remit.repair.ops import Operation
from remit.repair.planner import NO_PLANNER, Planner
from remit.repair.prompted import PromptedPlanner
from remit.repair.template import TemplatePlanner
from remit.settings import PlannerSettings

_MODEL: Final = "set [chat] in the store's remit.toml, or REMIT_CHAT_URL and REMIT_CHAT_MODEL, or REMIT_CHAT_GGUF"


def planner_of(
    said: PlannerSettings,
    point: OperatingPoint,
    *,
    chat: Callable[[], Chat | None],
    paid: frozenset[type[Operation]],
) -> Planner:
    """Return the planner that settings name. `chat` gives the configured model; `paid` operations cost a call of it.

    Raises:
        MissingPrerequisite: it needs a chat model, and none is configured.
        InvalidInput: its weights cannot be used.
    """
    made = _planner(said, point, chat, paid)
    if not said.judge or made is NO_PLANNER:
        return made
    return JudgedPlanner(made, Judge(_needed(chat, "the judge")))


def _planner(
    said: PlannerSettings, point: OperatingPoint, chat: Callable[[], Chat | None], paid: frozenset[type[Operation]]
) -> Planner:
    match said.policy:
        case "template":
            return TemplatePlanner(point)
        case "cascade":
            trained = EncoderPlanner(said.weights, paid=paid)
            return GovernedPlanner(trained, point, rest=TemplatePlanner(point))
        case "encoder":
            return GovernedPlanner(EncoderPlanner(said.weights, paid=paid), point)
        case "prompted":
            return PromptedPlanner(_needed(chat, "the prompted planner"), paid=paid)
        case "lm":
            return _lm(said.weights, paid)
        case "none":
            return NO_PLANNER


def _lm(folder: Path | None, paid: frozenset[type[Operation]]) -> LmPlanner:
    if folder is None or not folder.is_dir():
        raise MissingPrerequisite("the lm planner needs the folder of a language model: set planner.weights")
    return LmPlanner(adapter("causal")(folder), paid=paid)


def _needed(chat: Callable[[], Chat | None], who: str) -> Chat:
    model = chat()
    if model is None:
        raise MissingPrerequisite(f"{who} needs a chat model: {_MODEL}")
    return model
