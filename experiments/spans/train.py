"""Trains the span scorer on what material.py wrote down; needs torch. `python train.py FOLDER [--save FILE] [key=value ...]`.

Settings come from spans.toml beside this file. Groups are held back by the digest of their name, so that the held-back part
is the same whatever the seed. Nothing here reads a dev file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
from remit.measure.text import best, exact_match, token_f1

LONGEST = 24


class Scorer(nn.Module):
    """States and features of both texts to a score for every span of the second, and one for none."""

    def __init__(self, features: int, c: dict) -> None:
        super().__init__()
        d = c["width"]
        self.states, self.features = nn.Linear(384, d), nn.Linear(features, d)
        self.norm_in = nn.LayerNorm(d)
        self.none = nn.Parameter(torch.zeros(d))
        self.layers = nn.ModuleList([Layer(d, c["heads"], c["hidden"], c["dropout"]) for _ in range(c["layers"])])
        self.start, self.end, self.no_span = nn.Linear(d, c["rank"]), nn.Linear(d, c["rank"]), nn.Linear(d, 1)
        self.start_bias, self.end_bias = nn.Linear(d, 1), nn.Linear(d, 1)
        self.length = nn.Parameter(torch.zeros(LONGEST))
        self.drop, self.drop_in = nn.Dropout(c["dropout"]), nn.Dropout(c["dropout_in"])
        self.rank = c["rank"]

    def forward(self, states: Tensor, feats: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.norm_in(self.states(self.drop_in(states)) + self.features(feats))
        x = torch.cat([self.none.expand(len(x), 1, -1), x], dim=1)
        mask = torch.cat([mask.new_ones(len(mask), 1), mask], dim=1)
        for layer in self.layers:
            x = layer(x, mask)
        none, x = self.no_span(x[:, 0]), self.drop(x[:, 1:])
        pairs = self.start(x) @ self.end(x).transpose(1, 2) / self.rank**0.5
        return none, pairs + self.start_bias(x) + self.end_bias(x).transpose(1, 2)


class Layer(nn.Module):
    def __init__(self, d: int, heads: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, hidden), nn.Linear(hidden, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.heads, self.drop = heads, nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        bias = torch.zeros(b, 1, 1, n).masked_fill(~mask[:, None, None, :], -1e9)
        a = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = self.norm1(x + self.drop(self.out(a.transpose(1, 2).reshape(b, n, d))))
        return self.norm2(x + self.drop(self.down(functional.relu(self.up(x)))))


def starts_ends(row: dict) -> tuple[list[bool], list[bool]]:
    """Return which tokens of the sentence may begin and end an answer."""
    text, places = row["sentence"], row["places"][row["second"] :]
    s = [
        not text[max(0, a - 1) : a].isalnum() and (text[a:b][:1].isalnum() or text[a:b] in "\"\u201c($£€#'\u2018`")
        for a, b in places
    ]
    e = [
        not text[b : b + 1].isalnum() and (text[a:b][-1:].isalnum() or text[a:b] in "\"\u201d)%!?'\u2019.")
        for a, b in places
    ]
    return s, e


def allowed(row: dict, n: int) -> np.ndarray:
    s, e = starts_ends(row)
    m = np.zeros((n, n), dtype=bool)
    m[: len(s), : len(s)] = np.outer(s, e)
    return np.triu(m) & ~np.triu(np.ones((n, n), dtype=bool), LONGEST)


def targets(row: dict, n: int) -> np.ndarray:
    t = np.zeros((n, n), dtype=bool)
    places = row["places"][row["second"] :]
    for a, b in row["spans"]:
        i = [k for k, (x, y) in enumerate(places) if x < b and a < y]
        if i and i[-1] - i[0] < LONGEST:
            t[i[0], i[-1]] = True
    return t


def held_back(row: dict, fold: int, folds: int = 5) -> bool:
    return int(hashlib.sha256(row["group"].encode()).hexdigest(), 16) % folds == fold


class Data:
    def __init__(self, folder: Path) -> None:
        self.rows = json.loads((folder / "pairs.json").read_text())
        stored = np.load(folder / "pairs.npz")
        self.at = np.concatenate([[0], np.cumsum(stored["lengths"])])
        self.states = stored["states"]
        self.feats = np.load(folder / "feats.npz")["features"]
        sizes = [int(self.at[i + 1] - self.at[i]) - r["second"] for i, r in enumerate(self.rows)]
        self.ok = [allowed(r, n) for r, n in zip(self.rows, sizes, strict=True)]
        self.gold = [targets(r, n) for r, n in zip(self.rows, sizes, strict=True)]

    def batch(self, ids: np.ndarray) -> list[Tensor]:
        rows = [self.rows[i] for i in ids]
        lengths = [self.at[i + 1] - self.at[i] for i in ids]
        n, m = max(lengths), max(size - r["second"] for size, r in zip(lengths, rows, strict=False))
        states, feats = (
            np.zeros((len(ids), n, 384), np.float32),
            np.zeros((len(ids), n, self.feats.shape[1]), np.float32),
        )
        mask, ok, gold = (
            np.zeros((len(ids), n), bool),
            np.zeros((len(ids), m, m), bool),
            np.zeros((len(ids), m, m), bool),
        )
        pick = np.zeros((len(ids), m), np.int64)
        for k, (i, r, long) in enumerate(zip(ids, rows, lengths, strict=False)):
            states[k, :long], feats[k, :long] = (
                self.states[self.at[i] : self.at[i + 1]],
                self.feats[self.at[i] : self.at[i + 1]],
            )
            mask[k, :long] = True
            size = len(self.ok[i])
            ok[k, :size, :size], gold[k, :size, :size] = self.ok[i], self.gold[i]
            pick[k] = np.minimum(np.arange(m) + r["second"], n - 1)
        gold &= ok
        return [torch.from_numpy(x) for x in (states, feats, mask, ok, gold, pick)]


def scored(model: Scorer, states: Tensor, feats: Tensor, mask: Tensor, ok: Tensor, pick: Tensor) -> tuple[Tensor, int]:
    none, pairs = model(states, feats, mask)
    m = pick.shape[1]
    pairs = pairs.gather(1, pick[:, :, None].expand(-1, -1, pairs.shape[2])).gather(
        2, pick[:, None, :].expand(-1, m, -1)
    )
    far = (torch.arange(m)[None, :] - torch.arange(m)[:, None]).clamp(0, LONGEST - 1)
    pairs = (pairs + model.length[far]).masked_fill(~ok, -1e9)
    return torch.log_softmax(torch.cat([none, pairs.flatten(1)], dim=1), dim=1), m


def loss_of(logp: Tensor, gold: Tensor) -> Tensor:
    whole = torch.cat([~gold.flatten(1).any(1, keepdim=True), gold.flatten(1)], dim=1)
    return -torch.logsumexp(logp.masked_fill(~whole, -1e9), dim=1)


def predict(models: list[Scorer], data: Data, ids: np.ndarray) -> list[tuple[str, float, float]]:
    """Return for each row the best span's text, the probability of none, and the probability of the best span."""
    out = []
    for model in models:
        model.eval()
    with torch.no_grad():
        for at in range(0, len(ids), 64):
            part = ids[at : at + 64]
            states, feats, mask, ok, _, pick = data.batch(part)
            logp = torch.stack([scored(model, states, feats, mask, ok, pick)[0] for model in models]).logsumexp(
                0
            ) - np.log(len(models))
            m = pick.shape[1]
            for k, i in enumerate(part):
                p = logp[k].exp()
                j = int(p[1:].argmax())
                places = data.rows[i]["places"][data.rows[i]["second"] :]
                a, b = j // m, j % m
                text = (
                    data.rows[i]["sentence"][places[a][0] : places[b][1]]
                    if b < len(places) and p[1 + j] > 0
                    else data.rows[i]["sentence"]
                )
                out.append((text, float(p[0]), float(p[1 + j])))
    return out


def report(models: list[Scorer], data: Data, ids: np.ndarray) -> dict:
    got = predict(models, data, ids)
    table = {}
    for i, (text, _none, _) in zip(ids, got, strict=False):
        r = data.rows[i]
        if r["spans"]:
            table.setdefault(r["set"], []).append(
                (best(exact_match, text, r["golden"]), best(token_f1, text, r["golden"]))
            )
    aim = np.array([not data.rows[i]["spans"] for i in ids])
    nones = np.array([g[1] for g in got])
    auc = (nones[aim][:, None] > nones[~aim][None]).mean() if aim.any() else 0
    return {k: [*np.mean(v, 0).round(3).tolist(), len(v)] for k, v in table.items()} | {
        "none_auc": round(float(auc), 3)
    }


def fit(data: Data, train: np.ndarray, valid: np.ndarray | None, c: dict, seed: int) -> Scorer:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    model = Scorer(data.feats.shape[1], c)
    steps = c["epochs"] * (len(train) // c["batch"])
    opt = torch.optim.AdamW(model.parameters(), lr=c["rate"], weight_decay=c["decay"])
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, c["rate"], total_steps=steps + 1, pct_start=0.1)
    weight = np.array(
        [
            c["weights"].get(data.rows[i]["set"], 1.0) * (1 if data.rows[i]["spans"] else c["none_weight"])
            for i in range(len(data.rows))
        ]
    )
    began = time.time()
    for epoch in range(c["epochs"]):
        model.train()
        order = chance.permutation(train)
        # Near lengths together: padding costs as much as text does.
        chunks = [
            sorted(order[k : k + 20 * c["batch"]], key=lambda i: data.at[i + 1] - data.at[i])
            for k in range(0, len(order), 20 * c["batch"])
        ]
        batches = [ch[k : k + c["batch"]] for ch in chunks for k in range(0, len(ch) - c["batch"] + 1, c["batch"])]
        total = 0.0
        for n in chance.permutation(len(batches)):
            ids = batches[n]
            states, feats, mask, ok, gold, pick = data.batch(ids)
            logp, _ = scored(model, states, feats, mask, ok, pick)
            w = torch.tensor(weight[ids], dtype=torch.float32)
            loss = (loss_of(logp, gold) * w).sum() / w.sum()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item()
        if valid is not None and (epoch % c.get("report_every", 2) == 1 or epoch + 1 == c["epochs"]):
            print(
                epoch,
                round(total / len(batches), 3),
                report([model], data, valid),
                f"{time.time() - began:.0f}s",
                flush=True,
            )
    return model


def save(models: list[Scorer], path: Path) -> None:
    arrays = {
        f"{n}.{k}": v.detach().numpy().astype(np.float16)
        for n, m in enumerate(models)
        for k, v in m.state_dict().items()
    }
    arrays |= {
        f"{n}.layers.{k}.heads": np.array(layer.heads) for n, m in enumerate(models) for k, layer in enumerate(m.layers)
    }
    np.savez_compressed(path, **arrays)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--save", type=Path)
    options.add_argument("--whole", action="store_true", help="train on the held-back part too")
    options.add_argument("changes", nargs="*")
    o = options.parse_args()
    torch.set_num_threads(1)
    c = tomllib.loads(Path(__file__).with_name("spans.toml").read_text())["train"]
    for change in o.changes:
        key, _, value = change.partition("=")
        c[key] = json.loads(value)
    data = Data(o.folder)
    ids = np.arange(len(data.rows))
    back = np.array([held_back(r, c["fold"]) for r in data.rows])
    train, valid = (ids, None) if o.whole else (ids[~back], ids[back])
    models = [fit(data, train, valid, c, seed) for seed in c["seeds"]]
    if valid is not None:
        print("together", report(models, data, valid))
    if o.save:
        save(models, o.save)


if __name__ == "__main__":
    main()
