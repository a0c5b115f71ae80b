"""The console's one cookie: before a sign-in it ties forms to a browser, after it it is the session."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

_PLAIN: Final = "sheaf"
_GUARDED: Final = "__Host-sheaf"
"""A name that browsers take only over TLS, from this very host, for all of its paths."""
_LONGEST: Final = 200


def cookie_of(request: Request) -> str | None:
    """The cookie's text; the one that only this host can have set counts first."""
    found = request.cookies.get(_GUARDED) or request.cookies.get(_PLAIN)
    return found if found and len(found) <= _LONGEST else None


def set_cookie(request: Request, response: Response, secret: str, *, seconds: float | None = None) -> None:
    """Give the browser the cookie; without `seconds` it goes when the browser ends."""
    is_secure = is_behind_tls(request)
    response.set_cookie(
        _GUARDED if is_secure else _PLAIN,
        secret,
        max_age=None if seconds is None else int(seconds),
        path="/",
        secure=is_secure,
        httponly=True,
        samesite="strict",
    )


def forget_cookie(request: Request, response: Response) -> None:
    """Take it away, whatever its name."""
    response.delete_cookie(_PLAIN, path="/", httponly=True, samesite="strict")
    if is_behind_tls(request):
        response.delete_cookie(_GUARDED, path="/", secure=True, httponly=True, samesite="strict")


def is_behind_tls(request: Request) -> bool:
    """Whether the browser came over TLS, which ends in front of us: the proxy says so, or the form's origin.

    Who lies here makes a cookie of their own stricter, and nothing else.
    """
    headers = request.headers
    forwarded = headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower()
    return (
        request.url.scheme == "https"
        or forwarded == "https"
        or "proto=https" in headers.get("forwarded", "").lower()
        or headers.get("origin", "").startswith("https://")
    )
