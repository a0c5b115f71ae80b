"""Metrics that are asked for each time that somebody looks: of the process, of the broker."""

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector


def own_registry() -> CollectorRegistry:
    """A registry with what is true of the whole process: its memory, its processor time."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class LostBells(Collector):
    """The bell's connections, asked of the broker."""

    def __init__(self, lost: Callable[[], int]) -> None:
        self._lost = lost

    def collect(self) -> Iterable[Metric]:
        """One counter."""
        yield CounterMetricFamily(
            "sheaf_bell_connections_lost", "Connections to Redis that a worker lost.", value=self._lost()
        )
