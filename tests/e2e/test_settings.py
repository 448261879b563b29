"""Settings that cannot be used, as processes: the file, the line and the field are named."""

import json

import pytest

pytestmark = pytest.mark.e2e

MARA = ("--as", "mara:maintenance")


def test_settings_that_are_wrong_are_named(run, store):
    """A remit.toml with an unknown key ends with 5 and names file, line and field."""
    (store / "remit.toml").write_text("[limits]\nrounds = 2\nsecnds = 3\n", encoding="utf-8")
    done = run("ask", "q", "--store", store, *MARA, "--json")
    assert 5 == done.code
    assert (3, "limits.secnds") == tuple(json.loads(done.err)["faults"][0][key] for key in ("line", "field"))


def test_a_config_that_is_not_there_ends_with_4(run, store):
    """--config names a file that must exist."""
    assert 4 == run("ask", "q", "--store", store, *MARA, "--config", store / "none.toml").code
