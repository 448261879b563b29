"""The OpenAPI description, made from the table of endpoints: what is not in the table is not served."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from remit.serve.http.endpoint import Endpoint
from remit.serve.http.number import HIGHEST
from remit.serve.http.problem import MEDIA_TYPE, Problem

_PLACE: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
_ALWAYS: Final = (400, 401, 403, 404, 413, 415, 422, 429, 502, 503)
_SAYS: Final = {
    400: "The body is no JSON",
    401: "Nobody is proved by this request",
    403: "The caller may not do this",
    404: "No such thing that the caller may see",
    409: "Somebody else was first",
    413: "The request is too large",
    415: "The body has to be plain JSON",
    422: "The request cannot be used",
    429: "The caller sends too much",
    502: "A model or an engine failed",
    503: "The service cannot do this now",
}
_REF: Final = "#/components/schemas/{model}"

_EVENT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
"""What each event of a stream is, before its data are read as JSON."""


def document(endpoints: Sequence[Endpoint], *, version: str) -> dict[str, Any]:
    """Return the description of these endpoints, OpenAPI 3.1."""
    schemas, definitions = models_json_schema(list(_models(endpoints)), ref_template=_REF)
    refs: dict[type[BaseModel], dict[str, Any]] = {model: schema for (model, _), schema in schemas.items()}  # type: ignore[misc]
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        place = _PLACE.sub(lambda found: f"{{{found[1]}}}", endpoint.path)
        paths.setdefault(place, {})[endpoint.method.lower()] = _operation(endpoint, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Remit",
            "version": version,
            "description": "Questions over documents that have owners, permissions and revisions.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _models(endpoints: Iterable[Endpoint]) -> Iterable[tuple[type[BaseModel], Literal["validation", "serialization"]]]:
    bodies = {model for endpoint in endpoints for model in (endpoint.body, endpoint.query) if model is not None}
    replies = {endpoint.returns for endpoint in endpoints if endpoint.returns is not None} | {Problem}
    yield from ((model, "validation") for model in sorted(bodies, key=lambda one: one.__name__))
    yield from ((model, "serialization") for model in sorted(replies, key=lambda one: one.__name__))


def _operation(endpoint: Endpoint, refs: dict[type[BaseModel], dict[str, Any]]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.method.lower()}{re.sub(r'[^a-z]+', '_', endpoint.path)}".rstrip("_"),
        "parameters": [*_path(endpoint), *_query(endpoint)],
        "responses": {str(endpoint.status): _answer(endpoint, refs), **_problems(endpoint, refs)},
    }
    if endpoint.role is not None:
        operation["security"] = [{"bearer": []}]
        operation["description"] = f"Needs the role {' or '.join(filter(None, (endpoint.role, endpoint.or_role)))}."
    if endpoint.body is not None:
        content = {"application/json": {"schema": refs[endpoint.body]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _answer(endpoint: Endpoint, refs: dict[type[BaseModel], dict[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if endpoint.returns is not None:
        content[endpoint.media_type] = {"schema": refs[endpoint.returns]}
    elif endpoint.media_type != "application/json":
        content[endpoint.media_type] = {"schema": {"type": "string"}}
    if endpoint.streams:
        content["text/event-stream"] = {"schema": _EVENT}
    return {"description": "Done", "content": content}


def _problems(endpoint: Endpoint, refs: dict[type[BaseModel], dict[str, Any]]) -> dict[str, Any]:
    statuses = (*_ALWAYS, *endpoint.also) if endpoint.role is not None else (503,)
    content = {MEDIA_TYPE: {"schema": refs[Problem]}}
    return {str(status): {"description": _SAYS[status], "content": content} for status in sorted(statuses)}


def _path(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for name, kind in _PLACE.findall(endpoint.path):
        schema: dict[str, Any] = {"type": "string", "minLength": 1}
        if kind == "number":
            schema = {"type": "integer", "minimum": 0, "maximum": HIGHEST}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _query(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    if endpoint.query is None:
        return
    for name, schema in endpoint.query.model_json_schema()["properties"].items():
        # In a query null has no spelling: what is left out is null.
        kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
        plain = kinds[0] if kinds else {key: value for key, value in schema.items() if key != "anyOf"}
        required = endpoint.query.model_fields[name].is_required()
        yield {"name": name, "in": "query", "required": required, "schema": plain}
