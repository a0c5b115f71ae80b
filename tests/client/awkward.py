"""What may stand between a client and a server: a proxy that cuts, spoils, or answers in its place."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

UNAVAILABLE: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n"
)
"""As a load balancer answers while no server is up."""


@dataclass(frozen=True)
class Behaviour:
    """What happens to one connection. Bytes are counted in what the server sends."""

    cut_after: int | None = None
    spoil_at: int | None = None
    answer: bytes | None = None


@dataclass
class Proxy:
    """A TCP proxy. Each connection takes the next behaviour; the last one is for all that follow."""

    url: str
    behaviours: list[Behaviour]
    heads: list[str] = field(default_factory=list)
    """The heads of the requests that were passed on, in order."""

    def next_behaviour(self) -> Behaviour:
        return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]


@contextmanager
def proxy(server_url: str, *behaviours: Behaviour) -> Iterator[Proxy]:
    """A proxy in front of the server; ends with all its connections."""
    target = urlsplit(server_url)
    listening = socket.create_server(("127.0.0.1", 0))
    made = Proxy(f"http://127.0.0.1:{listening.getsockname()[1]}", list(behaviours))
    opened: list[socket.socket] = [listening]

    def accept() -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            behaviour = made.next_behaviour()
            far = socket.create_connection((target.hostname or "", target.port or 0))
            opened.extend((near, far))
            threading.Thread(target=_requests, args=(near, far, behaviour, made), daemon=True).start()
            threading.Thread(target=_answers, args=(far, near, behaviour), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield made
    finally:
        for one in opened:
            _close(one)
        accepting.join(5)


def _requests(near: socket.socket, far: socket.socket, behaviour: Behaviour, made: Proxy) -> None:
    with suppress(OSError):
        while piece := near.recv(65536):
            if behaviour.answer is not None:
                near.sendall(behaviour.answer)
                break
            if piece[:4] in (b"GET ", b"POST", b"DELE"):
                made.heads.append(piece.partition(b"\r\n\r\n")[0].decode("latin-1").lower())
            far.sendall(piece)
        _close(near)
        _close(far)


def _answers(far: socket.socket, near: socket.socket, behaviour: Behaviour) -> None:
    passed = 0
    with suppress(OSError):
        while piece := far.recv(65536):
            spoil = behaviour.spoil_at
            if spoil is not None and passed <= spoil < passed + len(piece):
                at = spoil - passed
                piece = piece[:at] + bytes([piece[at] ^ 1]) + piece[at + 1 :]
            if behaviour.cut_after is not None and passed + len(piece) > behaviour.cut_after:
                near.sendall(piece[: behaviour.cut_after - passed])
                break
            near.sendall(piece)
            passed += len(piece)
        _close(far)
        _close(near)


def _close(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
