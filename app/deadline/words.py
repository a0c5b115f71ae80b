"""What the room says when the service has no words of its own: an RFC 9457 problem."""

import json
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from app.deadline.answer import Answer
from app.deadline.budget import DeadlineSpent, DependencyTimedOut
from app.deadline.current import judge
from app.deadline.outcome import Reason, Verdict

STATUSES: Final = {
    Reason.HEADER_MALFORMED: 400,
    Reason.DEADLINE_EXPIRED: 503,
    Reason.CONCURRENCY_LIMIT: 503,
    Reason.DEADLINE_LOCAL: 504,
    Reason.DEADLINE_DOWNSTREAM: 504,
}


def problem(verdict: Verdict) -> Answer:
    """The verdict as a problem document; `code` is its reason."""
    status = STATUSES[verdict.reason]
    title = verdict.reason.replace("_", " ").capitalize()
    about = {"boundary": verdict.boundary} | ({"header": verdict.header} if verdict.header else {})
    body = {"type": "about:blank", "code": verdict.reason, "title": title, "status": status, "detail": verdict.detail}
    headers = {} if verdict.retry_after is None else {"Retry-After": str(verdict.retry_after)}
    return Answer.of(Response(json.dumps(body | about), status, headers, "application/problem+json"))


async def expired(_request: Request, error: Exception) -> Response:
    """A Starlette exception handler for `DeadlineSpent` and `DependencyTimedOut`."""
    if not isinstance(error, DeadlineSpent | DependencyTimedOut):
        raise error
    answer = problem(judge(error))
    return Response(answer.body, answer.status, {name.decode(): value.decode() for name, value in answer.headers})


EXPIRED: Final = {DeadlineSpent: expired, DependencyTimedOut: expired}
"""For an application's `exception_handlers`."""
