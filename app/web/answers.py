"""What a form is answered once something has changed: the page to go to, or what is true while nobody knows."""

from dataclasses import dataclass
from uuid import UUID

from fastapi import Response
from fastapi.responses import RedirectResponse

from app.api.guarding import PERSONAL
from app.api.problems import outcome_unknown
from app.exports.inspect import ExportView
from app.web.console import Console


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """Of a new export: its page."""

    console: Console

    def accepted(self, found: ExportView, *, is_replay: bool) -> Response:
        """Go there."""
        return RedirectResponse(f"{self.console.root_path}/exports/{found.job.id}", 303, PERSONAL)

    def unknown(self, job_id: UUID, key: str) -> Response:
        """It may be there."""
        return unknown(self.console, f"/exports/{job_id}", "unknown.created")


def unknown(console: Console, path: str, key: str) -> Response:
    """What is true while nobody knows whether a change was committed; `path`, behind the root, is where to look."""
    return outcome_unknown(f"{console.root_path}{path}", console.pages.texts(key), headers=PERSONAL)
