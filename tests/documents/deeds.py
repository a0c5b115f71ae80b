"""What the pool's children are told to do in tests: importable by name, and mostly bad."""

import ctypes
import os
import signal
import time
from pathlib import Path

from app.documents.contract import DocumentFacts, RenderedDocument, RenderRequest

FACTS = DocumentFacts(number="1", date="", customer="", country="", currency="", net="", tax="", total="")


def obey(request: RenderRequest) -> RenderedDocument:
    """Do what the payload says."""
    word, _, rest = request.payload.partition(" ")
    match word:
        case "pid":
            return _document(str(os.getpid()))
        case "signal":
            os.kill(os.getpid(), int(rest))
            time.sleep(60)
        case "exit":
            os._exit(int(rest))
        case "loop":
            while True:
                pass
        case "deaf":
            sleep_in_c(60)
        case "eat":
            hoard = [bytearray(16 << 20) for _ in range(1000)]
            return _document(str(len(hoard)))
        case "raise":
            raise LookupError(rest)
    return _document(request.payload)


def sleep_in_c(seconds: int) -> int:
    """Hold the interpreter lock inside a C call that looks at no signal."""
    libc = ctypes.PyDLL(None)
    while seconds > 0:
        seconds = libc.sleep(seconds)
    return seconds


def sleep_to_death(path: str) -> None:
    """Tell where we are, then be deaf."""
    Path(path).write_text(str(os.getpid()))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    sleep_in_c(60)


def _document(text: str) -> RenderedDocument:
    return RenderedDocument(pdf=text.encode(), sha256="", pages=1, facts=FACTS, warnings=())
