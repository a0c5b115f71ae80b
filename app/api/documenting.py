"""Problems in OpenAPI: each route names the codes that it can answer with."""

from collections import defaultdict
from typing import Any

from app.api.schemas import ProblemModel
from app.domain.codes import Problem


def problems(*possible: Problem) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route, by status, with each code and what to do about it."""
    by_status: dict[int, list[Problem]] = defaultdict(list)
    # any route can meet a bug of ours or a database that is away
    for problem in dict.fromkeys((*possible, Problem.INTERNAL_ERROR, Problem.DATABASE_UNAVAILABLE)):
        by_status[problem.status].append(problem)
    return {
        status: {
            "model": ProblemModel,
            "description": "\n\n".join(f"`{one.code}`: {one.title}. {one.hint}" for one in found),
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemModel"}}},
        }
        for status, found in sorted(by_status.items())
    }
