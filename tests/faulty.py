"""A renderer that meets its end at marked orders: what stands in the customer's note happens in the child.

Everything else is rendered by our own renderer. `tests.faulty_worker` is a worker process made with it.
"""

import os
import signal
import time

from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.render import render_document


def render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render, or fail as the order's note says."""
    if "note-raise" in request.payload:
        raise ValueError("a renderer's own bug")
    if "note-endless" in request.payload:
        time.sleep(3600)
    if "note-die" in request.payload:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "note-slow" in request.payload:
        time.sleep(0.3)
    return render_document(request)
