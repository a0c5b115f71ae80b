"""The OpenAPI text: what FastAPI reads off the routes, and what is true of all of them."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.api.check_schemas import CheckBody
from app.api.examples import EXAMPLES, EXPORT_ID, TEXTS, problem_example
from app.api.schemas import DocumentBody, ExportBody, ProblemModel
from app.api.store_schemas import StoreChange, TemplateBody
from app.domain.codes import Problem

_SCHEMA: Final = "#/components/schemas/{model}"

_MILLISECONDS: Final = {"type": "string", "pattern": "^[0-9]{1,10}$", "examples": ["800"]}

_PARAMETERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "Grpc-Timeout": (
        "The caller's deadline from now on, as gRPC writes it: 1 to 8 digits and one of H M S m u n. "
        "Of several deadlines the smallest counts.",
        {"type": "string", "pattern": "^[0-9]{1,8}[HMSmun]$", "examples": ["800m"]},
    ),
    "Connect-Timeout-Ms": ("The same in milliseconds, as the Connect protocol writes it.", _MILLISECONDS),
    "X-Envoy-Expected-Rq-Timeout-Ms": ("The same in milliseconds, as Envoy writes it.", _MILLISECONDS),
    "X-Request-Id": (
        "Told back, and kept in the log. 1 to 64 letters, digits and `.` `_` `-`; anything else is replaced.",
        {"type": "string"},
    ),
    "traceparent": ("W3C Trace Context, kept as a link; one that is malformed is ignored.", {"type": "string"}),
}
"""Headers that any request may carry."""

_TOLD: Final[dict[str, dict[str, Any]]] = {
    "export_id": {"description": "The export's id, as the create told it.", "example": EXPORT_ID},
    "if-none-match": {
        "description": "The `ETag` of what is known already; if it still is, the answer is 304 without a body.",
        "example": '"7"',
    },
    "prefer": {
        "description": "`wait=N`: answer when there is something newer, after N seconds at the latest.",
        "example": "wait=20",
    },
    "idempotency_key": {"description": "Only the export that was created with this key."},
    "content-encoding": {"description": "How the body is packed; it may be gzip."},
}
"""By their names, parameters that many routes have and what has no place for a word of its own."""

_HEADERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "Server-Timing": (
        "In milliseconds: the whole, the budget and what is left of it, then what each dependency used.",
        {"type": "string", "examples": ["total;dur=7.9, budget;dur=800.0, left;dur=792.1, database;dur=5.2"]},
    ),
    "X-Request-Id": ("The request's id in the log.", {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}),
}
"""Headers of every answer."""


def openapi_of(api: FastAPI) -> dict[str, Any]:
    """The whole text, made once."""
    if api.openapi_schema is None:
        schema = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
        components = schema.setdefault("components", {})
        models = components.setdefault("schemas", {})
        # read or sent by hand, so not found on any route
        for model in (ExportBody, DocumentBody, CheckBody, ProblemModel, StoreChange, TemplateBody):
            models.update(_models(model))
        # the framework's own error shape is never sent
        models.pop("HTTPValidationError", None)
        models.pop("ValidationError", None)
        components["parameters"] = {
            name: {"name": name, "in": "header", "description": text, "schema": shape}
            for name, (text, shape) in _PARAMETERS.items()
        }
        components["headers"] = {
            name: {"description": text, "required": True, "schema": shape} for name, (text, shape) in _HEADERS.items()
        }
        components["examples"] = {one.code: {"summary": one.title, "value": problem_example(one)} for one in Problem}
        for name, example in EXAMPLES.items():
            models[name]["examples"] = [example]
        for path in schema["paths"].values():
            for operation in path.values():
                _complete(operation)
        api.openapi_schema = schema
    return api.openapi_schema


def _models(model: type[BaseModel]) -> dict[str, Any]:
    found = model.model_json_schema(ref_template=_SCHEMA)
    return {**found.pop("$defs", {}), model.__name__: found}


def _complete(operation: dict[str, Any]) -> None:
    own = operation.setdefault("parameters", [])
    for parameter in own:
        for field, text in _TOLD.get(parameter["name"].lower(), {}).items():
            parameter.setdefault(field, text)
    own.extend({"$ref": f"#/components/parameters/{name}"} for name in _PARAMETERS)
    media_type, example = TEXTS.get(operation["operationId"], ("", ""))
    answers = operation["responses"]
    if answers.get("422", {}).get("description") == "Validation Error":
        del answers["422"]
    for answer in answers.values():
        if media_type in answer.get("content", {}):
            answer["content"][media_type]["example"] = example
        answer.setdefault("headers", {}).update({name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS})
