"""Asking the database again although it is away for a moment."""

import threading
from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.documents.cancellation import Cancellation

log = structlog.get_logger()

T = TypeVar("T")

# InternalError: the server ended a transaction in which this process stood still
DATABASE_AWAY: Final = (OperationalError, InterfaceError, InternalError, PoolTimeout)
"""Errors of the connection, of locks and of time: not of the statement, which would fail again."""

PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0)
"""Seconds between tries: together well over a lease, after which the step is somebody else's."""


def insist(ask: Callable[[], T], *, stop: Cancellation) -> T:
    """Call `ask`, which reads or writes in one transaction, and again when the database was away.

    Its COMMIT may have been done and not heard of: a write must recognise what it did itself. Raises
    the database's last error once the tries are used up or the work is stopped; a stop ends a pause.
    """
    woken = threading.Event()
    with stop.waking(woken.set):
        for pause in PAUSES:
            try:
                return ask()
            except DATABASE_AWAY as error:
                if stop.is_cancelled:
                    raise
                log.warning("database.asked_again", error=type(error).__name__, pause=pause)
                woken.wait(pause)
        return ask()
