"""What the pool's children are told to do in tests: importable by name, and mostly bad."""

import ctypes
import os
import re
import resource
import signal
import time
from pathlib import Path

from app.documents.contract import DocumentFacts, RenderedDocument, RenderRequest

FACTS = DocumentFacts(number="1", date="", customer="", country="", currency="", net="", tax="", total="")


kept: list[bytearray] = []


class UnpicklableError(Exception):
    """Cannot be made again from its text alone."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def obey(request: RenderRequest) -> RenderedDocument:
    """Do what the payload says, and answer with the child's process id."""
    word, _, rest = request.payload.partition(" ")
    match word:
        case "signal":
            os.kill(os.getpid(), int(rest))
            time.sleep(60)
        case "exit":
            os._exit(int(rest))
        case "loop":
            while True:
                pass
        case "match":
            re.match(r"(a+)+$", "a" * 60 + "b")
        case "deaf":
            be_deaf(rest)
        case "eat":
            hoard = [bytearray(16 << 20) for _ in range(1000)]
            del hoard
        case "keep":
            kept.append(bytearray(int(rest) << 20))
        case "fill":
            # so many hundredths of what it may have, for long enough to be seen
            limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
            hoard = [bytearray(limit // 100) for _ in range(int(rest.split()[0]))]
            time.sleep(1)
            os.kill(os.getpid(), int(rest.split()[1]))
            time.sleep(60 + len(hoard))
        case "raise":
            raise LookupError(rest)
        case "wait":
            time.sleep(float(rest))
    return RenderedDocument(pdf=str(os.getpid()).encode(), sha256="", pages=1, facts=FACTS, warnings=())


def be_deaf(path: str) -> None:
    """Say who we are, then sit in a C call that holds the interpreter lock, with SIGTERM blocked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if path:
        told = Path(path)
        told.with_suffix(".new").write_text(str(os.getpid()))
        told.with_suffix(".new").rename(told)
    libc = ctypes.PyDLL(None)
    left = 60
    while left > 0:
        left = libc.sleep(left)


def add(one: int, two: int) -> int:
    """Work that is no document."""
    return one + two


def fail_oddly() -> None:
    """Raise what pickle cannot carry."""
    raise UnpicklableError(1, 2)


def fail_to_prepare() -> None:
    """Never get ready."""
    os._exit(7)
