"""What a run prints at its end: its figures, and on failure what happened in order."""

from collections import Counter

from tests.chaos.outcome import Outcome
from tests.chaos.recovery import percentile


def command(outcome: Outcome) -> str:
    """How to repeat it."""
    script = outcome.script
    arguments = f"--jobs {script.jobs} --owners {script.owners} --minutes {script.minutes:g} --seed {script.seed}"
    if script.pace != 1:
        arguments += f" --pace {script.pace:g}"
    return f"make chaos ARGS='{arguments}'"


def rows(outcome: Outcome) -> list[tuple[str, str]]:
    """The figures, each with its name."""
    jobs = outcome.states.total()
    killed = [found.seconds for found in outcome.recoveries if found.signal == "SIGKILL"]
    frozen = [found.seconds for found in outcome.recoveries if found.signal == "SIGSTOP"]
    signals = Counter((sent.signal, sent.target.rstrip(" 0123456789")) for sent in outcome.journal.signals)
    return [
        ("exports accepted, all ended", f"{jobs}"),
        ("by final state", ", ".join(f"{count} {state}" for state, count in sorted(outcome.states.items()))),
        ("items settled, each once", f"{outcome.items}"),
        ("seconds under fire", f"{outcome.seconds:.0f} ({60 * jobs / max(outcome.seconds, 1):.0f} exports a minute)"),
        ("signals", ", ".join(f"{count} {name} to {target}" for (name, target), count in sorted(signals.items()))),
        ("faults", ", ".join(f"{count} × {deed}" for deed, count in sorted(outcome.deeds.items()))),
        ("calls asked again", f"{outcome.asked_again}"),
        ("cancels accepted", f"{outcome.cancels}"),
        ("claims that lapsed", f"{outcome.lapses}"),
        ("strikes", f"{outcome.strikes}"),
        ("steps whose holder was killed: to the next progress", _spread(killed)),
        ("steps whose holder was frozen: to the next progress", _spread(frozen)),
        ("violations", f"{len(outcome.journal.violations)}"),
    ]


def text(outcome: Outcome) -> str:
    """All of it, to read."""
    figures = "\n".join(f"{name:52} {value}" for name, value in rows(outcome))
    failure = "\n".join([*outcome.journal.violations[:50], "", outcome.story]) if outcome.journal.violations else ""
    return "\n".join(part for part in (figures, f"to repeat: {command(outcome)}", failure) if part)


def markdown(outcome: Outcome) -> str:
    """The block for bench/RESULTS.md."""
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows(outcome))]
    return "\n".join([f"`{command(outcome)}`", "", *lines])


def _spread(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    p50, p99 = percentile(seconds, 0.5), percentile(seconds, 0.99)
    return f"{len(seconds)}: p50 {p50:.1f} s, p99 {p99:.1f} s, max {max(seconds):.1f} s"
