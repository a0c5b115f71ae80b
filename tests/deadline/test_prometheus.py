"""The signals that an operator reads: their names, their values, and labels that nobody can grow."""

from math import inf

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.parser import text_string_to_metric_families

from app.deadline.outcome import Outcome
from app.deadline.prometheus import OTHER, PrometheusSignals

ROUTE = "/v1/things/{thing_id}"


@pytest.fixture
def registry():
    return CollectorRegistry()


@pytest.fixture
def signals(registry):
    return PrometheusSignals(registry, prefix="shop_", routes=[ROUTE])


def told(registry, name, *, buckets=()):
    """The samples of one name by their labels' values, of histograms count, sum and `buckets`."""
    found = {}
    for family in text_string_to_metric_families(generate_latest(registry).decode()):
        for sample in family.samples:
            labels = dict(sample.labels)
            le = labels.pop("le", None)
            if sample.name == name or (sample.name == f"{name}_bucket" and le in buckets):
                found[(*labels.values(), *([le] if le else []))] = sample.value
            elif sample.name in {f"{name}_count", f"{name}_sum"}:
                found[(*labels.values(), sample.name.rpartition("_")[2])] = sample.value
    return found


def test_requests_are_counted_by_route_outcome_and_class_of_status(registry, signals):
    signals.ended(ROUTE, Outcome.COMPLETED, status=200, seconds=0.02)
    signals.ended(ROUTE, Outcome.COMPLETED, status=204, seconds=0.02)
    signals.ended(ROUTE, Outcome.COMPLETED, status=500, seconds=0.02)
    signals.ended(ROUTE, Outcome.ADMISSION_DENIED, status=503, seconds=0.25)
    signals.ended("unknown", Outcome.CALLER_CANCELLED, status=0, seconds=3)

    assert told(registry, "shop_requests_total") == {
        ("completed", ROUTE, "2xx"): 2,
        ("completed", ROUTE, "5xx"): 1,
        ("admission_denied", ROUTE, "5xx"): 1,
        ("caller_cancelled", "unknown", "none"): 1,
    }
    assert told(registry, "shop_request_seconds", buckets=["0.01", "0.025", "10.0"]) == {
        (ROUTE, "0.01"): 0,
        (ROUTE, "0.025"): 3,
        (ROUTE, "10.0"): 4,
        (ROUTE, "count"): 4,
        (ROUTE, "sum"): pytest.approx(0.31),
        ("unknown", "0.01"): 0,
        ("unknown", "0.025"): 0,
        ("unknown", "10.0"): 1,
        ("unknown", "count"): 1,
        ("unknown", "sum"): 3,
    }


def test_useful_successes_and_what_was_shed_can_be_computed(registry, signals):
    for outcome, status in [
        (Outcome.COMPLETED, 202),
        (Outcome.COMPLETED, 404),
        (Outcome.COMPLETED, 500),
        (Outcome.DEADLINE_LOCAL, 504),
        (Outcome.ADMISSION_DENIED, 503),
    ]:
        signals.ended(ROUTE, outcome, status=status, seconds=0.1)

    requests = told(registry, "shop_requests_total")

    assert sum(n for (how, _, status), n in requests.items() if how == "completed" and status != "5xx") == 2
    assert sum(n for (how, _, _), n in requests.items() if how == "admission_denied") == 1
    assert sum(requests.values()) == 5


def test_budgets_queues_and_dependencies_are_measured(registry, signals):
    signals.began(ROUTE, budget=1.0)
    signals.reached("database", left=0.4)
    signals.reached("database", left=0.0)
    signals.queued("pool", seconds=0.004)
    signals.used("redis", seconds=0.0008)
    signals.stopped(seconds=0.02)

    assert told(registry, "shop_request_budget_seconds") == {(ROUTE, "count"): 1, (ROUTE, "sum"): 1}
    assert told(registry, "shop_budget_left_seconds", buckets=["0.001", "0.5"]) == {
        ("database", "0.001"): 1,
        ("database", "0.5"): 2,
        ("database", "count"): 2,
        ("database", "sum"): 0.4,
    }
    assert told(registry, "shop_queue_seconds", buckets=["0.005"]) == {
        ("pool", "0.005"): 1,
        ("pool", "count"): 1,
        ("pool", "sum"): 0.004,
    }
    assert told(registry, "shop_dependency_seconds") == {("redis", "count"): 1, ("redis", "sum"): 0.0008}
    assert told(registry, "shop_stop_seconds") == {("count",): 1, ("sum",): 0.02}


def test_no_deadline_is_no_measurement(registry, signals):
    signals.reached("database", left=inf)
    signals.reached("database", left=0.5)
    signals.began(ROUTE, budget=inf)

    assert told(registry, "shop_budget_left_seconds") == {("database", "count"): 1, ("database", "sum"): 0.5}
    assert told(registry, "shop_request_budget_seconds") == {(ROUTE, "count"): 0, (ROUTE, "sum"): 0}


def test_expiries_refusals_late_work_zombies_and_ignored_headers_are_counted(registry, signals):
    signals.expired("handler")
    signals.expired("handler")
    signals.refused("concurrency_limit")
    signals.finished_late("deadline")
    signals.zombies("thread", 2)
    signals.zombies("thread", 1)
    signals.ignored("X-Request-Start")

    assert told(registry, "shop_expiries_total") == {("handler",): 2}
    assert told(registry, "shop_refusals_total") == {("concurrency_limit",): 1, ("deadline_expired",): 0}
    assert told(registry, "shop_finished_late_total") == {("deadline",): 1, ("caller_left",): 0}
    assert told(registry, "shop_zombies") == {("task",): 0, ("thread",): 1}
    assert told(registry, "shop_ignored_headers_total") == {("X-Request-Start",): 1}


def test_a_pool_is_asked_each_time_somebody_looks(registry, signals):
    taken, free = [3], [1, 2]
    signals.watch_pool("database", lambda: len(taken), lambda: len(taken) + len(free))

    before = told(registry, "shop_pool_in_use")
    taken.append(4)

    assert before == {("database",): 1}
    assert told(registry, "shop_pool_in_use") == {("database",): 2}
    assert told(registry, "shop_pool_size") == {("database",): 4}


def test_a_flood_of_odd_words_grows_no_label_without_bound(registry):
    signals = PrometheusSignals(registry, routes=[ROUTE], at_most=5)

    for number in range(1000):
        odd = f"/{number}\n\"'"
        signals.ended(odd, Outcome.COMPLETED, status=number, seconds=0.1)
        signals.began(odd, budget=1)
        signals.queued(odd, seconds=0.1)
        signals.refused(odd)
        signals.reached(odd, left=0.1)
        signals.used(odd, seconds=0.1)
        signals.expired(odd)
        signals.finished_late(odd)
        signals.zombies(odd, 1)
        signals.ignored(odd)
    signals.ended(ROUTE, Outcome.COMPLETED, status=200, seconds=0.1)

    assert {labels[0] for labels in told(registry, "expiries_total")} == {
        OTHER,
        *(f"/{number}\n\"'" for number in range(5)),
    }
    assert told(registry, "requests_total")["completed", ROUTE, "2xx"] == 1
    by_label = {}
    for family in text_string_to_metric_families(generate_latest(registry).decode()):
        for sample in family.samples:
            for label, value in sample.labels.items():
                if label not in {"le", "status", "outcome"}:
                    by_label.setdefault((family.name, label), set()).add(value)
    assert {place: len(values) for place, values in by_label.items() if len(values) > 6} == {}
    assert {labels[2] for labels in told(registry, "requests_total")} == {"none", "1xx", "2xx", "3xx", "4xx", "5xx"}


def test_two_services_of_one_process_keep_registries_of_their_own(registry, signals):
    other = CollectorRegistry()
    PrometheusSignals(other, prefix="shop_").expired("handler")

    assert told(registry, "shop_expiries_total") == {}
    assert told(other, "shop_expiries_total") == {("handler",): 1}


def test_what_is_told_is_openmetrics_too(registry, signals):
    signals.ended(ROUTE, Outcome.COMPLETED, status=200, seconds=0.02)

    text = generate_openmetrics(registry, version="1.0.0").decode()

    assert f'shop_requests_total{{outcome="completed",route="{ROUTE}",status="2xx"}} 1.0' in text
    assert text.endswith("# EOF\n")
