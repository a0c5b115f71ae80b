"""What happens inside a child: its limits, its tie to the parent, and one piece of work at a time.

Parents import this module too, so WeasyPrint is imported inside functions: a parent stays small.
"""

import fcntl
import gc
import os
import pickle
import resource
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from app.documents.contract import RenderedDocument, RenderRequest, UnrenderableDocument


@dataclass(frozen=True, slots=True)
class Done:
    """The work was done."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The work raised; the error travels as a value so that it is never mistaken for one of Pebble's."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The work met its memory limit; the child is of no use any more."""


Outcome = Done | Raised | Exhausted

GARBAGE: Final = 50_000
"""New objects between two looks for garbage; Python's own seven hundred are for small programs. Costs 20 MB."""


def enter(lifeline: Connection, memory_limit: int) -> None:
    """Begin a child's life: the initializer of its Pebble pool.

    SIGTERM and SIGINT are for the parent, which decides what becomes of its documents; both reach
    children too, when a service manager or a terminal sends them to a whole group. Whoever wants a
    child dead cuts its lifeline. (Pebble's own handler for SIGTERM is Python code, which never
    runs while a C call is busy.)

    The memory limit is RLIMIT_DATA: private writable memory, what a document really costs.
    RLIMIT_AS would count each mapped font file and library too, and would have to be so wide
    that it no longer bounds anything.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent(lifeline)
    resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _die_with_parent(lifeline: Connection) -> None:
    """Have the kernel kill this process as soon as its parent is gone.

    The parent alone holds the other end of the pipe. When the kernel closes it, it sends the
    signal that we chose for this end, so no thread has to wake up and a C call that holds
    the interpreter lock cannot delay it.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if select.select([lifeline], [], [], 0)[0]:  # the parent died before we listened
        os.kill(os.getpid(), signal.SIGKILL)
    _held.append(lifeline)
    # until now a timer asked: see `fork_server`
    signal.setitimer(signal.ITIMER_REAL, 0)


_held: list[Connection] = []
"""Keeps the lifeline open: closing our end would cut us loose."""


def perform(function: Callable[..., Any], *args: Any) -> Outcome:
    """Do one piece of work and say how it ended."""
    try:
        return Done(function(*args))
    except MemoryError:
        return Exhausted()
    except Exception as error:  # noqa: BLE001 the caller in the parent decides what an error means
        return Raised(_portable(error))


def _portable(error: Exception) -> Exception:
    """Give back the error itself if it survives pickling, else one that tells its name and text."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 our own bytes, made on this line
    except Exception:  # noqa: BLE001 an error's own reduce may raise anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def prepare() -> None:
    """Load what the first document would otherwise wait for: libraries, fonts, styles, templates.

    What is loaded then stays, so nobody looks through it for garbage. A document is some hundred thousand objects that
    go together: looked through by default seven hundred at a time, they cost a tenth more.
    """
    from app.documents import render  # noqa: PLC0415

    render.prepare()
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)


def render(request: RenderRequest) -> RenderedDocument | UnrenderableDocument:
    """Render one document in this child."""
    from app.documents.render import render_document  # noqa: PLC0415

    return render_document(request)
