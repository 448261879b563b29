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


def test_reembedding_is_told_and_changes_no_words(run, store):
    """--re-embed without a path goes over to the configured encoder: here it is there already; a new one serves at once."""
    assert "already" in run("ingest", "--re-embed", "--store", store).err
    (store / "remit.toml").write_text('[encoder]\nkind = "static"\n', encoding="utf-8")
    done = run("ingest", "--re-embed", "--store", store, "--json")
    assert (0, 0) == (done.code, done.json["revisions"])
    assert "static-minilm" in done.err
    assert run("search", "seal", "--store", store, *MARA, "--json").json["hits"]
    assert 2 == run("ingest", "--store", store).code
