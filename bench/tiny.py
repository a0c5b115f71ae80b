"""A worker whose children make every document of an export from the first one: what is not rendering is left.

.venv/bin/python -m bench.tiny
"""

from typing import Final

from app.cli import serving
from app.cli.logs import configure_logs
from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.render import render_document
from app.settings import Settings

_FIRST: Final[list[RenderedDocument | UnrenderableDocument]] = []


def render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """The document of the first order that this child was given, whatever the order."""
    if not _FIRST:
        _FIRST.append(render_document(request))
    return _FIRST[0]


if __name__ == "__main__":
    configure_logs(verbose=False)
    serving.worker(Settings(), render=render)
