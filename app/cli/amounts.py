"""Sizes, spans and counts as people read them."""


def size(count: int) -> str:
    """Bytes as `812 bytes`, `14.2 kB` or `1.3 MB`."""
    if count < 1000:
        return f"{count} bytes"
    kilo = count / 1000
    if kilo < 999.95:
        return f"{kilo:.1f} kB"
    mega = kilo / 1000
    return f"{mega:.1f} MB" if mega < 999.95 else f"{mega / 1000:.1f} GB"


def span(seconds: float) -> str:
    """Seconds as `8 s`, `12 min` or `3 h 5 min`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
