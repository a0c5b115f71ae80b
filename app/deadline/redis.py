"""Redis within a budget: connections whose every wait ends by it.

redis-py is synchronous here and runs in a thread, which nothing can interrupt. So the budget reaches the
socket: before each connect, write and read the socket's time-out is cut to what is left. The look-up of a
host's name is the system's, and no time-out reaches it.
"""

# mypy: disable-error-code="no-untyped-call"
# redis-py's connections carry few types.

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import Any, Final

import redis
from redis.backoff import AbstractBackoff
from redis.connection import AbstractConnection, Connection, SSLConnection, UnixDomainSocketConnection

from app.deadline.budget import Budget, DependencyTimedOut

BOUNDARY: Final = "redis"

_seconds_left: ContextVar[Callable[[], float] | None] = ContextVar("redis_seconds_left", default=None)


@contextmanager
def redis_budget(budget: Budget, *, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Let the Redis calls of the block, all together, end by this budget.

    Raises `DeadlineSpent` before the block if nothing is left, and lets `DependencyTimedOut` out of it if
    the budget ended in the middle of a call. Only clients of `redis_client` heed it.
    """
    budget.require(0.0, boundary=BOUNDARY, now=clock())
    token = _seconds_left.set(lambda: budget.left(clock()))
    try:
        yield
    finally:
        _seconds_left.reset(token)


def redis_client(url: str, **options: Any) -> redis.Redis:
    """`redis.Redis.from_url`, with connections that heed `redis_budget`. Without one they are as ever."""
    pool = redis.ConnectionPool.from_url(url, **options)
    # the URL's scheme decides the class, whatever the options say
    pool.connection_class = _HEEDING[pool.connection_class]
    return redis.Redis.from_pool(pool)


class BackoffWithinBudget(AbstractBackoff):
    """A pause between tries that is never longer than what is left; the try after it then ends the call."""

    def __init__(self, pauses: AbstractBackoff) -> None:
        self._pauses = pauses

    def reset(self) -> None:
        """A new call begins."""
        self._pauses.reset()

    def compute(self, failures: int) -> float:
        """Seconds to pause after that many failures."""
        return min(self._pauses.compute(failures), _left())


class HeedingSocket:
    """A connected socket whose every read and write ends by the budget of whoever calls it.

    It wraps the socket, so that TCP, TLS and Unix sockets are alike. Each system call gets the smaller of
    the time-out that redis-py set and what is left: a server that drips bytes wins nothing.
    """

    def __init__(self, connected: socket.socket, timeout: float | None) -> None:
        self._socket = connected
        self._timeout = timeout

    def settimeout(self, seconds: float | None) -> None:
        """Note what redis-py wants; zero stays "do not wait"."""
        self._timeout = seconds

    def gettimeout(self) -> float | None:
        """What redis-py wants."""
        return self._timeout

    def recv(self, *arguments: Any) -> bytes:
        """`socket.recv`, for redis-py's own parsers."""
        with self._within_budget():
            return self._socket.recv(*arguments)

    def recv_into(self, *arguments: Any) -> int:
        """`socket.recv_into`, for hiredis."""
        with self._within_budget():
            return self._socket.recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        """`socket.sendall`."""
        with self._within_budget():
            self._socket.sendall(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    @contextmanager
    def _within_budget(self) -> Iterator[None]:
        with _ending_the_call():
            self._socket.settimeout(_cut(self._timeout))
            yield


class _Heeding(AbstractConnection):
    """What makes a connection class of redis-py heed the budget."""

    _is_connecting = False

    def _connect(self) -> Any:
        self._is_connecting = True
        try:
            with _ending_the_call():
                connected = super()._connect()  # type: ignore[safe-super] # of the other base
        finally:
            self._is_connecting = False
        return HeedingSocket(connected, self.socket_timeout)

    # asked anew for each address that a name has, and for the TLS handshake; at any other time redis-py
    # keeps what it reads here for later calls
    @property
    def socket_connect_timeout(self) -> float | None:
        return _cut(self._socket_connect_timeout) if self._is_connecting else self._socket_connect_timeout

    @socket_connect_timeout.setter
    def socket_connect_timeout(self, value: float | None) -> None:
        self._socket_connect_timeout = value

    @property
    def socket_timeout(self) -> float | None:
        return _cut(self._socket_timeout) if self._is_connecting else self._socket_timeout

    @socket_timeout.setter
    def socket_timeout(self, value: float | None) -> None:
        self._socket_timeout = value


class HeedingConnection(_Heeding, Connection):
    """TCP."""


class HeedingSSLConnection(_Heeding, SSLConnection):
    """TLS; the handshake is paid from the budget too."""


class HeedingUnixConnection(_Heeding, UnixDomainSocketConnection):
    """A Unix socket."""


_HEEDING: Final[dict[Any, Any]] = {
    Connection: HeedingConnection,
    SSLConnection: HeedingSSLConnection,
    UnixDomainSocketConnection: HeedingUnixConnection,
}


def _left() -> float:
    seconds_left = _seconds_left.get()
    return inf if seconds_left is None else seconds_left()


def _cut(timeout: float | None) -> float | None:
    seconds = min(inf if timeout is None else timeout, _left())
    return None if seconds == inf else seconds


@contextmanager
def _ending_the_call() -> Iterator[None]:
    """Raise `DependencyTimedOut` for what fails once nothing is left, and before it is begun then.

    It is no error of redis-py's, so that no retry of its own follows.
    """
    if _left() <= 0:
        raise DependencyTimedOut(BOUNDARY)
    try:
        yield
    except OSError:
        if _left() <= 0:
            raise DependencyTimedOut(BOUNDARY) from None
        raise
