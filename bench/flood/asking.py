"""The load: open-loop callers on bare sockets, each with a deadline, a bounded number of tries and no patience beyond.

Runs in a process of its own, so that the clocks of the probes and of the server are not its own.
"""

import asyncio
import gc
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bench.flood.arrivals import Caller, Want

GAVE_UP: Final = 0
"""The status of a try that its caller ended."""
BROKEN: Final = -1
"""The status of a try whose connection was refused, lost or not understood."""

_BODY: Final = json.dumps({"document_type": "invoice"}).encode()


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens, and how long a caller waits for it (seconds)."""

    host: str
    port: int
    deadline: float


@dataclass(frozen=True, slots=True)
class Try:
    """One request, on the wall clock, which the database has too."""

    began_at: float
    ended_at: float
    status: int
    is_in_time: bool
    """Whether the last byte of an answer came before the caller's deadline."""

    @property
    def is_useful(self) -> bool:
        """A success that its caller still wanted."""
        return self.is_in_time and 200 <= self.status < 300


@dataclass(slots=True)
class Call:
    """What became of one caller."""

    caller: Caller
    late_by: float
    """Seconds by which the load itself was behind the schedule."""
    tries: list[Try] = field(default_factory=list)


def flood(address: Address, callers: Sequence[Caller], starts_at: float) -> list[Call]:
    """Let all of them come; `starts_at` is the wall clock's time of the schedule's zero. Returns when all are done."""
    # what was drawn lives to the end: the collector need not look through it in the middle of a measurement
    gc.freeze()
    return asyncio.run(_flood(address, callers, starts_at))


async def _flood(address: Address, callers: Sequence[Caller], starts_at: float) -> list[Call]:
    async with asyncio.TaskGroup() as group:
        tasks = []
        for caller in callers:
            due_at = starts_at + caller.at
            if (wait := due_at - time.time()) > 0:
                await asyncio.sleep(wait)
            tasks.append(group.create_task(_call(address, caller, late_by=time.time() - due_at)))
    return [task.result() for task in tasks]


async def _call(address: Address, caller: Caller, *, late_by: float) -> Call:
    call = Call(caller, late_by)
    for number, wait in enumerate((*caller.waits, 0.0)):
        call.tries.append(await _try(address, caller, number))
        if not _is_worth_repeating(call.tries[-1].status):
            break
        await asyncio.sleep(wait)
    return call


def _is_worth_repeating(status: int) -> bool:
    return status in {GAVE_UP, BROKEN} or status >= 500


async def _try(address: Address, caller: Caller, number: int) -> Try:
    began_at, began = time.time(), time.monotonic()
    ends = began + address.deadline
    exchange = _Exchange()
    loop = asyncio.get_running_loop()
    status = GAVE_UP
    try:
        async with asyncio.timeout_at(loop.time() + address.deadline):
            await loop.create_connection(lambda: exchange, address.host, address.port)
            exchange.ask(_request(caller, number, left=ends - time.monotonic()))
            status = await exchange.status
    except TimeoutError:
        pass
    except OSError:
        status = BROKEN
    finally:
        exchange.close()
    is_in_time = status > 0 and exchange.ended <= ends
    return Try(began_at, time.time(), status, is_in_time)


def _request(caller: Caller, number: int, *, left: float) -> bytes:
    headers = f"Host: x\r\nConnection: close\r\nAuthorization: Bearer {caller.token}\r\n"
    headers += f"Connect-Timeout-Ms: {max(0, int(left * 1000))}\r\n"
    if caller.want is Want.LOOK:
        return f"GET /v1/exports/{caller.job(number)} HTTP/1.1\r\n{headers}\r\n".encode()
    headers += f"Idempotency-Key: {caller.key}\r\nContent-Type: application/json\r\nContent-Length: {len(_BODY)}\r\n"
    return f"POST /v1/exports HTTP/1.1\r\n{headers}\r\n".encode() + _BODY


class _Exchange(asyncio.Protocol):
    """One connection for one answer with a `Content-Length`."""

    def __init__(self) -> None:
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.ended = 0.0
        self._came = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def ask(self, request: bytes) -> None:
        assert self._transport is not None
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._came += data
        head, gap, body = self._came.partition(b"\r\n\r\n")
        if gap and len(body) >= _length(head) and not self.status.done():
            self.ended = time.monotonic()
            self.status.set_result(int(head[9:12]))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.status.done():
            self.status.set_result(BROKEN)

    def close(self) -> None:
        # a caller who gives up closes: the server sees the end of the stream
        if self._transport is not None:
            self._transport.close()


def _length(head: bytes) -> int:
    lower = head.lower()
    place = lower.find(b"content-length:")
    return 0 if place < 0 else int(lower[place + 15 :].split(b"\r\n", 1)[0])
