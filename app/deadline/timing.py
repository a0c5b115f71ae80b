"""`Server-Timing` (W3C): the budget of a request and what each of its dependencies used, in milliseconds."""

from app.deadline.current import Deadline


def server_timing(deadline: Deadline, *, total: float, budget: float) -> tuple[bytes, bytes]:
    """The raw header. `total` and `budget` are seconds; a budget without end is not told."""
    parts = [_entry("total", total)]
    if budget != float("inf"):
        parts += [_entry("budget", budget), _entry("left", max(0.0, budget - total))]
    parts += [_entry(boundary, seconds) for boundary, seconds in deadline.spent.items()]
    return b"server-timing", ", ".join(parts).encode()


def _entry(name: str, seconds: float) -> str:
    return f"{name};dur={seconds * 1000:.1f}"
