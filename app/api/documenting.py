"""What the routes say of themselves in OpenAPI: the problems that each can answer with, and their headers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from app.domain.codes import Problem

Described = dict[int | str, dict[str, Any]]
"""What FastAPI takes as `responses`."""

_ANYWHERE: Final = (
    # a deadline header, or a parameter, that cannot be read
    Problem.PARAMETER_INVALID,
    Problem.INTERNAL_ERROR,
    Problem.CONCURRENCY_LIMIT,
    Problem.DEADLINE_LOCAL,
)
"""What any route can answer with: a bug of ours, too many calls at once, a deadline that passed."""

_BEHIND: Final = (Problem.DATABASE_UNAVAILABLE, Problem.DEADLINE_EXPIRED, Problem.DEADLINE_DOWNSTREAM)
"""What every route but the probes can answer with: something behind it is away or late."""

_HEADERS: Final[dict[str, dict[str, Any]]] = {
    "Accept-Ranges": {"description": "`bytes`.", "schema": {"type": "string"}},
    "Content-Disposition": {"description": "A name for the file.", "schema": {"type": "string"}},
    "Content-Range": {"description": "Which bytes of how many.", "schema": {"type": "string"}},
    "ETag": {
        "description": "To be sent as `If-None-Match`, or as `If-Match` with a change.",
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "An earlier request with this key created the export.",
        "schema": {"type": "string", "const": "true"},
    },
    "Repr-Digest": {"description": "SHA-256 of the whole file (RFC 9530).", "schema": {"type": "string"}},
    "Location": {"description": "The export, or the store; path-absolute.", "schema": {"type": "string"}},
    "Retry-After": {
        "description": "Whole seconds until asking again is useful.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "WWW-Authenticate": {"description": "`Bearer`.", "schema": {"type": "string"}},
}

_SENT_WITH: Final = {
    Problem.UNAUTHENTICATED: ("WWW-Authenticate",),
    Problem.RANGE_NOT_SATISFIABLE: ("Content-Range",),
    Problem.PRECONDITION_FAILED: ("ETag",),
    Problem.OUTCOME_UNKNOWN: ("Location", "Retry-After"),
    **dict.fromkeys(
        (
            Problem.NOT_READY,
            Problem.RENDERER_UNAVAILABLE,
            Problem.RENDERER_STARTING,
            Problem.RENDERER_BUSY,
            Problem.DATABASE_UNAVAILABLE,
            Problem.ARTIFACTS_UNAVAILABLE,
            Problem.DEADLINE_EXPIRED,
            Problem.CONCURRENCY_LIMIT,
            Problem.NOT_READY_TO_SERVE,
        ),
        ("Retry-After",),
    ),
}


def problems(*possible: Problem) -> Described:
    """The problems of a route, by status, each with its code and what to do about it."""
    return _by_status((*possible, *_ANYWHERE, *_BEHIND))


def probe_problems(*possible: Problem) -> Described:
    """The problems of a route that touches nothing."""
    return _by_status((*possible, *_ANYWHERE))


def documented(*always: str, sometimes: Sequence[str] = ()) -> dict[str, Any]:
    """The `headers` of a response: those that it has always, and those that it may have."""
    return {name: {**_HEADERS[name], "required": True} for name in always} | {
        name: _HEADERS[name] for name in sometimes
    }


def _by_status(possible: Iterable[Problem]) -> Described:
    by_status: dict[int, list[Problem]] = defaultdict(list)
    for problem in dict.fromkeys(possible):
        by_status[problem.status].append(problem)
    return {
        status: {
            "description": "\n\n".join(f"`{one.code}`: {one.title}. {one.hint}" for one in found),
            "headers": _headers_of(found),
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/ProblemModel"},
                    "examples": {one.code: {"$ref": f"#/components/examples/{one.code}"} for one in found},
                }
            },
        }
        for status, found in sorted(by_status.items())
    }


def _headers_of(found: Sequence[Problem]) -> dict[str, Any]:
    sent = [frozenset(_SENT_WITH.get(one, ())) for one in found]
    always = frozenset.intersection(*sent)
    return documented(*sorted(always), sometimes=sorted(frozenset.union(*sent) - always))
