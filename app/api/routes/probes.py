"""Probes: whether the process lives, and whether it should get traffic."""

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from app.api.documenting import probe_problems
from app.api.problems import problem_response
from app.domain.codes import Problem

router = APIRouter(tags=["probes"])


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"]


@router.get("/livez", summary="Is the process alive?", response_model=Health, responses=probe_problems())
async def livez() -> dict[str, str]:
    """Touches nothing: it answers as long as the process can answer."""
    return {"status": "ok"}


@router.get(
    "/readyz",
    summary="Should this process get traffic?",
    response_model=Health,
    responses=probe_problems(Problem.NOT_READY_TO_SERVE),
)
async def readyz(request: Request) -> Response:
    """The verdict of the background check; never slow, never about Redis or load."""
    reason = request.app.state.readiness.reason
    if reason is None:
        return JSONResponse({"status": "ok"})
    return problem_response(Problem.NOT_READY_TO_SERVE, reason, headers={"Retry-After": "5"}, extra={"reason": reason})
