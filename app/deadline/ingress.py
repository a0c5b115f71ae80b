"""From what a caller and its proxy sent to the one budget of a request: converted once, on arrival."""

import time
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

from starlette.types import Scope

from app.deadline.arrival import queued_before_us
from app.deadline.budget import Budget, Clock
from app.deadline.headers import asked_seconds, ingress_budget
from app.deadline.signals import Signals

Network = IPv4Network | IPv6Network


class Ingress:
    """Reads deadlines. `trusted` are the proxies whose `X-Request-Start` is believed; none by default."""

    def __init__(self, signals: Signals, *, trusted: Sequence[Network] = (), wall_clock: Clock = time.time) -> None:
        self._signals = signals
        self._trusted = trusted
        self._wall_clock = wall_clock

    def budget(self, scope: Scope, *, maximum: float, now: float) -> Budget:
        """The request's budget; raises `HeaderMalformed`. It may be spent already."""
        headers = scope["headers"]
        budget = ingress_budget(asked_seconds(headers), maximum=maximum, now=now)
        return budget.child(reserve=self._queued(scope), now=now)

    def _queued(self, scope: Scope) -> float:
        """Seconds that the request spent in front of us, as far as that is known."""
        if not self._trusted:
            return 0.0
        for name, value in scope["headers"]:
            if name == b"x-request-start":
                found = queued_before_us(value, wall_now=self._wall_clock()) if self._is_trusted(scope) else None
                if found is None:
                    self._signals.ignored("X-Request-Start")
                return found or 0.0
        return 0.0

    def _is_trusted(self, scope: Scope) -> bool:
        try:
            peer = ip_address((scope.get("client") or ("", 0))[0])
        except ValueError:
            return False
        return any(peer in network for network in self._trusted)
