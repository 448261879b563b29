import json

import pytest

from remit.access.policy import GroupLabels
from remit.adapters.cedar import CedarPolicies
from remit.testing import PolicySuite

POLICIES = """
permit(principal, action == Action::"read", resource == Label::"public");
permit(principal in Group::"staff", action == Action::"read", resource in Shelf::"daily");
permit(principal in Group::"board", action, resource) unless { resource.sealed };
forbid(principal, action, resource == Label::"sealed");
"""
BREAKING = 'permit(principal in Group::"staff", action, resource) when { principal.clearance == "3" };'


def entities(*labels):
    """Return entities: each label on the daily shelf, with whether it is sealed."""
    daily = [{"type": "Shelf", "id": "daily"}]
    return [
        {"uid": {"type": "Label", "id": label}, "attrs": {"sealed": label == "sealed"}, "parents": daily}
        for label in labels
    ]


class TestGroupLabels(PolicySuite):
    @pytest.fixture
    def policy(self):
        """Return the built-in policy."""
        return GroupLabels()


@pytest.mark.integration
class TestCedar(PolicySuite):
    @pytest.fixture
    def made(self, tmp_path):
        """Return a function that makes the policy from a text."""

        def make(text):
            (tmp_path / "labels.json").write_text(json.dumps(entities("public", "staff", "board", "sealed")))
            (tmp_path / "policy.cedar").write_text(text)
            return CedarPolicies([tmp_path / "policy.cedar", tmp_path / "labels.json"])

        return make

    @pytest.fixture
    def policy(self, made):
        """Return policies that permit by group and forbid by label."""
        return made(POLICIES)

    @pytest.fixture
    def broken(self, made):
        """Return policies that read an attribute which nobody has."""
        return made(POLICIES + BREAKING)
