"""A training of the generator on the passages that the reranker chooses (DynamicRAG, 3.2), and what that gains."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from remit.adapters.transformers import TransformersChat
from remit.contract.value import Value
from remit.measure.bootstrap import interval
from remit.measure.compare import compared
from remit.measure.text import best, exact_match
from remit.rerank.head import Head
from remit.rerank.plackett_luce import greedy
from remit.train.bounds import Many
from remit.train.environment import Asked, Kept, ShortAnswers
from remit.train.lm import Schedule, train, unpacked
from remit.train.lm_examples import answer_examples
from remit.train.recipe import Material, Opened, material_of
from remit.train.reranker_run import cases_of
from remit.train.reranker_trial import Case
from remit.train.reward import f1_reward
from remit.train.rollout_log import write_json_lines

_TIMES, _SEED = 2000, 7
Step = Callable[[str, int, int], object]


class GeneratorSchedule(Value):
    """How a generator is trained: the model, a folder or a GGUF file to unpack; the reranker's weights, the package's unless told.

    `passages` are sent at most; `room` is the length of prompt and reply in tokens.
    """

    model: Path
    reranker: Path | None = None
    passages: Many = 3
    room: Many = 1024
    lm: Schedule = Schedule(rate=1e-5, epochs=3)


class Size(NamedTuple):
    """What a training would take: questions, steps, and seconds of one core at three seconds an example and epoch."""

    questions: int
    trajectories: int
    seconds: float


def size_of(made: Opened, material: Material, *, each: float = 8.0) -> Size:
    """Return what a training would take; `each` is the time of an example of a model of 135 million weights on one core."""
    how: GeneratorSchedule = made.schedule
    count = sum(map(len, material.questions.values()))
    held = sum(map(len, material.held.values()))
    return Size(count + held, int(count * how.lm.epochs), count * how.lm.epochs * each + 2 * held * each)


def run_generator(made: Opened, *, data: Path, stores: Path, out: Path, step: Step) -> dict[str, Any]:
    """Train a generator, save its weights, and return how it answers held-out questions beside the untrained one.

    Raises:
        MissingPrerequisite: the extra `train` is missing.
        RemitError: recipe, stores or questions cannot be used.
    """
    recipe, how = made.recipe, made.schedule
    material = material_of(recipe, data=data, stores=stores)
    seen = cases_of(material.questions, material, recipe.today, out / "found", step)
    held = cases_of(material.held, material, recipe.today, out / "found", step)
    head = Head.read(how.reranker)
    rows = answer_examples(seen, {case.id: _chosen(head, case, how) for case in seen})
    write_json_lines(out / "examples.jsonl", [dict(row) for row in rows])
    model = unpacked(how.model, out / "model") if how.model.suffix == ".gguf" else how.model
    done = train("sft", model, rows, out / "generator", how.lm)
    answered = {
        name: _answers(folder, head, held, how, out / "answers" / f"{name}.jsonl", partial(step, f"{name} answers"))
        for name, folder in (("untrained", model), ("trained", done.folder))
    }
    report = {
        "recipe": recipe.model_dump(mode="json"),
        "schedule": how.model_dump(mode="json"),
        "examples": len(rows),
        "cut": done.cut.share,
        "curve": list(done.curve),
        "table": _table(answered, held),
    }
    (out / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return report


def _chosen(head: Head, case: Case, how: GeneratorSchedule) -> tuple[int, ...]:
    return greedy(head, case.seen).rows[: how.passages]


def _answers(
    folder: Path,
    head: Head,
    held: Sequence[Case],
    how: GeneratorSchedule,
    kept: Path,
    told: Callable[[int, int], object],
) -> list[str | None]:
    chat = TransformersChat(folder, context=how.room)
    environment = Kept(ShortAnswers(chat, room=how.room), kept)
    said = []
    for number, case in enumerate(held, 1):
        by_id = {hit.passage.id: hit for hit in case.instance.candidates.hits}
        hits = tuple(by_id[case.seen.ids[row]] for row in _chosen(head, case, how))
        said.append(environment.answer(Asked(case.instance.contract, hits)).answer)
        told(number, len(held))
    chat.close()
    return said


def _table(answered: dict[str, list[str | None]], held: Sequence[Case]) -> list[dict[str, Any]]:
    groups = [case.group for case in held]
    rows = []
    for measure, of in (("em", lambda given, golden: best(exact_match, given or "", golden)), ("f1", f1_reward)):
        values = {
            name: [float(of(given, case.instance.question.golden)) for given, case in zip(said, held, strict=True)]
            for name, said in answered.items()
        }
        for name, column in values.items():
            mean = interval(lambda at, c=column: sum(c[i] for i in at) / len(at), groups, seed=_SEED, times=_TIMES)  # type: ignore[misc]
            rows.append({"measure": measure, "system": name, "n": len(held), "value": list(mean)})
        done = compared(values["trained"], values["untrained"], groups, seed=_SEED, times=_TIMES)
        rows[-1] |= {"difference": list(done.difference), "p": done.p}
    return rows
