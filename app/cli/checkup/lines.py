"""What a check says, and the bound on its time: a server that is frozen must not freeze who asks about it."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from time import monotonic

from app.cli.faults import sentence


class Verdict(StrEnum):
    """How a thing is."""

    OK = "ok"
    WARN = "warn"
    """It works, but not as well or as safely as it could."""
    BAD = "bad"
    """Exports cannot be made, or not safely."""


@dataclass(frozen=True, slots=True)
class Line:
    """One finding; `advice` is empty for what is as it should be."""

    check: str
    verdict: Verdict
    found: str
    advice: str = ""


Findings = Iterator[Line]


@dataclass(frozen=True, slots=True)
class Check:
    """A named look at one thing, and how many seconds it may take."""

    name: str
    look: Callable[[], Findings]
    seconds: float


def findings(check: Check) -> Iterator[Line]:
    """The check's lines as they come; one more if it fails, or has said nothing more by the end of its time.

    It runs in a thread that nobody waits for any longer then: it ends with the process.
    """
    said: SimpleQueue[Line | None] = SimpleQueue()
    threading.Thread(target=_run, args=(check, said), name=f"check-{check.name}", daemon=True).start()
    give_up_at = monotonic() + check.seconds
    while True:
        try:
            line = said.get(timeout=max(0.0, give_up_at - monotonic()))
        except Empty:
            yield Line(
                check.name,
                Verdict.BAD,
                f"It has not answered for {check.seconds:g} s.",
                "It may be frozen, overloaded, or behind a network that drops what is sent",
            )
            return
        if line is None:
            return
        yield line


def _run(check: Check, said: "SimpleQueue[Line | None]") -> None:
    try:
        for line in check.look():
            said.put(line)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a check is what it found
        text = sentence(error) or f"{type(error).__name__}: {error}"
        said.put(Line(check.name, Verdict.BAD, text, "See what is said of it in the README"))
    finally:
        said.put(None)
