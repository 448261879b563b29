"""Shared and separate parameters: one small model that learns to choose passages and to answer, beside one model for each (DynamicRAG, 3.3).

    .venv-torch/bin/python experiments/dynamicrag/shared.py OUT --data DATA --stores STORES --model MODEL.gguf [--most 20] [--held 20]

The expert is the packaged `encoder` reranker, among the first six found; answers are the golden ones. Each pair of models then chooses and
answers for questions held out. What is trained and what is answered is kept in OUT: the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from remit.adapters.transformers import TransformersChat
from remit.llm.cancel import Patience
from remit.measure.compare import compared
from remit.measure.text import best, exact_match
from remit.rerank.choice_reply import NoChoice, read_choice
from remit.rerank.head import Head
from remit.rerank.listwise_prompt import messages_of
from remit.rerank.plackett_luce import greedy
from remit.retrieve.retriever import Hit
from remit.train.environment import Asked, ShortAnswers
from remit.train.generator_run import GeneratorSchedule
from remit.train.lm import Schedule, train, unpacked
from remit.train.lm_examples import answer_examples
from remit.train.recipe import material_of, read_recipe
from remit.train.reranker_run import cases_of
from remit.train.reranker_trial import Case
from remit.train.reward import f1_reward

HERE = Path(__file__).parent
SHOWN, WORDS, SENT, REPLY = 6, 40, 2, 24
ROOM, SEED = 1024, 7
SCHEDULE = Schedule(
    rate=2e-4,
    epochs=2,
    batch=1,
    accumulate=4,
    length=ROOM,
    prompt_length=960,
    lora=16,
    bf16=False,
    cpu=True,
    save_steps=10,
)


class Said(NamedTuple):
    """What a pair of models made of one question: the places it chose, whether its reply was a choice, and the answer."""

    places: tuple[int, ...]
    chose: bool
    answer: str | None


def shown(case: Case) -> tuple[Hit, ...]:
    return case.instance.candidates.hits[:SHOWN]


def expert(head: Head, case: Case) -> tuple[int, ...]:
    """Return which of the passages shown the packaged policy sends, by place, best first."""
    place = {hit.passage.id: number for number, hit in enumerate(shown(case))}
    chosen = (case.seen.ids[row] for row in greedy(head, case.seen).rows)
    return tuple(place[id] for id in chosen if id in place)[:SENT]


def choosing(case: Case, places: Sequence[int]) -> dict[str, str]:
    """Return an example of a choice under the prompt of the listwise policy."""
    turns = messages_of(case.instance.contract.claim, shown(case), WORDS)
    prompt = json.dumps([{"role": turn.role, "content": turn.text} for turn in turns], ensure_ascii=False)
    return {"prompt": prompt, "completion": ", ".join(f"[{place + 1}]" for place in places) or "None"}


def answering(case: Case, places: Sequence[int]) -> list[dict[str, str]]:
    row = {id: number for number, id in enumerate(case.seen.ids)}
    rows = [row[shown(case)[place].passage.id] for place in places]
    return answer_examples([case], {case.id: rows})


def said_of(ranker: Path, generator: Path, held: Sequence[Case], kept: Path, name: str) -> list[Said]:
    """Return what a pair makes of each question; what it made before is read."""
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    found = [Said(tuple(one["places"]), one["chose"], one["answer"]) for one in map(json.loads, lines)]
    chats = {folder: TransformersChat(folder, context=ROOM) for folder in {ranker, generator}}
    environment = ShortAnswers(chats[generator], room=ROOM)
    with kept.open("a", encoding="utf-8") as file:
        for case in tqdm(held[len(found) :], desc=name, unit="question"):
            turns = messages_of(case.instance.contract.claim, shown(case), WORDS)
            reply = chats[ranker].reply(turns, max_tokens=REPLY, temperature=0.0, patience=Patience())
            choice = read_choice(reply.text, len(shown(case)))
            chose = not isinstance(choice, NoChoice)
            places = tuple(range(SENT)) if isinstance(choice, NoChoice) else choice.places[:SENT]
            hits = tuple(shown(case)[place] for place in places)
            found.append(Said(places, chose, environment.answer(Asked(case.instance.contract, hits)).answer))
            file.write(json.dumps(found[-1]._asdict(), ensure_ascii=False) + "\n")
            file.flush()
    for chat in chats.values():
        chat.close()
    return found


def rows_of(said: dict[str, list[Said]], held: Sequence[Case]) -> list[dict[str, object]]:
    """Return the table: each pair of models, and how shared parameters differ from separate ones."""
    groups = [case.group for case in held]
    golden = [case.instance.question.golden for case in held]
    measured = {
        name: {
            "EM": [best(exact_match, one.answer or "", some) for one, some in zip(found, golden, strict=True)],
            "F1": [f1_reward(one.answer or "", some) for one, some in zip(found, golden, strict=True)],
            "passages": [float(len(one.places)) for one in found],
            "replies that choose": [float(one.chose) for one in found],
        }
        for name, found in said.items()
    }
    rows: list[dict[str, object]] = []
    for name, columns in measured.items():
        row: dict[str, object] = {"models": name, "n": len(held)}
        for measure, values in columns.items():
            row[measure] = round(sum(values) / len(values), 3)
            if measure in {"EM", "F1"} and name != "separate":
                other = measured["separate"][measure]
                row[f"{measure} over separate"] = str(compared(values, other, groups, seed=SEED).difference)
        rows.append(row)
    return rows


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("out", type=Path)
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("--stores", type=Path, required=True)
    given.add_argument("--model", type=Path, required=True)
    given.add_argument("--most", type=int, default=20)
    given.add_argument("--held", type=int, default=20)
    asked = given.parse_args()
    recipe = read_recipe(HERE / "generator.toml", "generator", GeneratorSchedule).recipe
    few = [one.model_copy(update={"most": asked.most, "held_most": asked.held}) for one in recipe.sets]
    material = material_of(recipe.model_copy(update={"sets": tuple(few)}), data=asked.data, stores=asked.stores)
    seen, held = (
        cases_of(some, material, recipe.today, asked.out / "found", lambda *_: None)
        for some in (material.questions, material.held)
    )
    head = Head.read()
    choices = [choosing(case, expert(head, case)) for case in seen]
    answers = [row for case in seen for row in answering(case, expert(head, case))]
    both = random.Random(SEED).sample([*choices, *answers], len(choices) + len(answers))  # noqa: S311 - an order, no secret
    model = unpacked(asked.model, asked.out / "model")
    made = {
        name: train("sft", model, rows, asked.out / name, SCHEDULE).folder
        for name, rows in (("ranker", choices), ("generator", answers), ("shared", both))
    }
    pairs = {
        "untrained": (model, model),
        "separate": (made["ranker"], made["generator"]),
        "shared": (made["shared"], made["shared"]),
    }
    said = {
        name: said_of(ranker, generator, held, asked.out / f"{name}.jsonl", name)
        for name, (ranker, generator) in pairs.items()
    }
    report = {
        "model": asked.model.stem,
        "examples": {"choices": len(choices), "answers": len(answers)},
        "schedule": SCHEDULE.model_dump(mode="json"),
        "table": rows_of(said, held),
    }
    (HERE / "shared.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report["table"], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
