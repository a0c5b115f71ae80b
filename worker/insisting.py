"""Writing a result although the database is away for a moment."""

import time
from collections.abc import Callable
from typing import Final

import structlog
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

log = structlog.get_logger()

DATABASE_AWAY: Final = (OperationalError, InterfaceError, PoolTimeout)
"""Errors of the connection, of locks and of time: not of the statement, which would fail again."""

PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0)
"""Seconds between tries: together well over a lease, after which the step is somebody else's."""


def insist(write: Callable[[], None], *, stop: Callable[[], bool]) -> None:
    """Call `write`, and again when the database was away; a write that was committed unheard is recognised.

    Raises the database's last error once the tries are used up or `stop` says so.
    """
    for pause in PAUSES:
        try:
            write()
        except DATABASE_AWAY as error:
            if stop():
                raise
            log.warning("write.repeated", error=type(error).__name__, pause=pause)
            time.sleep(pause)
        else:
            return
    write()
