"""Server-sent events of one export: snapshots, each with the export's revision as its id.

The form is that of https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from fastapi.responses import Response, StreamingResponse
from fastapi.sse import format_sse_event

from app.api.watching import Watcher
from app.exports.inspect import ExportView

BEAT: Final = 10.0
"""Seconds of silence after which a comment is sent, so that nobody takes the connection for a dead one."""
_AGAIN_AFTER: Final = 1000
"""Milliseconds after which a reader comes back."""
_CHECK: Final = 1.0

Show = Callable[[ExportView], str]
"""What a snapshot says."""


def event_stream(watcher: Watcher, first: ExportView, *, last_event: str | None, lasts: float, show: Show) -> Response:
    """The snapshots of an export from `first` on, for `lasts` seconds at most.

    `last_event` is the reader's `Last-Event-ID`. Raises the problem `concurrency_limit` if too many listen already.
    """
    known = _revision(last_event)
    if first.job.state.is_terminal and known == first.job.revision:
        # browsers come back until they are told so
        return Response(status_code=204)
    watcher.require_room()
    return StreamingResponse(
        _events(watcher, first, known, show, lasts=lasts),
        media_type="text/event-stream",
        headers={
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            # what some proxies need to be told, or they keep a stream until it ends
            "X-Accel-Buffering": "no",
        },
    )


def _revision(header: str | None) -> int | None:
    """The revision in `Last-Event-ID`; None if there is none, or something that we never sent."""
    return int(header) if header is not None and header.isascii() and header.isdigit() and len(header) < 10 else None


async def _events(
    watcher: Watcher, first: ExportView, known: int | None, show: Show, *, lasts: float
) -> AsyncIterator[bytes]:
    job_id = first.job.id
    ends_at = time.monotonic() + lasts
    beats_at = time.monotonic() + BEAT
    with watcher.listen(job_id) as listener:
        yield format_sse_event(retry=_AGAIN_AFTER)
        told = None
        view: ExportView | None = first
        while True:
            # what was read before what is known is old news
            if view is not None and view.job.revision >= (known or 0) and _signs(view) != told:
                if told is not None or view.job.revision != known:
                    yield format_sse_event(data_str=show(view), event="snapshot", id=str(view.job.revision))
                    beats_at = time.monotonic() + BEAT
                told, known = _signs(view), view.job.revision
                if view.job.state.is_terminal:
                    return
            if listener.is_gone or watcher.is_ending or time.monotonic() >= ends_at:
                return
            if time.monotonic() >= beats_at:
                yield format_sse_event(comment="")
                beats_at = time.monotonic() + BEAT
            view = await listener.next(min(_CHECK, max(0.0, ends_at - time.monotonic())))


def _signs(view: ExportView) -> tuple[object, ...]:
    """What makes a snapshot worth telling: the revision, and what changes around a job that does not itself."""
    return view.job.revision, view.queue_position, view.waiting_for
