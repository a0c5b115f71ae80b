"""The time that callers and proxies give a request, as they send it already. Every value is a duration."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Final

from app.deadline.budget import Budget


class HeaderMalformed(ValueError):
    """A deadline header cannot be read: `header` in its usual spelling, `reason` in one sentence."""

    def __init__(self, header: str, reason: str) -> None:
        super().__init__(f"{header}: {reason}")
        self.header = header
        self.reason = reason


def asked_seconds(headers: Iterable[tuple[bytes, bytes]]) -> float | None:
    """The smallest of the times asked for, in seconds; None if nobody asked.

    The protocols speak of positive numbers; zero is what a caller sends whose time has run out, and is taken.
    Takes ASGI's raw headers: names in lower case, one pair for each time that a header was sent.
    Raises `HeaderMalformed` if any of them breaks its grammar.
    """
    asked = [grammar.seconds(value) for name, value in headers if (grammar := _GRAMMARS.get(name)) is not None]
    return min(asked, default=None)


def ingress_budget(asked: float | None, *, maximum: float, now: float) -> Budget:
    """The one conversion to the monotonic clock: what was asked for, at most the route's maximum in seconds."""
    return Budget.of(min(inf if asked is None else asked, maximum), now=now)


_NANOSECONDS: Final = {
    b"H": 3600 * 10**9,
    b"M": 60 * 10**9,
    b"S": 10**9,
    b"m": 10**6,
    b"u": 10**3,
    b"n": 1,
}


def _grpc_nanoseconds(value: bytes) -> int | None:
    """Timeout of "gRPC over HTTP2" (github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md): at most 8 digits and a unit."""
    digits, unit = value[:-1], value[-1:]
    if unit not in _NANOSECONDS or not digits.isdigit() or len(digits) > 8:
        return None
    return int(digits) * _NANOSECONDS[unit]


def _milliseconds(value: bytes) -> int | None:
    """Timeout of the "Connect Protocol Reference" (connectrpc.com/docs/protocol): at most 10 digits.

    Envoy's header (envoyproxy.io, "Router", HTTP headers) is "the time in milliseconds" and no length is
    given: Connect's serves for both, 10 digits are 115 days.
    """
    return int(value) * _NANOSECONDS[b"m"] if value.isdigit() and len(value) <= 10 else None


@dataclass(frozen=True, slots=True)
class _Grammar:
    header: str
    form: str
    nanoseconds: Callable[[bytes], int | None]

    def seconds(self, value: bytes) -> float:
        read = self.nanoseconds(value.strip(b" \t"))
        if read is None:
            raise HeaderMalformed(self.header, f'Takes {self.form}, not "{_shown(value)}".')
        # divided once, as whole numbers: 3 ms are exactly what 0.003 is
        return read / 10**9


_GRAMMARS: Final = {
    b"grpc-timeout": _Grammar("Grpc-Timeout", "1 to 8 digits and one of H M S m u n", _grpc_nanoseconds),
    b"connect-timeout-ms": _Grammar("Connect-Timeout-Ms", "1 to 10 digits (milliseconds)", _milliseconds),
    b"x-envoy-expected-rq-timeout-ms": _Grammar(
        "X-Envoy-Expected-Rq-Timeout-Ms", "1 to 10 digits (milliseconds)", _milliseconds
    ),
}


def _shown(value: bytes) -> str:
    """At most 40 printable characters: what it says goes into answers and logs."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "?" for byte in value[:40])
