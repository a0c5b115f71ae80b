"""What creating and retrying have in common: the key, the 202, and what to say when nothing is certain."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final, Protocol
from uuid import UUID

from fastapi import Header, Response
from sqlalchemy.ext.asyncio import AsyncSession

from app.api.documenting import documented
from app.api.presenting import export_model, export_path, retry_after
from app.api.problems import ProblemError, outcome_unknown
from app.deadline.current import stage
from app.domain.codes import Problem
from app.exports.inspect import ExportView, view
from app.exports.request import (
    ActiveExportExists,
    ExportDeleted,
    IdempotencyKeyReused,
    RendererMissing,
    SelectionEmpty,
    SelectionTooLarge,
)
from app.exports.submit import Submitted

_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")

IdempotencyKey = Annotated[
    str | None,
    Header(
        description="1 to 255 visible ASCII characters; the server makes one if none is sent.",
        json_schema_extra={"pattern": f"^{_KEY.pattern}$"},
    ),
]

ACCEPTED: Final = {
    "description": "The export is kept, and ends whatever happens here.",
    "headers": documented("Location", sometimes=("Retry-After", "Idempotent-Replayed")),
}
"""The 202, as OpenAPI tells it."""

SELECTION_REFUSALS: Final = (
    Problem.SELECTION_EMPTY,
    Problem.SELECTION_TOO_LARGE,
    Problem.RENDERER_UNAVAILABLE,
)
"""The problems of what is asked for, whether it is to be created or only looked at."""

REFUSALS: Final = (
    Problem.PARAMETER_INVALID,
    Problem.UNAUTHENTICATED,
    Problem.ACTIVE_EXPORT_EXISTS,
    Problem.EXPORT_DELETED,
    *SELECTION_REFUSALS,
    Problem.IDEMPOTENCY_KEY_REUSED,
    Problem.OUTCOME_UNKNOWN,
)
"""The problems that both can answer with."""


def key_of(sent: str | None) -> str:
    """The key that was sent, or a new one; raises the problem `parameter_invalid` for one that is malformed."""
    if sent is None:
        return secrets.token_urlsafe(16)
    if not _KEY.fullmatch(sent):
        raise ProblemError(Problem.PARAMETER_INVALID, "`Idempotency-Key` takes 1 to 255 visible ASCII characters.")
    return sent


@contextmanager
def refusals(root_path: str) -> Iterator[None]:
    """Turn what is in the way of a new export into its problem."""
    try:
        yield
    except IdempotencyKeyReused:
        raise ProblemError(Problem.IDEMPOTENCY_KEY_REUSED) from None
    except ExportDeleted:
        raise ProblemError(Problem.EXPORT_DELETED) from None
    except ActiveExportExists as active:
        href = export_path(root_path, active.job_id) if active.job_id else None
        raise ProblemError(Problem.ACTIVE_EXPORT_EXISTS, export=href) from None
    except SelectionEmpty:
        raise ProblemError(Problem.SELECTION_EMPTY) from None
    except SelectionTooLarge as large:
        raise ProblemError(
            Problem.SELECTION_TOO_LARGE, f"An export may hold at most {large.at_most} items.", max_items=large.at_most
        ) from None
    except RendererMissing:
        raise ProblemError(Problem.RENDERER_UNAVAILABLE, headers={"Retry-After": "30"}) from None


class Answers(Protocol):
    """How a new export is told to whoever asked for it: as JSON, or as a page."""

    def accepted(self, found: ExportView, *, is_replay: bool) -> Response:
        """It is kept; an earlier request may have created it."""

    def unknown(self, job_id: UUID, key: str) -> Response:
        """What is true while nobody knows whether it was committed: its id follows from the key either way."""


async def answered(tx: AsyncSession, submitted: Submitted, answers: Answers) -> Response:
    """The answer, as the last act inside the transaction: of a new job it is staged for the COMMIT."""
    job = submitted.job
    answer = answers.accepted(await tx.run_sync(view, job), is_replay=submitted.is_replay)
    if not submitted.is_replay:
        stage(unknown=answers.unknown(job.id, job.idempotency_key), done=answer)
    return answer


@dataclass(frozen=True, slots=True)
class JsonAnswers:
    """The answers of version 1."""

    root_path: str

    def accepted(self, found: ExportView, *, is_replay: bool) -> Response:
        """The 202 with the job, in whatever state a repeated request finds it."""
        model = export_model(found, self.root_path)
        headers = {"Location": model.links.self}
        if is_replay:
            headers["Idempotent-Replayed"] = "true"
        if model.state.is_active:
            headers["Retry-After"] = retry_after(model.state)
        return Response(model.model_dump_json(), 202, headers, "application/json")

    def unknown(self, job_id: UUID, key: str) -> Response:
        """The 504 that tells how to be certain."""
        return outcome_unknown(
            export_path(self.root_path, job_id),
            "The export may have been created. Send the same request with this `Idempotency-Key` again: its answer "
            "is certain. If `Location` shows the export, it was created; if it shows none, that proves nothing yet.",
            headers={"Idempotency-Key": key},
            idempotency_key=key,
        )
