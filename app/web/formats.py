"""How the console writes numbers, sizes, spans and instants; instants in the store's time zone."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal

from app.web.texts import Texts

_UNITS = ("B", "kB", "MB", "GB", "TB")


class Formats:
    """Writes for readers of one language."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._locale = texts.language

    def number(self, value: float) -> str:
        """12,345."""
        return str(format_decimal(value, locale=self._locale))

    def ratio(self, value: float) -> str:
        """8.23; rounded down, so that what is too little never reads like what is enough."""
        return str(format_decimal(int(value * 100) / 100, "0.00", locale=self._locale))

    def rate(self, per_second: float) -> str:
        """12 a second; below one a second, how many a minute."""
        if per_second < 1:
            return self._texts("rate.minute", rate=format_decimal(round(per_second * 60, 1), locale=self._locale))
        shown = round(per_second, 1) if per_second < 10 else round(per_second)
        return self._texts("rate.second", rate=format_decimal(shown, locale=self._locale))

    def size(self, count: int) -> str:
        """450.9 kB; a kB has 1,000 bytes, as file managers and the command line count."""
        value, unit = float(count), _UNITS[0]
        for unit in _UNITS:
            if value < 1000 or unit == _UNITS[-1]:
                break
            value /= 1000
        return f"{format_decimal(round(value, 1), locale=self._locale)} {unit}"

    def span(self, seconds: float) -> str:
        """2 minutes; the two largest units at most, rounded up to five seconds so that it does not flicker."""
        whole = max(5, 5 * -(-round(seconds) // 5))
        if whole < 60:
            return self._texts("span.seconds", count=whole)
        minutes = round(whole / 60)
        if minutes < 60:
            return self._texts("span.minutes", count=minutes)
        hours, rest = divmod(minutes, 60)
        if hours < 24:
            text = self._texts("span.hours", count=hours)
            return f"{text} {self._texts('span.minutes', count=rest)}" if rest else text
        return self._texts("span.days", count=round(hours / 24))

    def instant(self, at: datetime, zone: ZoneInfo) -> str:
        """30 Nov 2026, 14:05."""
        return format_datetime(at, "d MMM y, HH:mm", tzinfo=zone, locale=self._locale)

    def clock(self, at: datetime, zone: ZoneInfo) -> str:
        """30 Nov 2026, 14:05:09."""
        return format_datetime(at, "d MMM y, HH:mm:ss", tzinfo=zone, locale=self._locale)

    def day(self, day: date) -> str:
        """30 Nov 2026."""
        return format_date(day, "d MMM y", locale=self._locale)
