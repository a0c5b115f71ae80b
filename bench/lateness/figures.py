"""What was seen of a fault, and how it is told."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from bench.lateness.calls import Called, Seen

ALLOWED: Final = 50.0
"""The bar, in milliseconds: what a fault may add to the lateness of the server at p99 and p99.9."""
CARRIED: Final = 0.9
"""The part of the calls without a fault that must be answered by their handlers: else the load is too much for
the machine, and what a fault adds is not to be seen."""
PARTS: Final = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}


@dataclass(slots=True)
class Side:
    """All calls of one kind."""

    called: list[Called] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def served(self) -> float:
        """The part that its handlers answered: neither refused nor too late."""
        return sum(not one.result.startswith(("0", "503", "504")) for one in self.called) / len(self.called)

    def add(self, seen: Seen) -> None:
        """One block more."""
        self.called += seen.called
        self.probes += seen.probes
        self.seconds += seen.seconds


@dataclass(slots=True)
class Comparison:
    """One fault, and the same load without it."""

    faulted: Side = field(default_factory=Side)
    control: Side = field(default_factory=Side)
    recoveries: list[float] = field(default_factory=list)
    """Milliseconds from each release to the next success."""
    left_behind: str = ""

    def late(self, account: str) -> dict[str, dict[str, float]]:
        """By how much calls were late, on both sides and as a difference; without those that admission refused.

        A refusal comes at once, and would only make the rest look better.
        """
        rows = {
            side: _parts([getattr(one, account) for one in seen.called if not one.result.startswith("503")])
            for side, seen in (("faulted", self.faulted), ("control", self.control))
        }
        rows["faulted less control"] = {part: rows["faulted"][part] - rows["control"][part] for part in PARTS}
        return rows

    @property
    def verdict(self) -> str:
        """Whether the server kept to the bar."""
        if self.control.served < CARRIED:
            return f"not to be said: only {self.control.served:.0%} were served without the fault, the rate is too high"
        difference = self.late("late_server")["faulted less control"]
        return "yes" if difference["p99"] < ALLOWED and difference["p99.9"] < ALLOWED else "NO"


def percentile(values: list[float], part: float) -> float:
    """The value that this part of all values does not pass (nearest rank)."""
    return sorted(values)[max(0, ceil(len(values) * part) - 1)]


def lines(name: str, found: Comparison) -> Iterator[str]:
    """One fault's table."""
    sides = {"faulted": found.faulted, "control": found.control}
    yield f"{name}: {len(found.faulted.called):,} calls, {len(found.control.called):,} beside them"
    yield f"  {'milliseconds late':34}" + "".join(f"{part:>9}" for part in PARTS)
    for who, account in (("server", "late_server"), ("client", "late")):
        for side, row in found.late(account).items():
            yield f"  {f'{who}, {side}':34}" + "".join(f"{row[part]:9.1f}" for part in PARTS)
    for side, seen in sides.items():
        yield f"  {f'probes, {side} ({len(seen.probes):,})':34}" + "".join(
            f"{value:9.1f}" for value in _parts(seen.probes).values()
        )
    for side, seen in sides.items():
        results = ", ".join(
            f"{count:,} × {said}" for said, count in Counter(c.result for c in seen.called).most_common()
        )
        yield f"  {side}: {len(seen.called) / seen.seconds:.1f} calls/s, {seen.served:.1%} served; {results}"
    yield "  first success after the release, ms: " + ", ".join(f"{one:.0f}" for one in found.recoveries)
    yield f"  left behind: {found.left_behind}"
    yield f"  under {ALLOWED:.0f} ms more than beside, server, p99 and p99.9: {found.verdict}"


def _parts(values: list[float]) -> dict[str, float]:
    return {name: percentile(values, part) for name, part in PARTS.items()}
