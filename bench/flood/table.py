"""The table: one column for each run, and their ratio."""

from collections.abc import Iterable, Sequence
from math import inf, isinf
from statistics import fmean

from bench.flood.arrivals import Want
from bench.flood.figures import endings, of_phase, percentile, recovery, seconds_of, useful, work
from bench.flood.lookout import PROBED, Probe, Seen
from bench.flood.story import AFTER, CALM, FLOOD, Run, Story

Column = dict[str, float]


def column(story: Story, run: Run) -> Column:
    """What one run comes to. Of what is sampled, only the flood counts."""
    during = (run.starts_at + story.flood_begins, run.starts_at + story.flood_ends)
    calm, flood, after = (of_phase(run.calls, phase) for phase in (CALM, FLOOD, AFTER))
    ends = endings(run.calls)
    done = work(run.calls, run.ended)
    spent = [seconds for seconds in map(seconds_of, flood) if seconds < inf]
    return {
        "callers in the flood": len(flood),
        "useful successes": useful(flood),
        "  looks": useful(flood, Want.LOOK),
        "  creates": useful(flood, Want.CREATE),
        "  p95, tries included [ms]": percentile(spent, 0.95) * 1000,
        f"recovery, if within {story.phases[2].seconds:g} s [s]": recovery(calm, after, flood_ended=story.flood_ends),
        f"useful of {len(after)} callers after": useful(after),
        f"useful of {len(calm)} callers before": useful(calm),
        "tries": ends.total(),
        "  shed (503)": ends.pop("shed", 0),
        "  stopped (504)": ends.pop("stopped", 0),
        "  given up by the caller": ends.pop("gave up", 0),
        "  useful": ends.pop("useful", 0),
        "  anything else": ends.total(),
        "slow statements done": done.done,
        "  for a caller who had left": done.for_nobody,
        "finished late, by /metrics": run.told.get("sheaf_finished_late_total:caller_left", inf)
        + run.told.get("sheaf_finished_late_total:deadline", inf),
        **_pool(run.seen, during),
        **_probes(run.seen.probes, during),
        **_loop(run.seen, during),
        "load behind schedule, p99 [ms]": percentile((call.late_by for call in run.calls), 0.99) * 1000,
    }


def _pool(seen: Seen, during: tuple[float, float]) -> Column:
    readings = [reading.numbers for reading in seen.readings if during[0] <= reading.at < during[1]]
    return {
        "connections lent, mean": _mean(one.get("sheaf_pool_in_use:database", inf) for one in readings),
        "connections at work, mean": _mean(
            sample.busy for sample in seen.samples if during[0] <= sample.at < during[1]
        ),
        "permits at the end": readings[-1].get("sheaf_pool_size:permits", inf) if readings else inf,
    }


def _probes(probes: Sequence[Probe], during: tuple[float, float]) -> Column:
    found: Column = {}
    for path in PROBED:
        mine = [probe for probe in probes if probe.path == path and during[0] <= probe.at < during[1]]
        seconds = [probe.seconds for probe in mine]
        found[f"{path} p99 [ms]"] = percentile(seconds, 0.99) * 1000
        found[f"{path} longest [ms]"] = max(seconds, default=inf) * 1000
        found[f"{path} not 200"] = sum(not probe.is_well for probe in mine)
    return found


def _loop(seen: Seen, during: tuple[float, float]) -> Column:
    samples = [sample for sample in seen.samples if during[0] <= sample.at < during[1]]
    first, last = samples[0], samples[-1]
    seconds = last.at - first.at
    return {
        "event loop on a CPU [%]": 100 * (last.on_cpu - first.on_cpu) / seconds,
        "event loop kept waiting [%]": 100 * (last.kept_waiting - first.kept_waiting) / seconds,
    }


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return fmean(found) if found else inf


def lines(off: Column, on: Column) -> list[str]:
    """The table as text: what could not be measured, or never came, is a dash."""
    head = f"{'deadlines':34} {'off':>9} {'on':>9} {'on/off':>8}"
    return [
        head,
        *(f"{name:34} {_figure(off[name]):>9} {_figure(on[name]):>9} {_ratio(on, off, name):>8}" for name in off),
    ]


def _figure(value: float) -> str:
    if isinf(value):
        return "-"
    return f"{value:.0f}" if value == int(value) or value >= 1000 else f"{value:.1f}"


def _ratio(on: Column, off: Column, name: str) -> str:
    if not off[name] or isinf(on[name]) or isinf(off[name]):
        return ""
    return f"{on[name] / off[name]:.2f}"
