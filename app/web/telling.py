"""What the console says of an export: in words, from the same view that the API answers with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.lifecycle import JobState, Phase
from app.domain.selection import Selection, asked_for
from app.exports.inspect import ExportView
from app.web.formats import Formats
from app.web.texts import Texts

_NAMED: Final = 3
"""Order numbers that a summary names before it only counts."""


@dataclass(frozen=True, slots=True)
class Told:
    """An export in words."""

    view: ExportView
    title: str
    selection: Sequence[str]
    """What was asked for, a phrase for each filter."""
    doing: str
    """What it does now, or how it ended."""
    figures: Sequence[str]
    """How far and how fast."""
    waiting: str | None
    """What keeps it from going on, and what to do."""

    @property
    def said(self) -> str:
        """One sentence for those who listen."""
        return ". ".join(part.rstrip(".") for part in (self.doing, *self.figures))


class Teller:
    """Tells exports in one language and one store's time zone."""

    def __init__(self, texts: Texts, formats: Formats, zone: ZoneInfo) -> None:
        self._t = texts
        self._f = formats
        self._zone = zone

    def tell(self, view: ExportView) -> Told:
        """An export in words."""
        job = view.job
        waiting = None if view.waiting_for is None else self._t(f"waiting.{view.waiting_for}")
        return Told(
            view=view,
            title=self._t(f"type.{job.document_type}"),
            selection=self.selection(Selection.from_json(asked_for(job.selection))),
            doing=self._doing(view),
            figures=self._figures(view),
            waiting=waiting,
        )

    def selection(self, asked: Selection) -> list[str]:
        """A selection, a phrase for each of its filters."""
        phrases = []
        if asked.created_from is not None and asked.created_to is not None:
            phrases.append(self._range(asked.created_from, asked.created_to))
        if asked.statuses:
            phrases.append(self._t("selection.statuses", list=", ".join(asked.statuses)))
        for key, named in (("numbers", asked.numbers), ("order_ids", asked.order_ids)):
            if named and len(named) <= _NAMED:
                phrases.append(self._t(f"selection.{key}", list=", ".join(map(str, named))))
            elif named:
                phrases.append(self._t(f"selection.{key}.many", count=self._f.number(len(named))))
        if asked.customer_id is not None:
            phrases.append(self._t("selection.customer", id=asked.customer_id))
        return phrases or [self._t("selection.all")]

    def _range(self, since: datetime, until: datetime) -> str:
        first, end = since.astimezone(self._zone), until.astimezone(self._zone)
        if first.time() == end.time() == time.min:
            # whole days: the end is the midnight behind the last one
            last = (end - timedelta(microseconds=1)).date()
            if first.date() == last:
                return self._f.day(last)
            return f"{self._f.day(first.date())} – {self._f.day(last)}"
        return f"{self._f.clock(since, self._zone)} – {self._f.clock(until, self._zone)}"

    def _doing(self, view: ExportView) -> str:
        job = view.job
        if job.state is JobState.FAILED:
            # while hosts are changed over, a later release may have written a code that this one does not know
            key = f"failed.{job.failure_code}"
            reason = self._t(key if key in self._t else "failed.unknown")
            return reason if job.failure_note is None else f"{reason.rstrip('.')}: {job.failure_note}"
        if job.state is JobState.COMPLETED and view.is_expired:
            return self._t("doing.expired")
        return self._t(f"doing.{job.phase if job.state is JobState.PROCESSING and job.phase else job.state}")

    def _figures(self, view: ExportView) -> list[str]:
        job = view.job
        if job.state is JobState.QUEUED:
            return self._place(view)
        settled = job.rendered + job.failed + job.skipped
        if not job.requested:
            return []
        figures = [self._t("figure.done", done=self._f.number(settled), count=self._f.number(job.requested))]
        if job.failed:
            figures.append(self._t("figure.failed", count=self._f.number(job.failed)))
        if job.skipped:
            figures.append(self._t("figure.skipped", count=self._f.number(job.skipped)))
        if job.phase is Phase.RENDERING and view.per_second is not None:
            figures.append(self._f.rate(view.per_second))
            if view.seconds_left:
                figures.append(self._t("figure.left", span=self._f.span(view.seconds_left)))
        return figures

    def _place(self, view: ExportView) -> list[str]:
        figures = [self._t("figure.place", place=self._f.number(view.queue_position or 1))]
        if view.starts_in_seconds:
            figures.append(self._t("figure.starts", span=self._f.span(view.starts_in_seconds)))
        elif view.starts_in_seconds == 0:
            figures.append(self._t("figure.starts_now"))
        return figures
