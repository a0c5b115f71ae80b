"""Forms that come in: bounded, and only those that one of our own pages in this browser has sent."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from app.api.bodies import read_body
from app.api.problems import ProblemError
from app.api.services import services_of
from app.domain.codes import Problem
from app.web.console import texts_of
from app.web.cookies import cookie_of
from app.web.visitors import form_token_of

TOKEN: Final = "form_token"  # noqa: S105 - a field's name
"""The field that shows where a form is from."""
_URLENCODED: Final = "application/x-www-form-urlencoded"
_MANY_FIELDS: Final = 1000


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, in their order."""

    fields: Sequence[tuple[str, str]]

    def get(self, name: str, default: str = "") -> str:
        """The first value with this name."""
        return next((value for field, value in self.fields if field == name), default)

    def all(self, name: str) -> list[str]:
        """Every value with this name."""
        return [value for field, value in self.fields if field == name]


async def form_of(request: Request) -> Form:
    """The form of this request; raises problems for its size, its kind, and for one that is not from our pages."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _URLENCODED:
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, texts_of(request)("form.takes", kind=_URLENCODED))
    require_same_site(request)
    limits = services_of(request).limits
    body = await read_body(request, at_most=limits.body_max_bytes, idle=limits.import_idle)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MANY_FIELDS, errors="strict")
    except ValueError:
        raise ProblemError(Problem.PARAMETER_INVALID, texts_of(request)("form.unreadable")) from None
    form = Form(fields)
    require_token(request, form.get(TOKEN))
    return form


FormDependency = Annotated[Form, Depends(form_of)]


def require_same_site(request: Request) -> None:
    """Raise the problem `form_stale` for what a browser says comes from another site's page."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise ProblemError(Problem.FORM_STALE)


def require_token(request: Request, sent: str) -> None:
    """Raise the problem `form_stale` unless the form carries its browser's token."""
    secret = cookie_of(request)
    if secret is None or not hmac.compare_digest(form_token_of(secret).encode(), sent.encode()):
        raise ProblemError(Problem.FORM_STALE)
