"""Ranges of dates that people ask for by name. Pure: whoever asks brings the day that it is in the shop."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Preset:
    """Whole days, both included."""

    name: str
    since: date
    until: date

    @property
    def value(self) -> str:
        """What a form sends for it: the days themselves, which mean the same tomorrow."""
        return f"{self.since}/{self.until}"


def presets(today: date) -> list[Preset]:
    """The ranges that are offered on a day."""
    return list(_presets(today))


def _presets(today: date) -> Iterator[Preset]:
    month = today.replace(day=1)
    quarter = month.replace(month=3 * ((today.month - 1) // 3) + 1)
    year = month.replace(month=1)
    for name, begin in (("month", month), ("quarter", quarter), ("year", year)):
        last = begin - timedelta(days=1)
        yield Preset(f"last_{name}", _beginning(name, last), last)
        yield Preset(f"this_{name}", begin, today)


def _beginning(name: str, last: date) -> date:
    """The first day of the month, quarter or year that ends with `last`."""
    months = {"month": 0, "quarter": 2, "year": 11}[name]
    return last.replace(day=1, month=last.month - months)
