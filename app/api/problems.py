"""Errors as RFC 9457 problems: the one place where what went wrong becomes HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from app.artifacts.store import ArtifactsUnavailable
from app.database.engines import has_stood_still
from app.deadline.budget import DeadlineSpent, DependencyTimedOut
from app.deadline.current import judge
from app.deadline.outcome import Reason, Verdict
from app.domain.codes import Problem

log = structlog.get_logger()

MAX_FIELD_ERRORS = 100
"""Fields that one answer names; who mends a hundred will ask again."""
MEDIA_TYPE = "application/problem+json"

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

_BY_STATUS = {
    401: Problem.UNAUTHENTICATED,
    404: Problem.NOT_FOUND,
    405: Problem.METHOD_NOT_ALLOWED,
    413: Problem.PAYLOAD_TOO_LARGE,
    415: Problem.UNSUPPORTED_MEDIA_TYPE,
}


class ProblemError(Exception):
    """Ends a request with a problem. `extra` are members of its own, `headers` go with the answer."""

    def __init__(
        self,
        problem: Problem,
        detail: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(detail or problem.title)
        self.problem = problem
        self.detail = detail
        self.headers = headers
        self.extra = extra


def not_found() -> ProblemError:
    """The one answer for what is unknown and for what belongs to somebody else."""
    return ProblemError(Problem.NOT_FOUND)


def problem_response(
    problem: Problem,
    detail: str | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """The problem document."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "code": problem.code,
        "title": problem.title,
        "status": problem.status,
        "detail": detail or f"{problem.title}.",
        "hint": problem.hint,
        **(extra or {}),
    }
    return JSONResponse(body, problem.status, headers, MEDIA_TYPE)


def outcome_unknown(
    path: str, detail: str, *, what: str = "export", headers: Mapping[str, str] | None = None, **extra: Any
) -> JSONResponse:
    """What is true while nobody knows whether a change to what is at `path` was committed; `what` names the member."""
    return problem_response(
        Problem.OUTCOME_UNKNOWN,
        detail,
        headers={"Location": path, **(headers or {}), "Retry-After": "1"},
        extra={what: path, **extra},
    )


_BY_REASON = {
    Reason.HEADER_MALFORMED: Problem.PARAMETER_INVALID,
    Reason.DEADLINE_LOCAL: Problem.DEADLINE_LOCAL,
    Reason.DEADLINE_DOWNSTREAM: Problem.DEADLINE_DOWNSTREAM,
    Reason.DEADLINE_EXPIRED: Problem.DEADLINE_EXPIRED,
    Reason.CONCURRENCY_LIMIT: Problem.CONCURRENCY_LIMIT,
}


def verdict_response(verdict: Verdict) -> JSONResponse:
    """What the deadline room says, as a problem."""
    extra: dict[str, object] = {"boundary": verdict.boundary}
    if verdict.header is not None:
        extra = {"errors": [{"field": verdict.header, "reason": verdict.detail}]}
    if verdict.minimum is not None:
        extra["minimum_ms"] = round(verdict.minimum * 1000)
    headers = None if verdict.retry_after is None else {"Retry-After": str(verdict.retry_after)}
    detail = verdict.detail if verdict.header is None else f"`{verdict.header}`: {verdict.detail}"
    return problem_response(_BY_REASON[verdict.reason], detail, headers=headers, extra=extra)


def field_errors(errors: Sequence[Any]) -> list[dict[str, str]]:
    """Pydantic's errors as `{field, reason}`, without the input: it may hold personal data."""
    return [
        {"field": ".".join(str(part) for part in error["loc"]) or "body", "reason": str(error["msg"])}
        for error in errors[:MAX_FIELD_ERRORS]
    ]


def _methods_of(request: Request) -> list[str]:
    """The methods that the address takes: an address has a route for each, and the framework tells one's only."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]
    taken = [
        method
        for method in _METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]
    # under a mount are files, which are only read
    return taken or ["GET", "HEAD"]


def install_problem_handlers(api: FastAPI) -> None:
    """Make every error of the application, the framework's own included, a problem."""

    @api.exception_handler(ProblemError)
    async def _(_request: Request, error: ProblemError) -> Response:
        return problem_response(error.problem, error.detail, headers=error.headers, extra=error.extra)

    @api.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        problem = _BY_STATUS.get(error.status_code, Problem.INTERNAL_ERROR)
        headers = error.headers
        if problem is Problem.METHOD_NOT_ALLOWED:
            headers = {"Allow": ", ".join(_methods_of(request))}
        return problem_response(problem, headers=headers)

    @api.exception_handler(RequestValidationError)
    async def _(_request: Request, error: RequestValidationError) -> Response:
        # bodies are read by ourselves: what the framework validates are parameters and headers
        if any(found["loc"][0] == "path" for found in error.errors()):
            return problem_response(Problem.NOT_FOUND)
        return problem_response(Problem.PARAMETER_INVALID, extra={"errors": field_errors(error.errors())})

    @api.exception_handler(DeadlineSpent)
    @api.exception_handler(DependencyTimedOut)
    async def _(_request: Request, error: DeadlineSpent | DependencyTimedOut) -> Response:
        return verdict_response(judge(error))

    @api.exception_handler(InternalError)
    async def _(request: Request, error: InternalError) -> Response:
        if has_stood_still(error):
            return await unavailable(request, error)
        raise error

    @api.exception_handler(OperationalError)
    @api.exception_handler(InterfaceError)
    @api.exception_handler(PoolTimeout)
    async def unavailable(_request: Request, error: Exception) -> Response:
        log.error("database.away", error=type(error).__name__, cause=type(getattr(error, "orig", None)).__name__)
        return problem_response(Problem.DATABASE_UNAVAILABLE, headers={"Retry-After": "2"})

    @api.exception_handler(ArtifactsUnavailable)
    async def _(_request: Request, error: ArtifactsUnavailable) -> Response:
        log.error("artifacts.away", error=str(error))
        return problem_response(Problem.ARTIFACTS_UNAVAILABLE, headers={"Retry-After": "5"})

    @api.exception_handler(Exception)
    async def _(_request: Request, _error: Exception) -> Response:
        # the server logs the traceback; the caller gets nothing of it
        return problem_response(Problem.INTERNAL_ERROR)
