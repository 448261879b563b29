"""From a principal and a contract to a Scope: the one function that makes one."""

from __future__ import annotations

from typing import Protocol

from remit.access.principal import Principal, clean_label
from remit.access.scope import Scope, labels_of
from remit.contract.catalogue import Catalogue
from remit.contract.contract import Contract
from remit.errors import AccessFailed


class PolicyProvider(Protocol):
    """Says which labels a principal holds. Any error it raises ends as a deny."""

    name: str

    def labels(self, principal: Principal) -> frozenset[str]:
        """Return the labels that `principal` may read; an empty set where there are none."""


class GroupLabels:
    """The built-in policy: a principal holds its groups and `public`."""

    name = "group-labels/1"

    def labels(self, principal: Principal) -> frozenset[str]:
        """Return the principal's groups and `public`."""
        return labels_of(principal)


def authorize(principal: Principal | None, contract: Contract, policy: PolicyProvider, catalogue: Catalogue) -> Scope:
    """Return the scope of `principal` for `contract`: what the policy grants, narrowed to the collections it names.

    They bring their approved expansions along: a corrective search may widen to those only. Documents that the contract
    names narrow the first search and not the scope, so that a reference from one to another can be followed.

    Raises:
        AccessFailed: there is no principal or the policy failed; the line ends as a deny.
    """
    if principal is None:
        raise AccessFailed("no principal, no answer: say who asks")
    try:
        labels = granted(policy.labels(principal))
    except AccessFailed:  # it names its own fix
        raise
    except Exception as error:
        raise AccessFailed(f"policy {policy.name} came to no verdict ({type(error).__name__})") from error
    return Scope(
        principal=principal.id,
        labels=labels,
        collections=(frozenset(contract.collections) | catalogue.expansions(contract.collections)) or None,
        policy=policy.name,
    )


def standing(principal: Principal | None, policy: PolicyProvider) -> Scope:
    """Return all that a principal may read, whatever is asked: nothing for nobody, and nothing where the policy fails.

    For what comes before the line, such as framing a question; the line itself authorizes, and denies where that fails.
    """
    nothing = Scope(principal=principal.id if principal else "", labels=frozenset(), policy=policy.name)
    if principal is None:
        return nothing
    try:
        return nothing.model_copy(update={"labels": granted(policy.labels(principal))})
    except Exception:  # noqa: BLE001 - whatever broke in the policy, nothing is known to this principal
        return nothing


def granted(labels: object) -> frozenset[str]:
    """Return the labels of a verdict as stores compare them, without blanks and wildcards.

    Raises:
        TypeError: it is no set of texts. Read as one, a text would grant each of its letters.
    """
    if not isinstance(labels, frozenset | set) or not all(isinstance(label, str) for label in labels):
        raise TypeError("a policy gives a set of labels")
    return frozenset(label for label in map(clean_label, labels) if label not in {"", "*"})
