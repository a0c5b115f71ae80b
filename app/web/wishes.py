"""From the form of a new export to the body that the API takes, and from an export back to the form."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from app.database.tables import JobRow
from app.domain.document_type import DocumentType
from app.domain.filename_patterns import DEFAULT_PATTERN
from app.domain.layouts import Layout
from app.domain.pdf_variants import PdfVariant
from app.domain.selection import Selection, asked_for
from app.web.forms import Form

EVERYTHING: Final = "all"
OTHER: Final = "other"
"""Two choices of the range that are no days of their own; the second one means the two fields beside it."""

_TOO_LONG: Final = 40
"""Digits of what is no id any more."""
_BETWEEN: Final = re.compile(r"[\s,;]*[\n,;][\s,;]*")


@dataclass(frozen=True)
class Wish:
    """What stands in the form."""

    document_type: str = DocumentType.INVOICE
    layout: str = Layout.SEPARATE
    pdf: str = PdfVariant.STANDARD
    range: str = EVERYTHING
    since: str = ""
    until: str = ""
    statuses: tuple[str, ...] = ()
    numbers: str = ""
    order_ids: str = ""
    customer_id: str = ""
    sort: str = ""
    pattern: str = DEFAULT_PATTERN

    def body(self) -> dict[str, Any]:
        """What a create through the API would be sent."""
        selection: dict[str, Any] = {}
        if self.range == OTHER:
            selection["created"] = {"from": self.since, "to": self.until}
        elif self.range != EVERYTHING:
            since, _, until = self.range.partition("/")
            selection["created"] = {"from": since, "to": until}
        if self.statuses:
            selection["statuses"] = list(self.statuses)
        numbers, order_ids = _parts(self.numbers), _parts(self.order_ids)
        if numbers:
            selection["numbers"] = numbers
        if order_ids:
            selection["order_ids"] = [_whole(one) for one in order_ids]
        if self.customer_id:
            selection["customer_id"] = _whole(self.customer_id)
        body: dict[str, Any] = {
            "document_type": self.document_type,
            "layout": self.layout,
            "pdf": self.pdf,
            "selection": selection,
            "filename_pattern": self.pattern,
        }
        return {**body, "sort": self.sort} if self.sort else body


def wish_of(form: Form) -> Wish:
    """What a form asks for."""
    return Wish(
        document_type=form.get("document_type"),
        layout=form.get("layout"),
        pdf=form.get("pdf", PdfVariant.STANDARD),
        range=form.get("range", EVERYTHING),
        since=form.get("from").strip(),
        until=form.get("to").strip(),
        statuses=tuple(form.all("statuses")),
        numbers=form.get("numbers"),
        order_ids=form.get("order_ids"),
        customer_id=form.get("customer_id").strip(),
        sort=form.get("sort"),
        pattern=form.get("filename_pattern", DEFAULT_PATTERN),
    )


def _parts(text: str) -> list[str]:
    return [part for part in _BETWEEN.split(text.strip()) if part]


def _whole(text: str) -> int | str:
    """An id as the API takes it; what is none goes on as it is, to be refused where everything is."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < _TOO_LONG else text


def wish_like(job: JobRow, zone: ZoneInfo) -> Wish:
    """What asks for an earlier export once more, as far as the form can say it."""
    asked = Selection.from_json(asked_for(job.selection))
    chosen, since, until = EVERYTHING, "", ""
    if asked.created_from is not None and asked.created_to is not None:
        chosen = OTHER
        since = asked.created_from.astimezone(zone).date().isoformat()
        until = (asked.created_to - timedelta(microseconds=1)).astimezone(zone).date().isoformat()
    return Wish(
        document_type=job.document_type,
        layout=job.layout,
        pdf=job.pdf,
        range=chosen,
        since=since,
        until=until,
        statuses=asked.statuses,
        numbers="\n".join(asked.numbers),
        order_ids="\n".join(map(str, asked.order_ids)),
        customer_id="" if asked.customer_id is None else str(asked.customer_id),
        sort=job.sort,
        pattern=job.filename_pattern,
    )


FIELDS: Final[Mapping[str, str]] = {
    "document_type": "document_type",
    "layout": "layout",
    "pdf": "pdf",
    "sort": "sort",
    "filename_pattern": "filename_pattern",
    "selection.statuses": "statuses",
    "selection.numbers": "numbers",
    "selection.order_ids": "order_ids",
    "selection.customer_id": "customer_id",
    "selection.created.from": "from",
    "selection.created.to": "to",
    "selection.created": "from",
}
"""Where in the form a field of the API's body is."""


def field_of(path: str) -> str:
    """The form's field that a path in the body is about; empty if there is none."""
    return next((field for beginning, field in FIELDS.items() if path.startswith(beginning)), "")
