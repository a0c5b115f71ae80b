"""Problems in OpenAPI: each route names the codes that it can answer with."""

from collections import defaultdict
from typing import Any

from app.api.schemas import ProblemModel
from app.domain.codes import Problem

_ANYWHERE = (
    # a deadline header, or a parameter, that cannot be read
    Problem.PARAMETER_INVALID,
    Problem.INTERNAL_ERROR,
    Problem.DATABASE_UNAVAILABLE,
    Problem.DEADLINE_EXPIRED,
    Problem.CONCURRENCY_LIMIT,
    Problem.DEADLINE_LOCAL,
    Problem.DEADLINE_DOWNSTREAM,
)
"""What any route can answer with: a bug of ours, a database that is away, a deadline that passed."""


def problems(*possible: Problem) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route, by status, with each code and what to do about it."""
    by_status: dict[int, list[Problem]] = defaultdict(list)
    for problem in dict.fromkeys((*possible, *_ANYWHERE)):
        by_status[problem.status].append(problem)
    return {
        status: {
            "model": ProblemModel,
            "description": "\n\n".join(f"`{one.code}`: {one.title}. {one.hint}" for one in found),
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemModel"}}},
        }
        for status, found in sorted(by_status.items())
    }
