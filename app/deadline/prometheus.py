"""Signals as Prometheus metrics, on a registry that is passed in."""

from collections.abc import Callable, Iterable
from math import isinf
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from app.deadline.outcome import Outcome, Reason
from app.deadline.signals import Signals

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds: from what admission may cost to the longest budget of an ordinary call."""
OTHER: Final = "other"
"""The one label of everything that comes when a label has its full number of values."""


class PrometheusSignals(Signals):
    """Counts and measures on `registry`; `prefix` begins every name, such as `shop_`.

    Routes are path templates. Those in `routes` are told apart whatever comes first; beyond
    `at_most` values of one label the rest is `other`, so that no caller can grow the memory.

    Useful successes are `requests_total{outcome="completed",status!="5xx"}`, what was shed is
    `requests_total{outcome="admission_denied"}`, and why is in `refusals_total`.
    """

    def __init__(
        self, registry: CollectorRegistry, *, prefix: str = "", routes: Iterable[str] = (), at_most: int = 100
    ) -> None:
        def counter(name: str, tells: str, *labels: str) -> Counter:
            return Counter(prefix + name, tells, labels, registry=registry)

        def gauge(name: str, tells: str, *labels: str) -> Gauge:
            return Gauge(prefix + name, tells, labels, registry=registry)

        def histogram(name: str, tells: str, *labels: str) -> Histogram:
            return Histogram(prefix + name, tells, labels, registry=registry, buckets=BUCKETS)

        self._routes = _Words(routes, at_most=at_most)
        self._boundaries = _Words(at_most=at_most)
        self._dependencies = _Words(at_most=at_most)
        self._queues = _Words(at_most=at_most)
        self._reasons = _Words((Reason.DEADLINE_EXPIRED, Reason.CONCURRENCY_LIMIT), at_most=at_most)
        self._whys = _Words(("deadline", "caller_left"), at_most=at_most)
        self._kinds = _Words(("task", "thread"), at_most=at_most)
        self._headers = _Words(at_most=at_most)

        self._requests = counter(
            "requests_total", "Requests that ended, by how and with what status.", "route", "outcome", "status"
        )
        self._request_seconds = histogram("request_seconds", "From a request's first byte to its end.", "route")
        self._budget = histogram("request_budget_seconds", "Left when a request was admitted.", "route")
        self._left = histogram("budget_left_seconds", "Left for a dependency when it was reached.", "boundary")
        self._used = histogram("dependency_seconds", "How long a dependency was used.", "dependency")
        self._queued = histogram("queue_seconds", "How long a request stood in a queue.", "queue")
        self._expired = counter("expiries_total", "Budgets that ended, by where.", "boundary")
        self._refused = counter("refusals_total", "Requests that were not begun, by why.", "reason")
        self._stopped = histogram("stop_seconds", "From telling a handler to stop until it had.")
        self._late = counter("finished_late_total", "Handlers that did all of their work for nobody.", "why")
        self._zombies = gauge("zombies", "Handlers and threads that go on although told to stop.", "kind")
        self._ignored = counter("ignored_headers_total", "Headers that were not usable.", "header")
        self._pool_in_use = gauge("pool_in_use", "Connections or permits that are taken.", "pool")
        self._pool_size = gauge("pool_size", "Connections or permits that there are.", "pool")
        # a rate needs its zero: what may never happen stands there from the start
        for reason in self._reasons.known:
            self._refused.labels(reason)
        for why in self._whys.known:
            self._late.labels(why)
        for kind in self._kinds.known:
            self._zombies.labels(kind)

    def watch_pool(self, name: str, in_use: Callable[[], int], size: Callable[[], int]) -> None:
        """Ask a pool how many there are and how many of them are taken, each time that somebody looks."""
        self._pool_in_use.labels(name).set_function(in_use)
        self._pool_size.labels(name).set_function(size)

    def began(self, route: str, *, budget: float) -> None:
        """A request was admitted with this much left."""
        _observe(self._budget.labels(self._routes.word(route)), budget)

    def ended(self, route: str, outcome: Outcome, *, status: int, seconds: float) -> None:
        """A request ended; `status` is 0 if no answer began."""
        word = self._routes.word(route)
        self._requests.labels(word, outcome, _status_class(status)).inc()
        self._request_seconds.labels(word).observe(seconds)

    def queued(self, queue: str, *, seconds: float) -> None:
        """A request left a queue after that long."""
        self._queued.labels(self._queues.word(queue)).observe(seconds)

    def refused(self, reason: str) -> None:
        """Admission refused a request."""
        self._refused.labels(self._reasons.word(reason)).inc()

    def reached(self, boundary: str, *, left: float) -> None:
        """A request reached a dependency with that much left for it."""
        _observe(self._left.labels(self._boundaries.word(boundary)), left)

    def used(self, dependency: str, *, seconds: float) -> None:
        """A dependency was used for that long."""
        self._used.labels(self._dependencies.word(dependency)).observe(seconds)

    def expired(self, boundary: str) -> None:
        """A budget ended here."""
        self._expired.labels(self._boundaries.word(boundary)).inc()

    def stopped(self, *, seconds: float) -> None:
        """A handler stopped that long after it was told to."""
        self._stopped.observe(seconds)

    def finished_late(self, why: str) -> None:
        """A handler did all of its work although nobody waited any more."""
        self._late.labels(self._whys.word(why)).inc()

    def zombies(self, kind: str, count: int) -> None:
        """So many go on although they were told to stop."""
        self._zombies.labels(self._kinds.word(kind)).set(count)

    def ignored(self, header: str) -> None:
        """A header was not usable and was ignored."""
        self._ignored.labels(self._headers.word(header)).inc()


class _Words:
    """The values of one label: the known ones, then the first that come, at most so many in all."""

    def __init__(self, known: Iterable[str] = (), *, at_most: int) -> None:
        self.known = tuple(map(str, known))
        self._words = set(self.known)
        self._at_most = at_most

    def word(self, said: str) -> str:
        if said in self._words:
            return said
        if len(self._words) < self._at_most:
            self._words.add(said)
            return said
        return OTHER


def _status_class(status: int) -> str:
    return f"{status // 100}xx" if 100 <= status < 600 else "none"


def _observe(histogram: Histogram, seconds: float) -> None:
    # no deadline is no measurement: one infinity would spoil the sum for ever
    if not isinf(seconds):
        histogram.observe(seconds)
