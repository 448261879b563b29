"""Trains the span scorer on what material.py wrote down; needs torch. `python train.py FOLDER [--save FILE] [key=value ...]`.

Settings come from spans.toml beside this file. Groups are held back by the digest of their name, so that the held-back part
is the same whatever the seed. All windows of a question share one normalisation: which window, which sentence and which words
is one choice. Nothing here reads a dev file.
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
NEVER = -1e4


class Scorer(nn.Module):
    """States and features of question and window to a score for every span of the window, and one for none."""

    def __init__(self, features: int, c: dict) -> None:
        super().__init__()
        d = c["width"]
        self.states, self.features = nn.Linear(384, d), nn.Linear(features, d)
        self.norm_in = nn.LayerNorm(d)
        self.none = nn.Parameter(torch.zeros(d))
        self.layers = nn.ModuleList([Layer(d, c["heads"], c["hidden"], c["dropout"]) for _ in range(c["layers"])])
        self.start, self.end, self.no_span = nn.Linear(d, c["rank"]), nn.Linear(d, c["rank"]), nn.Linear(d, 1)
        self.start_bias, self.end_bias, self.window = nn.Linear(d, 1), nn.Linear(d, 1), nn.Linear(d, 1)
        self.length = nn.Parameter(torch.zeros(LONGEST))
        self.drop, self.drop_in = nn.Dropout(c["dropout"]), nn.Dropout(c["dropout_in"])
        self.rank = c["rank"]

    def forward(self, states: Tensor, feats: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.norm_in(self.states(self.drop_in(states)) + self.features(feats))
        x = torch.cat([self.none.expand(len(x), 1, -1), x], dim=1)
        mask = torch.cat([mask.new_ones(len(mask), 1), mask], dim=1)
        for layer in self.layers:
            x = layer(x, mask)
        whole, x = x[:, 0], self.drop(x[:, 1:])
        pairs = self.start(x) @ self.end(x).transpose(1, 2) / self.rank**0.5
        pairs = pairs + self.start_bias(x) + self.end_bias(x).transpose(1, 2) + self.window(whole)[:, :, None]
        return self.no_span(whole)[:, 0].float(), pairs.float()


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
        bias = torch.zeros(b, 1, 1, n).masked_fill(~mask[:, None, None, :], NEVER).to(q.dtype)
        a = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = self.norm1(x + self.drop(self.out(a.transpose(1, 2).reshape(b, n, d))))
        return self.norm2(x + self.drop(self.down(functional.relu(self.up(x)))))


def allowed(window: dict) -> np.ndarray:
    """Return which tokens of the window may be first and last of an answer: ends of words of one sentence."""
    text, places = window["text"], window["places"][window["second"] :]
    first = [
        not text[max(0, a - 1) : a].isalnum() and (text[a:b][:1].isalnum() or text[a:b] in "\"\u201c($£€#'\u2018`")
        for a, b in places
    ]
    last = [
        not text[b : b + 1].isalnum() and (text[a:b][-1:].isalnum() or text[a:b] in "\"\u201d)%!?'\u2019.")
        for a, b in places
    ]
    of = np.array([next((n for n, (s, e) in enumerate(window["sentences"]) if a < e and s < b), -1) for a, b in places])
    pairs = np.outer(first, last).astype(bool) & (of[:, None] == of[None, :])
    return np.triu(pairs) & ~np.triu(np.ones_like(pairs), LONGEST)


def targets(window: dict, ok: np.ndarray) -> np.ndarray:
    found = np.zeros_like(ok)
    places = window["places"][window["second"] :]
    for a, b in window["spans"]:
        inside = [k for k, (x, y) in enumerate(places) if x < b and a < y]
        if inside and inside[-1] - inside[0] < LONGEST:
            found[inside[0], inside[-1]] = True
    return found & ok


def held_back(row: dict, fold: int, folds: int = 5) -> bool:
    return int(hashlib.sha256(row["group"].encode()).hexdigest(), 16) % folds == fold


def shown(windows: list[dict], most: int) -> list[dict]:
    """Return the windows to learn from: those that hold the answer, then the most promising ones, in their order."""
    ranked = sorted(
        range(len(windows)), key=lambda n: (not (windows[n]["gold"] and windows[n]["spans"]), not windows[n]["gold"], n)
    )
    return [windows[n] for n in sorted(ranked[:most])]


class Data:
    """Questions with their windows; states and features by window."""

    def __init__(self, folder: Path, sets: list[str], most: dict[str, int]) -> None:
        self.rows: list[dict] = []
        states, feats = [], []
        for name in sets:
            self.rows += json.loads((folder / f"{name}.json").read_text())
            stored = np.load(folder / f"{name}.npz")
            states.append(stored["states"])
            feats.append(stored["features"])
        self.states, self.feats = np.concatenate(states), np.concatenate(feats)
        at = 0
        for row in self.rows:
            for window in row["windows"]:
                window["at"], at = at, at + window["size"]
            row["windows"] = shown(row["windows"], most.get(row["set"], 6))
            for window in row["windows"]:
                window["ok"] = allowed(window)
                window["aim"] = targets(window, window["ok"])

    def batch(self, ids: list[int]) -> tuple[Tensor, ...]:
        held = [(n, w) for n, i in enumerate(ids) for w in self.rows[i]["windows"]]
        most = max(w["size"] for _, w in held)
        width = max(w["size"] - w["second"] for _, w in held)
        states = np.zeros((len(held), most, 384), dtype=np.float32)
        feats = np.zeros((len(held), most, self.feats.shape[1]), dtype=np.float32)
        mask, pick = np.zeros((len(held), most), dtype=bool), np.zeros((len(held), width), dtype=np.int64)
        ok, aim = (np.zeros((len(held), width, width), dtype=bool) for _ in range(2))
        for k, (_, w) in enumerate(held):
            size, own = w["size"], w["size"] - w["second"]
            states[k, :size] = self.states[w["at"] : w["at"] + size]
            feats[k, :size] = self.feats[w["at"] : w["at"] + size]
            mask[k, :size] = True
            pick[k, :own] = np.arange(w["second"], size)
            gold = w["gold"]
            ok[k, :own, :own] = w["ok"] if gold else w["ok"] & ~w["aim"]
            aim[k, :own, :own] = w["aim"] & gold
        of = np.array([n for n, _ in held])
        return tuple(torch.from_numpy(one) for one in (states, feats, mask, pick, ok, aim, of))


def scored(model: Scorer, batch: tuple[Tensor, ...], count: int) -> tuple[Tensor, Tensor]:
    """Return log-scores of spans, shape (windows, tokens, tokens), and of none, one a question; not normalised."""
    states, feats, mask, pick, ok, _, of = batch
    none, pairs = model(states, feats, mask)
    m = pick.shape[1]
    pairs = torch.gather(pairs, 1, pick[:, :, None].expand(-1, -1, pairs.shape[2]))
    pairs = torch.gather(pairs, 2, pick[:, None, :].expand(-1, m, -1))
    far = (torch.arange(m)[None, :] - torch.arange(m)[:, None]).clamp(0, LONGEST - 1)
    pairs = (pairs + model.length[far]).masked_fill(~ok, -1e9)
    sums = torch.zeros(count).index_add(0, of, none)
    return pairs, sums / torch.zeros(count).index_add(0, of, torch.ones(len(of)))


def grouped(values: Tensor, of: Tensor, count: int) -> Tensor:
    """Return the log of the sum of the exponentials of values by question."""
    each = torch.logsumexp(values.flatten(1), dim=1)
    top = torch.full((count,), -1e9).scatter_reduce(0, of, each, "amax")
    return top + torch.log(torch.zeros(count).index_add(0, of, torch.exp(each - top[of])) + 1e-30)


def loss_of(pairs: Tensor, none: Tensor, batch: tuple[Tensor, ...], count: int) -> tuple[Tensor, Tensor]:
    aim, of = batch[5], batch[6]
    whole = torch.logaddexp(grouped(pairs, of, count), none)
    right = grouped(pairs.masked_fill(~aim, -1e9), of, count)
    has = torch.zeros(count).index_add(0, of, aim.flatten(1).any(1).float()) > 0
    return whole - torch.where(has, right, none), has


def predict(models: list[Scorer], data: Data, i: int, *, gold: bool) -> tuple[str, float, float, bool]:
    """Return the best span's text, its chance, that of none, and whether its sentence holds a golden answer."""
    row = data.rows[i]
    with torch.no_grad():
        batch = data.batch([i])
        spans, none = 0.0, 0.0
        for model in models:
            model.eval()
            pairs, against = scored(model, batch, 1)
            if gold:
                pairs = pairs.masked_fill(~torch.tensor([w["gold"] for w in row["windows"]])[:, None, None], -1e9)
            whole = torch.logaddexp(torch.logsumexp(pairs.flatten(), 0), against[0])
            spans, none = (
                spans + torch.exp(pairs - whole) / len(models),
                none + float(torch.exp(against[0] - whole)) / len(models),
            )
    j = int(spans.argmax())
    m = spans.shape[1]
    w, a, b = j // (m * m), j // m % m, j % m
    window = row["windows"][w]
    places = window["places"][window["second"] :]
    text = window["text"][places[a][0] : places[b][1]]
    sentence = next(window["text"][s:e] for s, e in window["sentences"] if s < places[b][1] and places[a][0] < e)
    held = any(answer.lower() in sentence.lower() for answer in row["golden"]) and window["gold"]
    return text, float(spans.flatten()[j]), none, held


def report(models: list[Scorer], data: Data, ids: np.ndarray) -> dict:
    table: dict[str, list] = {}
    for i in ids:
        row = data.rows[i]
        if any(w["spans"] and w["gold"] for w in row["windows"]):
            found = [predict(models, data, i, gold=gold) for gold in (True, False)]
            table.setdefault(row["set"], []).append(
                [
                    v
                    for text, _, _, held in found
                    for v in (best(exact_match, text, row["golden"]), best(token_f1, text, row["golden"]), float(held))
                ]
            )
    return {k: [*np.mean(v, 0).round(3).tolist(), len(v)] for k, v in table.items()}


def fit(data: Data, train: np.ndarray, valid: np.ndarray | None, c: dict, seed: int) -> Scorer:
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    model = Scorer(data.feats.shape[1], c)
    steps = c["epochs"] * (len(train) // c["batch"])
    opt = torch.optim.AdamW(model.parameters(), lr=c["rate"], weight_decay=c["decay"])
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, c["rate"], total_steps=steps + 1, pct_start=0.1)
    weight = torch.tensor([c["weights"].get(row["set"], 1.0) for row in data.rows])
    began, sizes = time.time(), np.array([max(w["size"] for w in row["windows"]) for row in data.rows])
    for epoch in range(c["epochs"]):
        model.train()
        order = chance.permutation(train)
        # Near lengths together: padding costs as much as text does.
        chunks = [
            sorted(order[k : k + 20 * c["batch"]], key=lambda i: sizes[i])
            for k in range(0, len(order), 20 * c["batch"])
        ]
        batches = [ch[k : k + c["batch"]] for ch in chunks for k in range(0, len(ch) - c["batch"] + 1, c["batch"])]
        total = 0.0
        for n in chance.permutation(len(batches)):
            ids = batches[n]
            batch = data.batch(ids)
            pairs, none = scored(model, batch, len(ids))
            losses, has = loss_of(pairs, none, batch, len(ids))
            w = weight[torch.tensor(np.array(ids))] * torch.where(has, 1.0, c["none_weight"])
            loss = (losses * w).sum() / w.sum()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            total += loss.item()
        shown = (
            ""
            if valid is None or (epoch % c.get("report_every", 2) != 1 and epoch + 1 < c["epochs"])
            else report([model], data, valid)
        )
        print(epoch, round(total / len(batches), 3), shown, f"{time.time() - began:.0f}s", flush=True)
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
    data = Data(o.folder, c["sets"], c["most"])
    ids = np.arange(len(data.rows))
    back = np.array([held_back(r, c["fold"]) for r in data.rows])
    train, valid = (ids, None) if o.whole else (ids[~back], ids[back])
    models = [fit(data, train, valid, c, seed) for seed in c["seeds"]]
    if valid is not None:
        print("together", json.dumps(report(models, data, valid)))
    if o.save:
        save(models, o.save)


if __name__ == "__main__":
    main()
