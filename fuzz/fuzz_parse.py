# ruff: noqa: INP001 - a plain script, no package
"""Coverage-guided fuzzing of the plan parser: any bytes, decoded in two ways, give a Plan or a PlanError.

    pip install atheris
    python fuzz/fuzz_parse.py -max_total_time=60 -dict=fuzz/plan.dict

A crash is written to a file; running with that file as the argument repeats it.
"""

import sys

import atheris

with atheris.instrument_imports(include=["remit.repair"]):
    from remit.repair.check import PlanError, check
    from remit.repair.parse import parse
    from remit.repair.plan import Plan


def one(data: bytes) -> None:
    """Parse one input; what comes out must be a value, and a plan must read back."""
    text = data[1:].decode("utf-8", "surrogateescape") if data[:1] < b"\x80" else data[1:].decode("latin-1")
    found = parse(text)
    if isinstance(found, PlanError):
        return
    if not isinstance(found, Plan) or check(found) is not None or parse(found.text) != found:
        raise AssertionError("a plan that is not one")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
