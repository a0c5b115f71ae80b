"""A renderer that meets its end at marked orders: what stands in the customer's note happens in the child.

Everything else is rendered by our own renderer. `tests.faulty_worker` is a worker process made with it.
"""

import ctypes
import os
import re
import signal
import time
from pathlib import Path

from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument
from app.documents.render import render_document

MINUTE = 60


def render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render, or fail as the order's note says."""
    if gate := re.search(r"note-gate:([\w/.-]+)", request.payload):
        # renamed, so that nobody reads half a number
        mine = Path(f"{gate[1]}.{os.getpid()}")
        mine.write_text(str(os.getpid()))
        mine.rename(f"{gate[1]}.held")
        while not Path(gate[1]).exists():
            time.sleep(0.05)
    if "note-raise" in request.payload:
        raise ValueError("a renderer's own bug")
    if "note-endless" in request.payload:
        time.sleep(3600)
    if "note-asleep" in request.payload:
        # PyDLL keeps the interpreter: no thread of this process runs, no Python handler of a signal either
        ctypes.PyDLL(None).sleep(MINUTE)
    if "note-spinning" in request.payload:
        done_at = time.monotonic() + MINUTE
        while time.monotonic() < done_at:
            pass
    if "note-die" in request.payload:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "note-kill" in request.payload:
        os.kill(os.getpid(), signal.SIGKILL)
    if "note-eat" in request.payload:
        hoard = [bytearray(16 << 20) for _ in range(1000)]
        del hoard
    if "note-slow" in request.payload:
        time.sleep(0.3)
    return render_document(request)
