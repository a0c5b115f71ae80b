"""What this process tells operators of itself, and who may read it."""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.types import Scope

from app.messaging.bell import Bell

PREFIX: Final = "sheaf_"
"""Begins the name of every metric of ours."""

_FORWARDED: Final = ("forwarded", "via", "x-real-ip")
"""Headers of which a proxy sends at least one, or one that begins with `x-forwarded-`."""
_OWN_HOST: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one API process, and the token that reads them from anywhere; None if there is none."""

    registry: CollectorRegistry
    token: bytes | None = None

    def may_be_read_by(self, scope: Scope) -> bool:
        """Whether this caller is on this machine and came directly, or has the token."""
        headers = Headers(scope=scope)
        return _came_directly(scope, headers) or self._has_token(headers)

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        if self.token is None or scheme.lower() != "bearer":
            return False
        return hmac.compare_digest(credentials.strip().encode("latin-1"), self.token)


def process_metrics(bell: Bell) -> CollectorRegistry:
    """A registry with what is true of the whole process: its memory, its processor time, its bell."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(_BellCollector(bell))
    return registry


class _BellCollector(Collector):
    """Asks the bell each time that somebody looks."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell

    def collect(self) -> Iterable[Metric]:
        """One counter."""
        yield CounterMetricFamily(
            f"{PREFIX}bells_unheard", "Announcements that reached no worker at once.", value=self._bell.unheard
        )


def _came_directly(scope: Scope, headers: Headers) -> bool:
    """A proxy on this machine would open to the world what is open to this machine: whom it brings is no neighbour.

    A caller who asks for another name than this machine's own came through one too, or was led here by
    a name that somebody else lets point to it.
    """
    if any(name in _FORWARDED or name.startswith("x-forwarded-") for name in headers):
        return False
    return _is_loopback(scope) and _OWN_HOST.fullmatch(headers.get("host", "")) is not None


def _is_loopback(scope: Scope) -> bool:
    client = scope.get("client")
    if client is None:
        return False
    try:
        address = ip_address(client[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback
