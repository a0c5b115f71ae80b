"""What a call that needs the API's renderer answers when there is none for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from app.api.problems import ProblemError
from app.api.rendering import RendererBusy, RendererStarting, RendererUnable
from app.documents.errors import PoolClosed, RendererUnavailable
from app.domain.codes import Problem

RENDERER_PROBLEMS: Final = (Problem.RENDERER_UNAVAILABLE, Problem.RENDERER_STARTING, Problem.RENDERER_BUSY)


@contextmanager
def telling_of_renderer() -> Iterator[None]:
    """Turn what the renderer raises on its own account into problems; strikes are for the caller to judge."""
    try:
        yield
    except RendererBusy:
        raise _unavailable(Problem.RENDERER_BUSY, "1") from None
    except RendererStarting:
        raise _unavailable(Problem.RENDERER_STARTING, "2") from None
    except (RendererUnable, RendererUnavailable, PoolClosed) as unable:
        raise _unavailable(Problem.RENDERER_UNAVAILABLE, "30", f"On the API's host: {unable}") from None


def _unavailable(problem: Problem, seconds: str, detail: str | None = None) -> ProblemError:
    return ProblemError(problem, detail, headers={"Retry-After": seconds})
