"""A worker whose children render one order and give its document for every other: what is not rendering is left.

.venv/bin/python -m bench.tiny
"""

import json
from dataclasses import replace
from typing import Final

from app.cli import serving
from app.cli.logs import configure_logs
from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.render import render_document
from app.settings import Settings
from bench.mixed import mixed_orders

_MADE: Final[list[RenderedDocument | UnrenderableDocument]] = []


def render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """The document of one order, the same for all children, whatever the order."""
    if not _MADE:
        (order,) = mixed_orders(1)
        _MADE.append(render_document(replace(request, payload=json.dumps(order), refunds="[]")))
    return _MADE[0]


if __name__ == "__main__":
    configure_logs(verbose=False)
    serving.worker(Settings(), render=render)
