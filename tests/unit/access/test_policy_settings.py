"""Which policy a store is under: `[policy]` in its remit.toml, and what comes of it in the engine."""

import json

import pytest

from remit.access.principal import parse_principal
from remit.engine import Remit
from remit.errors import AccessFailed, InvalidInput
from remit.settings import PolicySettings, Settings

CEDAR = '[policy]\nkind = "cedar"\nfiles = ["policy.cedar", "labels.json"]\n'
POLICY = 'permit(principal in Group::"readers", action == Action::"read", resource == Label::"staff");'
LABELS = [{"uid": {"type": "Label", "id": "staff"}, "attrs": {}, "parents": []}]


def load(folder, text):
    """Return the settings of a text."""
    (folder / "remit.toml").write_text(text, encoding="utf-8")
    return Settings.load(folder / "remit.toml", {})


def test_groups_are_the_default(tmp_path):
    """Nothing said, and `kind = "groups"`, are the built-in policy."""
    assert PolicySettings() == load(tmp_path, "").policy == load(tmp_path, '[policy]\nkind = "groups"').policy


def test_files_lie_beside_the_settings(tmp_path):
    """Their paths are relative to the remit.toml."""
    files = (tmp_path / "policy.cedar", tmp_path / "labels.json")
    assert PolicySettings(kind="cedar", files=files) == load(tmp_path, CEDAR).policy


@pytest.mark.parametrize(
    "text",
    [
        '[policy]\nkind = "cedar"',
        '[policy]\nkind = "cedar"\nfiles = []',
        '[policy]\nkind = "groups"\nfiles = ["policy.cedar"]',
        '[policy]\nfiles = ["policy.cedar"]',
        '[policy]\nkind = "Cedar"\nfiles = ["policy.cedar"]',
        '[policy]\nkind = "none"',
        '[policy]\nkind = "cedar"\nfiles = "policy.cedar"',
        '[policy]\nkind = "groups"\nallow = true',
        '[polciy]\nkind = "cedar"',
    ],
)
def test_half_a_policy_is_refused(tmp_path, text):
    """No reading of it falls back to another policy than the one meant."""
    with pytest.raises(InvalidInput, match=r"polic|polciy"):
        load(tmp_path, text)


@pytest.fixture
def store(tmp_path):
    """Return a store under Cedar policies, with one document for staff."""
    (tmp_path / "remit.toml").write_text(CEDAR)
    (tmp_path / "policy.cedar").write_text(POLICY)
    (tmp_path / "labels.json").write_text(json.dumps(LABELS))
    document = tmp_path / "torque.md"
    document.write_text("---\nlabels: [staff]\n---\n# Torque\nTighten the bolts to 45 Nm.\n")
    with Remit.open(tmp_path / "store", make=True, config=tmp_path / "remit.toml", environ={}) as remit:
        remit.ingest([document])
    return tmp_path


def opened(folder):
    """Open the store of a folder under its settings."""
    return Remit.open(folder / "store", config=folder / "remit.toml", environ={})


@pytest.mark.integration
def test_a_store_is_searched_under_its_policy(store):
    """Who the policies permit finds the document; being in a group of the label's name is no longer enough."""
    with opened(store) as remit:
        found = {
            who: len(remit.search("bolts", principal=parse_principal(who)).hits) for who in ("a:readers", "a:staff")
        }
    assert {"a:readers": 1, "a:staff": 0} == found


@pytest.mark.integration
@pytest.mark.parametrize("content", ["permit(principal", POLICY + 'forbid(principal in Group::"x", action, resource);'])
def test_a_policy_that_is_refused_answers_nobody(store, content):
    """Searching and asking end with the file and the fix, before anything is looked for."""
    (store / "policy.cedar").write_text(content)
    with opened(store) as remit:
        for request in (remit.search, remit.ask):
            with pytest.raises(AccessFailed, match=r"policy\.cedar"):
                request("bolts", principal=parse_principal("a:readers"))
