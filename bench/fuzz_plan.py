"""Fuzzes the plan parser with atheris: bytes, pieces of plans, and good plans of both notations changed in a few places.

    python bench/fuzz_plan.py [-runs=N] [-max_len=N]

Needs `pip install atheris`. Anything but a value that leaves the parser fails. Writes how many texts were parsed, and how many of them
were plans and rejections of each kind; a kind that was not reached stands there with 0.
"""

import atexit
import json
import sys
from collections import Counter
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["remit.repair"]):
    from remit.repair.check import PlanError, Wrong, check
    from remit.repair.parse import parse
    from remit.repair.plan import Plan
    from remit.testing.plan_texts import Near, near

RESULT = Path(__file__).parent / "results" / "fuzz_plan.json"
PIECES = [
    *("RewriteQuery", "DecomposeQuery", "Retrieval", "RefineDoc", "GenerateAnswer", "question", "doc_list", "previous_pred"),
    *("final_answer = GenerateAnswer(question, doc_list)\n", "docs = Retrieval(question, 5)\n", "q = RewriteQuery(question, 'clarify')\n"),
    *("(", ")", "[", "]", ",", "=", "\n", " ", "0", "-1", "True", "10**9", "None", '"', "'", '"""', "\\", "#", ":", ".", "{", "}"),
    *("topk=", "docs=", "lambda: 0", "f'{question}'", "[d for d in doc_list]", "__class__", "*", "**", ":=", "import os", "@", ";"),
    *("\uff32etrieval", "\ud800", "\u202e", "\x00", "```python\n", "```\n", '{"steps": [', '{"name": "x", "operation": "Retrieval"', "0x" + "f" * 50),
    *("(" * 200, "not " * 200, "a" + ".a" * 200, "[" * 50, "x = y = ", "if question: ", "Sure, here is the plan:\n"),
]  # fmt: skip
EVERY = 10_000
seen: Counter[str] = Counter(dict.fromkeys(["texts", "plans", *map(str, Wrong)], 0))


def texts(raw: bytes) -> list[Near]:
    """Return what the fuzzer's bytes say: themselves as text, as numbers of pieces, and as changes of a good plan."""
    pieces = "".join(PIECES[byte % len(PIECES)] for byte in raw)
    return [Near(raw.decode("utf-8", "surrogateescape"), None), Near(pieces, None), near(raw)]


def one(raw: bytes) -> None:
    for text, budget in texts(raw):
        found = parse(text, budget)
        seen["texts"] += 1
        if isinstance(found, Plan):
            seen["plans"] += 1
            if check(found) is not None or parse(found.text) != found:
                raise AssertionError("a plan came out that the check does not accept, or that does not read back")
        elif isinstance(found, PlanError):
            seen[str(found.kind)] += 1
        else:
            raise TypeError("neither a plan nor an error came out")
        if seen["texts"] % EVERY == 0:
            kept()


def kept() -> None:
    RESULT.write_text(json.dumps(dict(seen.most_common()), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    atexit.register(kept)
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
