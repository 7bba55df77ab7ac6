"""The interface's description in OpenAPI 3.1, made from the operations themselves."""

from __future__ import annotations

from typing import Any

from allonym import __version__
from allonym.web import api, letters, suggesting, table_pages
from allonym.web.api import PREFIX, Operation

OPERATIONS = (*api.OPERATIONS, *suggesting.OPERATIONS, *table_pages.OPERATIONS, *letters.OPERATIONS)

_ERRORS = {
    "400": "The request cannot be read.",
    "401": "The browser has not opened the page.",
    "403": "The request comes from another page.",
    "409": "What was asked for cannot be done as things stand.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "422": "A field has a value it must not have.",
    "503": "Too much is being computed; try again later.",
}


def description() -> dict[str, Any]:
    """Return the whole description."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(f"{PREFIX}{operation.path}", {})[operation.method.lower()] = _described(operation)
    paths[table_pages.UPLOAD]["post"] = _upload("Take a table", ("state", "name", "columns", "rows"))
    paths[letters.UPLOAD] = {"post": _upload("Read a document", ("text", "note"))}
    return {
        "openapi": "3.1.0",
        "info": {"title": "allonym, the local page", "version": __version__},
        "paths": paths,
        "components": {"schemas": {"Error": _error()}},
    }


def _described(operation: Operation) -> dict[str, Any]:
    described = _answered(operation.summary, operation.answers)
    if operation.waits:
        running = {"type": "object", "required": ["running"]}
        described["responses"]["202"] = {
            "description": "It goes on.", "content": {"application/json": {"schema": running}}
        }  # fmt: skip
    if operation.body is not None:
        content = {"application/json": {"schema": operation.body.schema()}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _upload(summary: str, answers: tuple[str, ...]) -> dict[str, Any]:
    """Return an operation that takes a form with a file."""
    file = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
    taken = _answered(summary, answers)
    taken["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": file}}}
    return taken


def _answered(summary: str, answers: tuple[str, ...]) -> dict[str, Any]:
    """Return a description with what is answered, and every error."""
    answer = {"type": "object", "required": list(answers)}
    responses: dict[str, Any] = {"200": {"description": "Done.", "content": {"application/json": {"schema": answer}}}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    responses |= {status: {"description": words, "content": error} for status, words in _ERRORS.items()}
    return {"summary": summary, "responses": responses}


def _error() -> dict[str, Any]:
    parts = {name: {"type": "string"} for name in ("happened", "kept", "next")}
    inner = {"type": "object", "properties": parts, "required": list(parts)}
    return {"type": "object", "properties": {"error": inner}, "required": ["error"]}
