"""What a run found."""

from collections import Counter
from dataclasses import dataclass, field

from tests.chaos.journal import Journal
from tests.chaos.recovery import Recovery
from tests.chaos.script import Deed, Script


@dataclass(slots=True)
class Outcome:
    """What a run found."""

    script: Script
    journal: Journal
    states: Counter[str] = field(default_factory=Counter)
    deeds: Counter[Deed] = field(default_factory=Counter)
    recoveries: list[Recovery] = field(default_factory=list)
    lapses: int = 0
    strikes: int = 0
    items: int = 0
    asked_again: int = 0
    cancels: int = 0
    seconds: float = 0.0
    """Under fire."""
    story: str = ""
    """What happened to the jobs that are at issue, in order; empty when all is well."""
