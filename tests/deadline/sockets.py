"""Callers on plain sockets, who can leave in every way that TCP knows."""

import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from tests.deadline.observed import Owner
from tests.deadline.scenes import BOUND


@dataclass(frozen=True)
class Heard:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Line:
    """One connection to a server on 127.0.0.1."""

    def __init__(self, port: int, owner: Owner | None = None, *, receives: int | None = None) -> None:
        self.owner = owner
        self.socket = socket.socket()
        self.socket.settimeout(BOUND)
        if receives is not None:
            # before it connects: it is what the other side is told of
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.socket.connect(("127.0.0.1", port))
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.socket.close()

    def head(self, method: str, path: str, *, length: int = 0, **headers: str) -> bytes:
        """The head of a request; header names are given with `_`."""
        lines = [f"{method} {path} HTTP/1.1", "Host: api", f"Content-Length: {length}"]
        if self.owner is not None:
            lines += [f"{name}: {value}" for name, value in self.owner.headers.items()]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return "\r\n".join([*lines, "", ""]).encode()

    def ask(self, method: str, path: str, sends: Any = None, **headers: str) -> None:
        """Send a whole request."""
        body = b"" if sends is None else json.dumps(sends).encode()
        self.socket.sendall(self.head(method, path, length=len(body), **headers) + body)

    def heads(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the next answer, and nothing of its body that need not be read."""
        while b"\r\n\r\n" not in self._unread:
            self._unread += self._more(1)
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        pairs = [line.partition(": ") for line in lines]
        return int(first.split()[1]), {name.lower(): value for name, _, value in pairs}

    def answer(self) -> Heard:
        """The next answer, which must tell its length."""
        status, headers = self.heads()
        body = self._unread
        while len(body) < int(headers.get("content-length", 0)):
            body += self._more(1 << 16)
        self._unread = b""
        return Heard(status, headers, body)

    def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        found = self._unread
        try:
            while piece := self.socket.recv(1 << 16):
                found += piece
        except ConnectionResetError:
            pass
        return found

    def _more(self, at_most: int) -> bytes:
        piece = self.socket.recv(at_most)
        assert piece, "the server closed the connection"
        return piece


def _close(line: Line) -> None:
    line.socket.close()


def _reset(line: Line) -> None:
    # linger for no time: whatever is unsent or unread is thrown away, and the other side is told
    line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.socket.close()


def _half_close(line: Line) -> None:
    line.socket.shutdown(socket.SHUT_WR)


HANG_UPS: Final[dict[str, Callable[[Line], None]]] = {"FIN": _close, "RST": _reset, "half-close": _half_close}
"""The ways to leave. Who sends nothing any more is taken for one who has left, although it could still read."""
