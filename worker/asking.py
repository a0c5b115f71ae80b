"""Metrics that are asked for each time that somebody looks: of the process, of the pool, of the broker."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from app.documents.pool import RendererPool


def own_registry() -> CollectorRegistry:
    """A registry with what is true of the whole process: its memory, its processor time."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class Children(Collector):
    """The renderer's children, asked of their pool."""

    def __init__(self, pool: RendererPool) -> None:
        self._pool = pool

    def collect(self) -> Iterable[Metric]:
        """Two counters."""
        yield CounterMetricFamily("sheaf_children_started", "Renderer children started.", value=self._pool.started)
        ended = CounterMetricFamily(
            "sheaf_children_ended", "Renderer children ended: worn by use, or killed and lost.", labels=["why"]
        )
        ended.add_metric(["worn"], self._pool.worn)
        ended.add_metric(["killed"], self._pool.killed)
        yield ended


class LostBells(Collector):
    """The bell's connections, asked of the broker."""

    def __init__(self, lost: Callable[[], int]) -> None:
        self._lost = lost

    def collect(self) -> Iterable[Metric]:
        """One counter."""
        yield CounterMetricFamily(
            "sheaf_bell_connections_lost", "Connections to Redis that a worker lost.", value=self._lost()
        )
