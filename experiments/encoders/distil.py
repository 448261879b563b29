"""Makes the static encoder's weights: word-piece vectors of the default encoder, then fitted to its vectors of texts.

Needs torch, and the cache that `teach.py` fills. Writes the weights and what was measured on the questions kept for that.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from teach import HERE, TOKENIZER, pieces, taught
from texts import SETS, chosen, is_tuning, judged_by, lines
from tokenizers import Tokenizer

from remit.adapters.minilm import MiniLm

LEVELS, MOST_WEIGHT = 127, 65535
TOLD_EVERY = 50
UNKNOWN = 100  # the number of [UNK] in the vocabulary


class Bags(NamedTuple):
    """Texts as word pieces in one row, where each begins, and the teacher's vectors of them."""

    ids: list[torch.Tensor]
    taught: torch.Tensor

    def some(self, places: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return pieces, beginnings and taught vectors of some texts."""
        ids = [self.ids[at] for at in places]
        starts = torch.tensor([0, *np.cumsum([len(one) for one in ids])[:-1]])
        return torch.cat(ids), starts, self.taught[torch.from_numpy(places)]


def tokens(texts: list[str], longest: int) -> list[torch.Tensor]:
    """Return the word pieces of each text, as the encoder will read them."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    found = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    return [torch.tensor(one.ids or [0], dtype=torch.long) for one in found]


def axes(vectors: np.ndarray, dimension: int) -> np.ndarray:
    """Return the directions that hold most of some vectors; not centred, so that cosines are kept."""
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    return directions[:, ::-1][:, :dimension]


def begun(plan: dict[str, Any], alone: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return what fitting begins from: each piece's own vector, less their mean, weighted by how rare the piece is."""
    share = (counts + plan["unseen"]) / (counts + plan["unseen"]).sum()
    rows = alone - alone.mean(axis=0)
    rows *= (plan["sif"] / (plan["sif"] + share))[:, None]
    rows[marks()] = 0.0
    return rows


def marks() -> list[int]:
    """Return the numbers of the pieces that are no words, such as the one for an unknown sign: they say nothing."""
    names = json.loads(TOKENIZER.read_text("utf-8"))["model"]["vocab"]
    return [at for name, at in names.items() if name.startswith("[") and name.endswith("]") and len(name) > 1]


def fitted(plan: dict[str, Any], start: np.ndarray, bags: dict[str, Bags], pairs: Any, score: Any) -> np.ndarray:
    """Return the rows after fitting: texts to the teacher's vectors, likenesses to its likenesses, questions to passages."""
    torch.manual_seed(plan["seed"])
    torch.set_num_threads(1)  # the steps are small: two threads wait for each other more than they help
    chance = np.random.default_rng(plan["seed"])
    rows = torch.nn.EmbeddingBag.from_pretrained(torch.tensor(start, dtype=torch.float32), mode="sum", freeze=False)
    anchor = rows.weight.detach().clone()
    optimiser = torch.optim.Adam(rows.parameters(), lr=plan["rate"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, plan["rate"], total_steps=plan["steps"])
    asked, gold = np.array(pairs.questions), np.array(pairs.passages)
    for step in range(plan["steps"]):
        loss = torch.zeros(())
        seen: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}
        for kind, bag in bags.items():
            size = min(plan["batch"][kind], len(bag.ids))
            ids, starts, target = bag.some(chance.permutation(len(bag.ids))[:size])
            mine = torch.nn.functional.normalize(rows(ids, starts), dim=-1)
            seen[kind] = mine, target
            loss = loss + plan["copy"] * (1 - (mine * target).sum(-1)).mean()
        documents, taught_documents = seen["passages"]
        for kind in ("questions", "sentences", "titles"):
            mine, target = seen[kind]
            wanted = torch.softmax(target @ taught_documents.T / plan["heat"], dim=-1)
            got = torch.log_softmax(mine @ documents.T / plan["heat"], dim=-1)
            loss = loss + plan["rank"] * torch.nn.functional.kl_div(got, wanted, reduction="batchmean")
        if plan["gold"]:
            some = chance.permutation(len(asked))[: plan["batch"]["pairs"]]
            question = torch.nn.functional.normalize(rows(*bags["questions"].some(asked[some])[:2]), dim=-1)
            passage = torch.nn.functional.normalize(rows(*bags["passages"].some(gold[some])[:2]), dim=-1)
            likeness = question @ torch.cat((passage, documents)).T / plan["heat"]
            loss = loss + plan["gold"] * torch.nn.functional.cross_entropy(likeness, torch.arange(len(some)))
        loss = loss + plan["stay"] * (rows.weight - anchor).square().sum(-1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if (step + 1) % TOLD_EVERY == 0:
            print(step + 1, f"loss {loss.item():.3f}", score(rows.weight.detach().numpy()), flush=True)
    return rows.weight.detach().numpy()


def integers(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of 8-bit integers and a whole weight for each: their product is the row, up to one factor for all."""
    peaks = np.abs(rows).max(axis=1)
    values = np.rint(rows / np.where(peaks > 0, peaks, 1)[:, None] * LEVELS).astype(np.int8)
    return values, np.rint(peaks / peaks.max() * MOST_WEIGHT).astype(np.uint16)


class Tuning:
    """Questions kept from learning, against the passages of their set; called with rows it says nDCG@10 of each set."""

    def __init__(self, data: Path, longest: int) -> None:
        self._sets = {}
        for name in SETS:
            corpus = list(lines(data / name / "corpus.jsonl"))
            dev = judged_by(list(lines(data / name / "dev.jsonl")))
            corpus = [line for line in corpus if line["id"] not in dev]
            place = {line["id"]: at for at, line in enumerate(corpus)}
            asked = [question for question in lines(data / name / "train.jsonl") if is_tuning(question)]
            gold = [{place[id] for id in question["metadata"]["gold"] if id in place} for question in asked]
            kept = [at for at, found in enumerate(gold) if found]
            self._sets[name] = (
                tokens([line["contents"] for line in corpus], longest),
                tokens([asked[at]["question"] for at in kept], longest),
                [gold[at] for at in kept],
            )

    def __call__(self, rows: np.ndarray) -> dict[str, float]:
        table = torch.tensor(rows, dtype=torch.float32)
        return {name: round(_ndcg(table, *held), 4) for name, held in self._sets.items()}


def _ndcg(table: torch.Tensor, corpus: list[torch.Tensor], asked: list[torch.Tensor], gold: list[set[int]]) -> float:
    documents, questions = (
        torch.nn.functional.normalize(torch.stack([table[ids].sum(0) for ids in texts]), dim=-1)
        for texts in (corpus, asked)
    )
    best = (questions @ documents.T).topk(10, dim=-1).indices.tolist()
    gain = 1 / np.log2(np.arange(2, 12))
    return float(
        np.mean(
            [
                sum(gain[at] for at, found in enumerate(row) if found in want) / gain[: min(10, len(want))].sum()
                for row, want in zip(best, gold, strict=True)
            ]
        )
    )


def main() -> None:
    """Fit, quantise, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cache", type=Path, required=True)
    options.add_argument("--data", type=Path, default=HERE.parents[1] / "../shared/data")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--set", nargs="*", default=[], help="key=value over [fit], to try")
    said = options.parse_args()
    whole = tomllib.loads((HERE / "distil.toml").read_text("utf-8"))
    plan = whole["fit"] | {one.partition("=")[0]: float(one.partition("=")[2]) for one in said.set}
    plan |= {key: int(plan[key]) for key in ("steps", "dimension", "seed", "longest")}
    texts, pairs = chosen(said.data, sentences=whole["texts"]["sentences"], seed=whole["texts"]["seed"])
    teacher = MiniLm()
    vectors = {kind: taught(found.texts, said.cache, teacher=teacher, kind=kind) for kind, found in texts.items()}
    learned = np.concatenate([vectors[kind][found.learned] for kind, found in texts.items()])
    basis = axes(learned, plan["dimension"])
    print("kept of the teacher's vectors:", round(float(np.square(learned @ basis).sum(-1).mean()), 4))
    bags, places = {}, {}
    for kind, found in texts.items():
        target = vectors[kind][found.learned] @ basis
        target /= np.linalg.norm(target, axis=1, keepdims=True)
        kept = np.flatnonzero(found.learned)
        places[kind] = {int(at): new for new, at in enumerate(kept)}
        ids = tokens([found.texts[at] for at in kept], plan["longest"])
        bags[kind] = Bags(ids, torch.tensor(target, dtype=torch.float32))
    pairs = type(pairs)(
        [places["questions"][at] for at in pairs.questions], [places["passages"][at] for at in pairs.passages]
    )
    counts = np.bincount(torch.cat(bags["passages"].ids).numpy(), minlength=len(pieces()))
    alone = taught(pieces(), said.cache, teacher=teacher, kind="pieces")
    start = begun(plan, alone, counts) @ basis
    score = Tuning(said.data, plan["longest"])
    print("before fitting:", score(start), flush=True)
    values, weights = integers(fitted(plan, start, bags, pairs, score))
    weights[marks()] = 0
    weights[UNKNOWN] = 1  # an unknown sign moves nothing where anything is known
    print("in 8 bits:", score(values * weights[:, None].astype(np.float32)))
    said.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(said.out, values=values, weights=weights)
    print(said.out, said.out.stat().st_size, sha256(said.out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
