"""What each route may take of its caller's time: the one table, and our words for what the deadline room says."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from starlette.routing import compile_path
from starlette.types import Scope

from app.api.problems import verdict_response
from app.deadline.answer import Answer
from app.deadline.outcome import Verdict
from app.deadline.policy import Kind, Priority, RoutePolicy

MAX_WAIT: Final = 20.0
"""Seconds that `Prefer: wait` may ask for: shorter than what proxies cut."""

QUICK: Final[Mapping[str, float]] = {"database": 5.0}
"""Caps of an ordinary call, in seconds."""
HEAVY: Final[Mapping[str, float]] = {"database": 30.0, "artifacts": 30.0}
"""Caps where one use is a batch of an upload, or a piece of an archive from a slow bucket."""

# The deadline of calls is the setting `request_seconds`; what differs from a row's defaults stands here.
_ROWS: Final = {
    # an announcement is news: a job without one starts half a second later
    "POST /v1/exports": RoutePolicy("POST /v1/exports", caps={**QUICK, "announce": 0.2}),
    # who only wonders waits for those who want something; a hundred thousand orders may take all the time that there is
    "POST /v1/exports/preview": RoutePolicy("POST /v1/exports/preview", priority=Priority.LOW),
    "GET /v1/exports": RoutePolicy("GET /v1/exports", caps=QUICK),
    # no more than a create: there are many who look, and above it they would leave it nothing in a flood
    "GET /v1/exports/{id}": RoutePolicy("GET /v1/exports/{id}", caps=QUICK),
    # lasts as its process lets it, and holds neither a permit nor a connection meanwhile
    "GET /v1/exports/{id}/events": RoutePolicy("GET /v1/exports/{id}/events", Kind.STREAM, caps=QUICK),
    # who ends work takes load away
    "POST /v1/exports/{id}/cancel": RoutePolicy("POST /v1/exports/{id}/cancel", priority=Priority.HIGH, caps=QUICK),
    "POST /v1/exports/{id}/retry": RoutePolicy("POST /v1/exports/{id}/retry", caps={**QUICK, "announce": 0.2}),
    "DELETE /v1/exports/{id}": RoutePolicy("DELETE /v1/exports/{id}", caps={**QUICK, "artifacts": 5.0}),
    "GET /v1/exports/{id}/failures": RoutePolicy("GET /v1/exports/{id}/failures", caps=QUICK),
    "GET /v1/exports/{id}/manifest": RoutePolicy("GET /v1/exports/{id}/manifest", caps=QUICK),
    # never cut while its reader reads
    "GET /v1/exports/{id}/archive": RoutePolicy("GET /v1/exports/{id}/archive", Kind.STREAM, caps=HEAVY),
    "HEAD /v1/exports/{id}/archive": RoutePolicy("GET /v1/exports/{id}/archive", Kind.STREAM, caps=HEAVY),
    "POST /v1/documents/preview": RoutePolicy("POST /v1/documents/preview", priority=Priority.LOW, caps=QUICK),
    "GET /v1/store": RoutePolicy("GET /v1/store", caps=QUICK),
    "PATCH /v1/store": RoutePolicy("PATCH /v1/store", caps=QUICK),
    "GET /v1/store/logo": RoutePolicy("GET /v1/store/logo", caps=QUICK),
    "PUT /v1/store/logo": RoutePolicy("PUT /v1/store/logo", caps=QUICK),
    "DELETE /v1/store/logo": RoutePolicy("DELETE /v1/store/logo", caps=QUICK),
    "GET /v1/store/templates/{document_type}": RoutePolicy("GET /v1/store/templates/{document_type}", caps=QUICK),
    # laid out before it is kept, as a preview is
    "PUT /v1/store/templates/{document_type}": RoutePolicy(
        "PUT /v1/store/templates/{document_type}", priority=Priority.LOW, caps=QUICK
    ),
    "DELETE /v1/store/templates/{document_type}": RoutePolicy("DELETE /v1/store/templates/{document_type}", caps=QUICK),
    "POST /v1/store/templates/{document_type}/preview": RoutePolicy(
        "POST /v1/store/templates/{document_type}/preview", priority=Priority.LOW, caps=QUICK
    ),
    "GET /v1/orders": RoutePolicy("GET /v1/orders", caps=QUICK),
    "GET /v1/orders/summary": RoutePolicy("GET /v1/orders/summary", caps=QUICK),
    # whoever only wonders waits; a page is read in a thread
    "POST /v1/orders/check": RoutePolicy("POST /v1/orders/check", priority=Priority.LOW, caps=QUICK),
    "POST /v1/orders/import": RoutePolicy(
        "POST /v1/orders/import", Kind.UPLOAD, Priority.LOW, maximum=float("inf"), caps=HEAVY
    ),
    # the console's pages
    "GET /": RoutePolicy("GET /", minimum=0.0),
    "GET /assets/{digest}/{name}": RoutePolicy("GET /assets/{digest}/{name}", minimum=0.0),
    "GET /sign-in": RoutePolicy("GET /sign-in", caps=QUICK),
    # whoever only tries gets no permit that somebody at work needs
    "POST /sign-in": RoutePolicy("POST /sign-in", priority=Priority.LOW, caps=QUICK),
    "POST /sign-out": RoutePolicy("POST /sign-out", priority=Priority.HIGH, caps=QUICK),
    "GET /exports": RoutePolicy("GET /exports", caps=QUICK),
    "GET /exports/new": RoutePolicy("GET /exports/new", caps=QUICK),
    "GET /exports/new/example": RoutePolicy("GET /exports/new/example", priority=Priority.LOW, caps=QUICK),
    "GET /exports/new/sample": RoutePolicy("GET /exports/new/sample", priority=Priority.LOW, caps=QUICK),
    "POST /exports/new": RoutePolicy("POST /exports/new", caps=QUICK),
    "POST /exports": RoutePolicy("POST /exports", caps={**QUICK, "announce": 0.2}),
    "GET /exports/{id}": RoutePolicy("GET /exports/{id}", caps=QUICK),
    "POST /exports/{id}/cancel": RoutePolicy("POST /exports/{id}/cancel", priority=Priority.HIGH, caps=QUICK),
    "POST /exports/{id}/retry": RoutePolicy("POST /exports/{id}/retry", caps={**QUICK, "announce": 0.2}),
    "POST /exports/{id}/delete": RoutePolicy("POST /exports/{id}/delete", caps={**QUICK, "artifacts": 5.0}),
    "GET /exports/{id}/events": RoutePolicy("GET /exports/{id}/events", Kind.STREAM, caps=QUICK),
    "GET /exports/{id}/archive": RoutePolicy("GET /exports/{id}/archive", Kind.STREAM, caps=HEAVY),
    "HEAD /exports/{id}/archive": RoutePolicy("GET /exports/{id}/archive", Kind.STREAM, caps=HEAVY),
    "GET /exports/{id}/failures.csv": RoutePolicy("GET /exports/{id}/failures.csv", Kind.STREAM, caps=QUICK),
    "GET /exports/{id}/manifest.csv": RoutePolicy("GET /exports/{id}/manifest.csv", Kind.STREAM, caps=QUICK),
    "GET /orders": RoutePolicy("GET /orders", caps=QUICK),
    "GET /orders/check": RoutePolicy("GET /orders/check", priority=Priority.LOW, caps=QUICK),
    "POST /orders": RoutePolicy("POST /orders", Kind.UPLOAD, Priority.LOW, maximum=float("inf"), caps=HEAVY),
    "GET /store": RoutePolicy("GET /store", caps=QUICK),
    "GET /store/logo": RoutePolicy("GET /store/logo", caps=QUICK),
    "POST /store": RoutePolicy("POST /store", caps=QUICK),
    "POST /store/preview": RoutePolicy("POST /store/preview", priority=Priority.LOW, caps=QUICK),
    "POST /store/preview.pdf": RoutePolicy("POST /store/preview.pdf", priority=Priority.LOW, caps=QUICK),
    # answered whatever little time there is: they touch nothing
    "GET /livez": RoutePolicy("GET /livez", priority=Priority.PROBE, minimum=0.0, reserve=0.0),
    "GET /readyz": RoutePolicy("GET /readyz", priority=Priority.PROBE, minimum=0.0, reserve=0.0),
    "GET /metrics": RoutePolicy("GET /metrics", priority=Priority.PROBE, minimum=0.0, reserve=0.0),
}
_ELSE: Final = RoutePolicy("other", priority=Priority.LOW, caps=QUICK)
"""The documentation, and addresses that do not exist."""

_STREAMED_AS_CSV: Final = frozenset({"GET /v1/exports/{id}/failures", "GET /v1/exports/{id}/manifest"})
_LOOK: Final = "GET /v1/exports/{id}"

ROUTES: Final = tuple(dict.fromkeys(row.route for row in (*_ROWS.values(), _ELSE)))
"""Every route's name in metrics."""


class Policies:
    """The table, with the deadline of an ordinary call filled in (seconds)."""

    def __init__(self, *, request_seconds: float) -> None:
        self._rows = {
            name: row if row.kind is Kind.UPLOAD else replace(row, maximum=request_seconds)
            for name, row in _ROWS.items()
        }
        self._else = replace(_ELSE, maximum=request_seconds)
        self._table: list[tuple[str, re.Pattern[str], RoutePolicy]] = []
        for name, row in self._rows.items():
            method, template = name.split(" ")
            self._table.append((method, compile_path(template)[0], row))

    def rows(self) -> list[tuple[str, RoutePolicy]]:
        """All of the table, for those who tell it to people."""
        return [*self._rows.items(), ("anything else", self._else)]

    def of(self, scope: Scope) -> RoutePolicy:
        """The row of a request."""
        method, path = scope["method"], scope["path"]
        for its_method, pattern, row in self._table:
            if method == its_method and pattern.match(path):
                return self._as_asked(row, scope)
        return self._else

    def _as_asked(self, row: RoutePolicy, scope: Scope) -> RoutePolicy:
        if row.route == _LOOK and _says(scope, b"prefer", b"wait"):
            # it sleeps most of its time, and has that time on top of its own
            return replace(row, priority=Priority.WAITING, maximum=row.maximum + MAX_WAIT)
        if row.route in _STREAMED_AS_CSV and _says(scope, b"accept", b"text/csv"):
            return replace(row, kind=Kind.STREAM)
        return row


def _says(scope: Scope, header: bytes, word: bytes) -> bool:
    return any(name == header and word in value for name, value in scope["headers"])


def words(verdict: Verdict) -> Answer:
    """What the deadline room says, in our words."""
    return Answer.of(verdict_response(verdict))
