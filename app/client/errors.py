"""What can go wrong between a program and a Sheaf server.

* SheafError
  * Unreachable: no answer came, and the budget for asking again is spent
  * Problem: the server answered with a problem (RFC 9457)
    * RequestRefused: 4xx, asking again will not help
    * ServerFault: 5xx, the server could not
  * NotUnderstood: an answer came that this client cannot read
  * DownloadRefused: the archive cannot be written where it was asked for
  * ArchiveDamaged: the bytes that came are not the archive's

No error holds or shows the token.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

from app.deadline.backoff import retry_after

_MEMBERS: Final = frozenset({"type", "code", "title", "status", "detail", "hint", "errors"})


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field of a request that the server does not take."""

    field: str
    reason: str


class SheafError(Exception):
    """Anything that this client raises."""


class Unreachable(SheafError):
    """No answer came from `url`; `reason` is the last attempt's."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} does not answer: {reason}")
        self.url = url
        self.reason = reason


class NotUnderstood(SheafError):
    """An answer that is not Sheaf's, or a later release's."""


class DownloadRefused(SheafError):
    """The target exists, or somebody else is writing it."""


class ArchiveDamaged(SheafError):
    """What was downloaded does not have the archive's SHA-256; nothing of it is kept."""


class Problem(SheafError):
    """The server's problem. `extra` holds the members that only some codes have."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        title: str,
        detail: str,
        hint: str,
        errors: tuple[FieldError, ...],
        extra: Mapping[str, Any],
        retry_after: float | None,
    ) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.hint = hint
        self.errors = errors
        self.extra = extra
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again."""

    @property
    def document(self) -> dict[str, Any]:
        """The problem as the server told it."""
        members = {
            "type": "about:blank",
            "code": self.code,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "hint": self.hint,
        }
        errors = [{"field": one.field, "reason": one.reason} for one in self.errors]
        return members | ({"errors": errors} if errors else {}) | dict(self.extra)


class RequestRefused(Problem):
    """The server refuses the request as it is."""


class ServerFault(Problem):
    """The server could not do what it was asked."""


def problem_of(response: httpx.Response) -> Problem:
    """The error for an answer of 400 or more, whose body has been read."""
    kind = ServerFault if response.is_server_error else RequestRefused
    body = _body(response)
    if body is None:
        # a proxy between us, or another server altogether
        return kind(
            status=response.status_code,
            code=f"http_{response.status_code}",
            title=response.reason_phrase or "The server answered with an error",
            detail=f"{response.url.copy_with(query=None)} answered {response.status_code} without saying why.",
            hint="Check that this is the address of a Sheaf server.",
            errors=(),
            extra={},
            retry_after=retry_after(response),
        )
    title = str(body.get("title", ""))
    return kind(
        status=response.status_code,
        code=str(body["code"]),
        title=title,
        detail=str(body.get("detail", title)),
        hint=str(body.get("hint", "")),
        errors=_field_errors(body.get("errors")),
        extra={name: value for name, value in body.items() if name not in _MEMBERS},
        retry_after=retry_after(response),
    )


def _body(response: httpx.Response) -> dict[str, Any] | None:
    try:
        body = json.loads(response.content)
    except ValueError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("code"), str) else None


def _field_errors(found: object) -> tuple[FieldError, ...]:
    if not isinstance(found, list):
        return ()
    return tuple(
        FieldError(str(one.get("field", "")), str(one.get("reason", ""))) for one in found if isinstance(one, dict)
    )
