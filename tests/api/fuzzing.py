"""Schemathesis over our OpenAPI: requests that it allows and requests that it forbids, and every check of theirs.

Three things are true that no schema can say, and are told here: a request may be refused for what it means,
a deadline may be too short for anything else, and 503 and 504 are answers.
"""

import io
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import schemathesis
from hypothesis import strategies
from PIL import Image
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events
from schemathesis.openapi.checks import (
    IgnoredAuth,
    MissingHeaderNotRejected,
    RejectedPositiveData,
    UnsupportedMethodResponse,
)
from starlette.types import ASGIApp

_REFUSED_FOR_WHAT_IT_MEANS: Final = {
    "cursor_invalid",
    "document_not_owed",
    "idempotency_key_reused",
    "precondition_failed",
    "selection_empty",
}
_SETTINGS: Final = (
    "name",
    "address",
    "tax_ids",
    "bank_lines",
    "footer",
    "accent",
    "locale",
    "time_zone",
    "number_keys",
    "country",
    "vat_keys",
    "unit_keys",
    "untaxed",
)
_FIELDS_WITH_A_MEANING: Final = {
    "filename_pattern",
    "refund_id",
    "sort",
    "selection.created",
    "selection.created.from",
    "selection.created.to",
    "selection.created.time_zone",
    *_SETTINGS,
    *("template", "style"),
    *(f"settings.{name}" for name in _SETTINGS),
}
_TOO_LATE: Final = {"deadline_local", "deadline_downstream", "deadline_expired"}

_DEADLINES: Final = {"Grpc-Timeout", "Connect-Timeout-Ms", "X-Envoy-Expected-Rq-Timeout-Ms"}

_PICTURES: Final = {"image/png": "PNG", "image/jpeg": "JPEG"}
"""What an upload of a logo takes, by the name that Pillow knows it by."""


@dataclass
class Findings:
    """What came of it."""

    failures: list[str] = field(default_factory=list)
    statuses: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Those that each operation was seen to answer with."""
    hurried: set[str] = field(default_factory=set)
    """The operations that were asked with a deadline of the caller's."""

    def note(self, event: events.ScenarioFinished) -> None:
        """Take over what one group of requests has shown."""
        for case_id, node in event.recorder.cases.items():
            if _DEADLINES & set(node.value.headers or ()):
                self.hurried.add(node.value.operation.label)
            interaction = event.recorder.interactions.get(case_id)
            response = interaction.response if interaction is not None else None
            if response is not None:
                self.statuses[node.value.operation.label].add(response.status_code)
            for check in event.recorder.checks.get(case_id, ()):
                if check.status is not Status.SUCCESS and check.failure_info is not None:
                    told = response.text[:500] if response is not None else "no answer"
                    found = check.failure_info
                    self.failures.append(f"{check.name}: {found.failure.message}\n{found.code_sample}\n{told}")


def fuzz(
    app: ASGIApp, openapi: dict[str, Any], *, token: str, examples: int, has_deadlines: Callable[[str], bool]
) -> Findings:
    """Send every operation what covers its schema, that many random requests, and random sequences of calls.

    `has_deadlines` says by its id whether an operation is sent what any request may carry, too.
    """
    for path in openapi["paths"].values():
        for operation in path.values():
            if not has_deadlines(operation["operationId"]):
                operation["parameters"] = [one for one in operation["parameters"] if "$ref" not in one]
    for media_type, name in _PICTURES.items():
        picture = io.BytesIO()
        Image.new("L", (2, 2)).save(picture, name)
        schemathesis.openapi.media_type(media_type, strategies.just(picture.getvalue()))
    schema = schemathesis.openapi.from_dict(openapi, config=_config(token, examples))
    schema.app = app
    schema.hook(filter_failure)
    findings = Findings()
    for event in engine.from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                findings.note(event)
            case events.NonFatalError():
                findings.failures.append(f"{event.label}: {event.value!r}")
            case events.FatalError():
                raise event.exception
    return findings


def _config(token: str, examples: int) -> SchemathesisConfig:
    answers = ["2xx", "3xx", "4xx", "503", "504"]
    accepted = ["2xx", "3xx", "401", "403", "404", "409", "503", "504"]
    return SchemathesisConfig.from_dict(
        {
            "seed": 1,
            "headers": {"Authorization": f"Bearer {token}"},
            "generation": {"max-examples": examples, "deterministic": True, "no-shrink": True},
            "continue-on-failure": True,
            "analysis": {"constants": {"enabled": False}},
            "checks": {
                "not_a_server_error": {"expected-statuses": answers},
                "positive_data_acceptance": {"expected-statuses": accepted},
            },
        }
    )


def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Whether it is a failure."""
    problem = _problem(response)
    match failure:
        case IgnoredAuth() | MissingHeaderNotRejected() | UnsupportedMethodResponse():
            return problem.get("code") not in _TOO_LATE
        case RejectedPositiveData():
            return not _has_a_reason(problem, case.headers or {})
        case _:
            return True


def _has_a_reason(problem: dict[str, Any], headers: dict[str, str]) -> bool:
    """Whether a request that the schema allows was refused for something that the schema cannot say."""
    match problem:
        case {"code": "invalid_request", "errors": errors}:
            return {error["field"] for error in errors} <= _FIELDS_WITH_A_MEANING
        case {"code": "parameter_invalid", "detail": str(detail)}:
            return detail.startswith("`Range`")
        case {"code": "upload_broken"}:
            # the body is no gzip, whatever the header says
            return "gzip" in headers.get("Content-Encoding", "")
        case _:
            return problem.get("code") in _REFUSED_FOR_WHAT_IT_MEANS


def _problem(response: Any) -> dict[str, Any]:
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
