"""How long a request waited before this process saw it: the one thing that needs a wall clock."""

import re
from typing import Final

_LONGEST: Final = 5.0
"""Seconds: more than that is a clock that is wrong, or a request that was sent again."""

_FORM: Final = re.compile(rb"(?:t=)?(\d{9,17}(?:\.\d{1,9})?)")

_UNITS: Final = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6))
"""Below which number an instant since 1970 is in seconds, milliseconds or microseconds.

The ranges cannot be mistaken for one another between 1973 and the year 5138.
"""


def queued_before_us(value: bytes, *, wall_now: float) -> float | None:
    """Seconds between the instant in an `X-Request-Start` and `wall_now` (seconds since 1970), if within 0 to 5.

    Forms in use (New Relic, "Configure request queue reporting"): `t=1512379167.574` as nginx writes it,
    whole milliseconds (Heroku) or microseconds (Apache), each with or without `t=`. None for anything
    else, and for a time that cannot be true. Never raises: it is a hint, and no reason to refuse a request.
    """
    found = _FORM.fullmatch(value.strip(b" \t"))
    if found is None:
        return None
    number = float(found[1])
    for below, per_second in _UNITS:
        if number < below:
            spent = wall_now - number / per_second
            return spent if 0.0 <= spent <= _LONGEST else None
    return None
