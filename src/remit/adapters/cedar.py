"""Labels by Cedar policies: who may read what is written, reviewed and tested in a language made for it.

A principal holds ``Label::"x"`` where the policies allow ``Action::"read"`` on it. The principal is ``User::"id"`` with
its attributes as texts, and its groups are ``Group::"name"`` above it. Labels are the `Label` entities of the JSON files.
What is unclear is refused (docs/adr/0011-cedar.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from remit.access.principal import Principal, clean_label
from remit.contract.value import digest_of
from remit.errors import AccessFailed, MissingPrerequisite

USER, GROUP, LABEL, ACTION = "User", "Group", "Label", "Action"
_KEPT: Final = 1024
"""Principals whose labels are kept."""

_READ: Final = (ACTION, "read")
_POLICIES, _ENTITIES = ".cedar", ".json"
_SHAPE: Final = '{"uid": {"type": "Label", "id": "staff"}, "attrs": {}, "parents": []}'

Uid = tuple[str, str]
"""The type and the id of an entity."""


class _Loaded(NamedTuple):
    policies: Any
    entities: Any
    labels: tuple[str, ...]


class CedarPolicies:
    """The labels that Cedar policies grant. Files are read once, here: `.cedar` holds policies, `.json` entities.

    Raises:
        MissingPrerequisite: cedarpy is not installed.
        AccessFailed: a file cannot be read, or leaves open what it means; the message names file and fix.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._cedar = _cedarpy()
        texts = {path: _text(path) for path in files}
        self.name = f"cedar/1 {digest_of(sorted(texts.values()))}"
        self._loaded = _load(self._cedar, texts)
        # A verdict follows from the files, read once, and from all of the principal; with n rules on n labels it takes n².
        self._held = lru_cache(maxsize=_KEPT)(self._decide)

    def labels(self, principal: Principal) -> frozenset[str]:
        """Return the declared labels that `principal` may read.

        Raises:
            AccessFailed: a policy could not be evaluated for this principal.
        """
        return self._held(principal)

    def _decide(self, principal: Principal) -> frozenset[str]:
        policies, entities, labels = self._loaded
        user = {"type": USER, "id": principal.id}
        requests = [
            {"principal": user, "action": f'{ACTION}::"read"', "resource": {"type": LABEL, "id": label}, "context": {}}
            for label in labels
        ]
        try:
            known = entities.with_added_json_str(json.dumps([_entity(principal)]))
            results = self._cedar.is_authorized_batch(requests, policies, known)
        except ValueError as error:
            raise AccessFailed(
                f"cedar cannot take this principal ({error}): mend its id, groups or attributes"
            ) from error
        # Cedar leaves out a policy that fails. Had that been a forbid, the answer would be wider than its author meant.
        if failed := [fault for result in results for fault in result.diagnostics.errors]:
            raise AccessFailed(f"{failed[0]}: test with `has` before reading an attribute that may be missing")
        return frozenset(label for label, result in zip(labels, results, strict=True) if result.allowed)


def _cedarpy() -> Any:
    try:
        return import_module("cedarpy")
    except ImportError as error:
        raise MissingPrerequisite("Cedar policies need cedarpy: pip install 'remit[cedar]'") from error


def _text(path: Path) -> str:
    if path.suffix not in {_POLICIES, _ENTITIES}:
        raise AccessFailed(f"{path} is neither policies (.cedar) nor entities (.json): rename it, or leave it out")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AccessFailed(f"{path} cannot be read ({error}): it has to be UTF-8 text that you may read") from error


def _load(cedar: Any, texts: Mapping[Path, str]) -> _Loaded:
    """Return policies, entities and labels of all files together."""
    raw = [entity for path, text in texts.items() if path.suffix == _ENTITIES for entity in _parsed(path, text)]
    declared, merged = _declared(raw), cedar.PolicySet.from_str("")
    for path, text in texts.items():
        if path.suffix == _POLICIES:
            _checked(cedar, path, text, declared)
            merged = merged.with_added_str(text)
    named = ", ".join(str(path) for path in texts) or "files = []"
    if not len(merged):
        raise AccessFailed(f"{named}: no Cedar policy, so nobody may read anything; name a .cedar file that permits")
    labels = tuple(sorted(id for kind, id in declared if kind == LABEL))
    if not labels:
        raise AccessFailed(f"{named}: no labels are declared; name a .json file with entities such as {_SHAPE}")
    for label in labels:
        if clean_label(label) != label or label in {"", "*"}:
            raise AccessFailed(f"{named}: label {label!r} is blank, a wildcard or not trimmed: no label reads so")
    try:
        entities = cedar.Entities.from_json_str(json.dumps(raw))
    except ValueError as error:
        raise AccessFailed(f"{named}: {error}; give each entity once, as {_SHAPE}") from error
    return _Loaded(merged, entities, labels)


def _parsed(path: Path, text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise AccessFailed(f"{path}: is no JSON ({error}); want a list of entities such as {_SHAPE}") from error
    faults = [_entity_fault(entity) for entity in found] if isinstance(found, list) else ["is no list"]
    if fault := next(filter(None, faults), None):
        raise AccessFailed(f"{path}: {fault}; want a list of entities such as {_SHAPE}")
    return list(found)


def _entity_fault(entity: Any) -> str | None:
    """Return what is wrong with one entity, or None."""
    if not isinstance(entity, dict) or not isinstance(entity.get("attrs"), dict):
        return "an entity is no object with uid, attrs and parents"
    uids = [entity.get("uid"), *(parents if isinstance(parents := entity.get("parents"), list) else [None])]
    for uid in uids:
        if not isinstance(uid, dict) or {*uid} != {"type", "id"} or not all(isinstance(v, str) for v in uid.values()):
            return f"{json.dumps(uid)} is no uid with a type and an id"
        if uid["type"] == USER:
            return f"User::{json.dumps(uid['id'])} stands there; who asks is told by the identity, never by a file"
    return None


def _declared(raw: Sequence[Any]) -> frozenset[Uid]:
    uids = [uid for entity in raw for uid in (entity["uid"], *entity["parents"])]
    return frozenset((uid["type"], uid["id"]) for uid in uids)


def _entity(principal: Principal) -> dict[str, object]:
    """Return the asker as Cedar sees them."""
    attributes = dict(principal.attributes)
    if len(attributes) != len(principal.attributes):
        raise AccessFailed("the principal has an attribute twice: the identity has to give each one once")
    parents = [{"type": GROUP, "id": group} for group in principal.groups if group != "*"]
    return {"uid": {"type": USER, "id": principal.id}, "attrs": attributes, "parents": parents}


def _checked(cedar: Any, path: Path, text: str, declared: frozenset[Uid]) -> None:
    """Go on where the policies of one file parse, and each says no more than what is there."""
    try:
        found = cedar.PolicySet.from_str(text).to_pst()
    except ValueError as error:
        raise AccessFailed(f"{path}: {error}; `cedar format` or the Cedar playground shows the place") from error
    if found.templates:
        raise AccessFailed(f"{path}: a template does nothing until it is linked; write its policies out")
    for key, policy in found.static_policies.items():
        uids = sorted((str(uid.type), uid.id) for uid in cedar.pst.entity_uids(policy))
        if fault := _policy_fault(policy, uids, declared):
            raise AccessFailed(f"{path}: policy {policy.annotations.get('id') or key} {fault}")


def _policy_fault(policy: Any, uids: Sequence[Uid], declared: frozenset[Uid]) -> str | None:
    """Return what is wrong with one policy, or None. A misspelt name in a forbid would forbid nothing."""
    for kind, id in uids:
        shown = f"{kind}::{json.dumps(id, ensure_ascii=False)}"
        if clean_label(id) != id:
            return f"names {shown}, which is not trimmed or not in NFC: no identity is compared so"
        if kind not in {USER, GROUP} and (kind, id) not in {*declared, _READ}:
            return f"names {shown}, which no .json file declares: declare it, or mend its spelling"
    kinds = {USER, GROUP, LABEL, *(kind for kind, _ in declared)}
    if unknown := next((kind for kind in _types(policy) if kind not in kinds), None):
        return f"tests for the type {unknown}, of which there is nothing: mend its spelling"
    if not _monotone(policy):
        return (
            "takes something away from who is in a group, so that one could read more by leaving it: "
            "permit by group, and forbid by label, user or attribute only"
        )
    return None


def _types(node: Any) -> Iterator[str]:
    """Yield the entity types that a policy tests for."""
    if hasattr(node, "entity_type"):
        yield str(node.entity_type)
    for part in _parts(node):
        yield from _types(part)


def _parts(node: Any) -> Iterator[Any]:
    """Yield what a node of a policy is made of."""
    if isinstance(node, Mapping):
        yield from node.values()
    elif isinstance(node, tuple):
        yield from node
    elif hasattr(node, "__dataclass_fields__"):
        yield from (getattr(node, field) for field in node.__dataclass_fields__)


def _monotone(policy: Any) -> bool:
    """Say whether one group more can only make a permit apply, and never a forbid."""
    grants = policy.effect == "permit"
    by_group = type(policy.principal).__name__ in {"ScopeIn", "ScopeIsIn"}
    clauses = ((clause.expr, grants == (type(clause).__name__ == "When")) for clause in policy.clauses)
    return (grants or not by_group) and all(_rises(expr, up=up) for expr, up in clauses)


def _rises(expr: Any, *, up: bool) -> bool:
    """Say whether an expression can only become true (`up`), or only false, by one group more."""
    if not _asks_for_groups(expr):
        return True
    match type(expr).__name__, getattr(expr, "op", None):
        case "UnaryOp", "not":
            return _rises(expr.arg, up=not up)
        case "BinaryOp", "and" | "or":
            return _rises(expr.left, up=up) and _rises(expr.right, up=up)
        case "BinaryOp", "in":
            return up and not _asks_for_groups(expr.left) and not _asks_for_groups(expr.right)
        case "Is", _:
            return up and not _asks_for_groups(expr.base) and not _asks_for_groups(expr.in_expr)
        case "IfThenElse", _:
            branches = _rises(expr.then_expr, up=up) and _rises(expr.else_expr, up=up)
            return not _asks_for_groups(expr.cond) and branches
        case _:
            return False


def _asks_for_groups(expr: Any) -> bool:
    """Say whether an expression can depend on groups. They are seen through `in` alone.

    Nothing above a label or an action is a user, so only those two are certainly not about the asker's groups.
    """
    inside = None
    if type(expr).__name__ == "BinaryOp" and expr.op == "in":
        inside = expr.left
    elif type(expr).__name__ == "Is" and expr.in_expr is not None:
        inside = expr.base
    about_asker = inside is not None and getattr(inside, "name", None) not in {"resource", "action"}
    return about_asker or any(_asks_for_groups(part) for part in _parts(expr))
