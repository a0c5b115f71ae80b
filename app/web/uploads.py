"""Files that come in with a form: a large one in pieces as it arrives, small ones whole."""

from collections.abc import AsyncIterator, Mapping
from typing import Final

from fastapi import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from app.api.bodies import read_body, read_chunks
from app.api.problems import ProblemError
from app.domain.codes import Problem
from app.web.console import texts_of
from app.web.forms import TOKEN, Form, require_same_site, require_token

_MULTIPART: Final = "multipart/form-data"
_LONGEST_FIELD: Final = 1000
"""Bytes of a field that is no file."""
_MANY_FIELDS: Final = 100


async def uploaded_file(request: Request, field: str, *, idle: float) -> AsyncIterator[bytes]:
    """The bytes of the file in this field; raises problems for another kind of form, and for one not of our pages.

    The form's token must stand before the file: nothing is taken from a form that is not known to be ours.
    """
    boundary = _boundary_of(request)
    segment: MultipartSegment | None = None
    token, is_known = bytearray(), False
    try:
        with PushMultipartParser(boundary, max_segment_count=10) as parser:
            async for chunk in read_chunks(request, idle=idle):
                if not chunk:
                    continue
                for event in parser.parse(chunk):
                    if isinstance(event, MultipartSegment):
                        segment = event
                    elif event is not None and segment is not None and segment.name == TOKEN:
                        token += event[: _LONGEST_FIELD - len(token)]
                    elif event is not None and segment is not None and segment.name == field:
                        if not is_known:
                            require_token(request, token.decode("latin-1"))
                            is_known = True
                        yield bytes(event)
    except MultipartError:
        raise ProblemError(Problem.UPLOAD_BROKEN, texts_of(request)("form.torn")) from None
    # an empty file has no bytes to ask for it
    require_token(request, token.decode("latin-1"))


async def form_with_files(request: Request, *, at_most: int, idle: float) -> tuple[Form, Mapping[str, bytes]]:
    """A whole form and the files in it by their fields, without those that are empty; raises as `form_of` does."""
    boundary = _boundary_of(request)
    body = await read_body(request, at_most=at_most, idle=idle)
    texts: list[tuple[str, bytearray]] = []
    files: dict[str, bytearray] = {}
    # what is between two fields goes nowhere
    place = bytearray()
    try:
        with PushMultipartParser(boundary, max_segment_count=_MANY_FIELDS) as parser:
            for event in parser.parse(body):
                if isinstance(event, MultipartSegment):
                    place = bytearray()
                    name = event.name or ""
                    if event.filename is None:
                        texts.append((name, place))
                    else:
                        files[name] = place
                elif event is not None:
                    place += event
        form = Form([(name, text.decode()) for name, text in texts])
    except (MultipartError, UnicodeDecodeError):
        raise ProblemError(Problem.PARAMETER_INVALID, texts_of(request)("form.unreadable")) from None
    require_token(request, form.get(TOKEN))
    return form, {name: bytes(content) for name, content in files.items() if content}


def _boundary_of(request: Request) -> str:
    kind, options = parse_options_header(request.headers.get("content-type", ""))  # type: ignore[no-untyped-call]
    boundary: str = options.get("boundary", "")
    if kind != _MULTIPART or not boundary:
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, texts_of(request)("form.takes", kind=_MULTIPART))
    require_same_site(request)
    return boundary
