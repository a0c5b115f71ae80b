"""A file that comes in with a form, in pieces as it arrives: nothing is kept whole."""

from collections.abc import AsyncIterator
from typing import Final

from fastapi import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from app.api.bodies import read_chunks
from app.api.problems import ProblemError
from app.domain.codes import Problem
from app.web.forms import TOKEN, require_same_site, require_token

_MULTIPART: Final = "multipart/form-data"
_LONGEST_FIELD: Final = 1000
"""Bytes of a field that is no file."""


async def uploaded_file(request: Request, field: str, *, idle: float) -> AsyncIterator[bytes]:
    """The bytes of the file in this field; raises problems for another kind of form, and for one not of our pages.

    The form's token must stand before the file: nothing is taken from a form that is not known to be ours.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))  # type: ignore[no-untyped-call]
    if kind != _MULTIPART or not options.get("boundary"):
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, f"This address takes {_MULTIPART}.")
    require_same_site(request)
    segment: MultipartSegment | None = None
    token, is_known = bytearray(), False
    try:
        with PushMultipartParser(options["boundary"], max_segment_count=10) as parser:
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
        raise ProblemError(Problem.UPLOAD_BROKEN, "The form ends before its file does.") from None
    # an empty file has no bytes to ask for it
    require_token(request, token.decode("latin-1"))
