"""What a form is answered once something has changed: the page to go to, or what is true while nobody knows."""

from dataclasses import dataclass
from uuid import UUID

from fastapi import Response
from fastapi.responses import RedirectResponse

from app.api.guarding import PERSONAL
from app.api.problems import outcome_unknown
from app.exports.inspect import ExportView


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """Of a new export: its page."""

    root_path: str

    def accepted(self, found: ExportView, *, is_replay: bool) -> Response:
        """Go there."""
        return RedirectResponse(f"{self.root_path}/exports/{found.job.id}", 303, PERSONAL)

    def unknown(self, job_id: UUID, key: str) -> Response:
        """It may be there."""
        return unknown(
            f"{self.root_path}/exports/{job_id}",
            "The export may have been created. Reload this page to send the form again: however often it is sent, "
            "it makes one export.",
        )


def unknown(path: str, detail: str) -> Response:
    """What is true while nobody knows whether a change was committed; `path` is where to look."""
    return outcome_unknown(path, detail, headers=PERSONAL)
