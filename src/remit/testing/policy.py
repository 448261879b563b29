"""The suite for a policy: inherit `PolicySuite`, override `policy`, and `broken` where something can break."""

from __future__ import annotations

from itertools import combinations

import pytest

from remit.access.policy import PolicyProvider, authorize
from remit.access.principal import PUBLIC, Principal, clean_label
from remit.contract.catalogue import Catalogue
from remit.errors import AccessFailed
from remit.testing.build import contract_of

NO_GROUPS = ("", " ", "*", "%", ".*", "\u200b", "nobody-has-heard-of-it", "staff,board", 'x"]', "staff' OR 1=1", "a\nb")
NAMES = ("*", "public", "root", "admin", "staff", "mara\nstaff", 'mara"', "\U0001f642", "m" * 10_000)


class PolicySuite:
    """What every policy promises: it errs on the side of no.

    `groups` are those the policy knows: by default `staff` and `board`.
    """

    @pytest.fixture
    def policy(self) -> PolicyProvider:
        """Return the policy; it grants some label to somebody in `groups`."""
        raise NotImplementedError("override the fixture `policy`: return the policy")

    @pytest.fixture
    def groups(self) -> tuple[str, ...]:
        """Return groups to which the policy grants something."""
        return ("staff", "board")

    @pytest.fixture
    def broken(self) -> PolicyProvider | None:
        """Return the policy while what it rests on fails: a file, a directory. None where there is nothing to fail."""
        return None

    def test_it_grants_something(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """A policy that grants nothing would pass all the rest."""
        assert policy.labels(_somebody(*groups)) > policy.labels(_somebody())

    def test_labels_are_a_set_of_names(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Each is a text as labels are compared: NFC, trimmed, not blank, no wildcard."""
        labels = policy.labels(_somebody(*groups, *NO_GROUPS))
        assert isinstance(labels, frozenset)
        assert [] == [label for label in labels if clean_label(label) != label or label in {"", "*"}]

    @pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
    def test_a_stranger_gets_what_is_public(self, policy: PolicyProvider, name: str) -> None:
        """A name that nobody granted anything holds no label but `public`, whatever it looks like."""
        assert policy.labels(Principal(id=name)) <= {PUBLIC}

    @pytest.mark.parametrize("group", NO_GROUPS, ids=ascii)
    def test_a_group_that_is_none_grants_nothing(
        self, policy: PolicyProvider, groups: tuple[str, ...], group: str
    ) -> None:
        """Blanks, wildcards, patterns and unknown names open no label of a group that exists."""
        assert policy.labels(_somebody(group)) & policy.labels(_somebody(*groups)) <= {PUBLIC}

    def test_what_looks_like_a_group_is_another(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Another case, a look-alike letter or an invisible one makes another group."""
        real = policy.labels(_somebody(*groups))
        twins = [twin for group in groups for twin in _twins(group) if twin not in groups]
        assert policy.labels(_somebody(*twins)) & real <= {PUBLIC}

    def test_a_group_more_never_takes_away(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Whoever is in more groups holds at least the same labels, for every set of them."""
        every = (*groups, "nobody-has-heard-of-it")
        held = [some for n in range(len(every) + 1) for some in combinations(every, n)]
        labels = {frozenset(some): policy.labels(_somebody(*some)) for some in held}
        assert all(labels[few] <= labels[many] for few in labels for many in labels if few <= many)

    def test_groups_are_a_set(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Neither order nor repetition matters, and the same question has the same answer."""
        first = policy.labels(_somebody(*groups))
        assert first == policy.labels(_somebody(*reversed(groups), *groups)) == policy.labels(_somebody(*groups))

    def test_its_name_tells_which_policy_it_is(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Traces and scopes carry the name: it is there, and asking does not change it."""
        before = policy.name
        policy.labels(_somebody(*groups))
        assert before == policy.name
        assert before.strip()

    def test_the_scope_is_what_it_grants(self, policy: PolicyProvider, groups: tuple[str, ...]) -> None:
        """Nothing is added on the way from a policy to a scope."""
        somebody = _somebody(*groups)
        scope = authorize(somebody, contract_of("Who?"), policy, Catalogue())
        assert (policy.labels(somebody), policy.name) == (scope.labels, scope.policy)

    def test_no_principal_no_scope(self, policy: PolicyProvider) -> None:
        """Whoever is not identified is not answered."""
        with pytest.raises(AccessFailed):
            authorize(None, contract_of("Who?"), policy, Catalogue())

    def test_what_breaks_opens_nothing(self, broken: PolicyProvider | None, groups: tuple[str, ...]) -> None:
        """A policy that cannot decide raises; it never answers with fewer rules, or with more labels."""
        if broken is None:
            pytest.skip("nothing can break: the fixture `broken` was not overridden")
        with pytest.raises(AccessFailed):
            authorize(_somebody(*groups), contract_of("Who?"), broken, Catalogue())


def _somebody(*groups: str) -> Principal:
    return Principal(id="someone-without-rights-of-their-own", groups=groups)


def _twins(group: str) -> tuple[str, ...]:
    cyrillic = group.translate(str.maketrans("aceopsx", "\u0430\u0441\u0435\u043e\u0440\u0455\u0445"))
    return (group.upper(), group.title(), cyrillic, f"{group}\u200b", f"\ufeff{group}", f"{group}*", f"{group}/")
