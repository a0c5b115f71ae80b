"""The renderer's children as metrics, asked of their pool each time that somebody looks."""

from collections.abc import Iterable

from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from app.documents.pool import RendererPool


class Children(Collector):
    """How many children a pool has started, and how those that ended did; `prefix` begins the names."""

    def __init__(self, pool: RendererPool, *, prefix: str) -> None:
        self._pool = pool
        self._prefix = prefix

    def collect(self) -> Iterable[Metric]:
        """Two counters."""
        yield CounterMetricFamily(
            f"{self._prefix}children_started", "Renderer children started.", value=self._pool.started
        )
        ended = CounterMetricFamily(
            f"{self._prefix}children_ended",
            "Renderer children ended: worn by use, or killed and lost.",
            labels=["why"],
        )
        ended.add_metric(["worn"], self._pool.worn)
        ended.add_metric(["killed"], self._pool.killed)
        yield ended
