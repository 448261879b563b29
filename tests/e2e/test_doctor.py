"""`remit doctor`, as a process: what it checks, and the fix it names."""

import pytest

pytestmark = pytest.mark.e2e


def test_doctor_checks_a_store(run, store):
    """A sound installation and store end with 0; each check has a name and a state."""
    done = run("doctor", "--store", store, "--json")
    assert (0, True) == (done.code, done.json["ok"])
    told = {c["name"]: c["state"] for c in done.json["checks"]}
    named = ("python", "encoder", "settings", "store", "vectors", "policy", "record", "segments", "journal")
    assert dict.fromkeys(named, "ok") == {name: told.get(name) for name in named}


def test_doctor_finds_a_damaged_segment(run, store):
    """A byte that has changed is told with what mends it; it breaks nothing, as segments are derived."""
    [segment] = (store / "segments").glob("*.seg")
    content = bytearray(segment.read_bytes())
    content[100] ^= 1
    segment.write_bytes(content)
    done = run("doctor", "--store", store, "--json")
    told = {c["name"]: c for c in done.json["checks"]}["segments"]
    assert (0, "note", True) == (done.code, told["state"], "ingest" in told["fix"])


def test_doctor_finds_another_encoder_and_a_policy_that_cannot_decide(run, store):
    """Vectors of another encoder than the configured one, and policy files that cannot be read, end with 3 and the fix."""
    (store / "bad.cedar").write_text("permit(everything")
    (store / "other.toml").write_text('[encoder]\nkind = "static"\n[policy]\nkind = "cedar"\nfiles = ["bad.cedar"]\n')
    done = run("doctor", "--store", store, "--config", store / "other.toml", "--json")
    told = {c["name"]: c for c in done.json["checks"]}
    assert (3, "broken", "broken") == (done.code, told["vectors"]["state"], told["policy"]["state"])
    assert "--re-embed" in told["vectors"]["fix"]


def test_doctor_names_the_fix(run, store):
    """A damaged journal and a missing store each end with 3 and say what to do."""
    (store / "journal.db").write_bytes(b"no database" * 200)
    (store / "journal.db-wal").unlink(missing_ok=True)
    done = run("doctor", "--store", store)
    assert 3 == done.code
    assert "fix" in done.out
    assert 3 == run("doctor", "--store", store / "none").code
