"""How many sign-ins of one address may fail in a while. Tokens cannot be guessed; asking for ever costs us."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

MOST: Final = 10
WITHIN: Final = 60.0
"""Seconds in which that many sign-ins may fail."""
_ADDRESSES: Final = 10_000
"""Addresses that are remembered, the latest ones."""


class Attempts:
    """The failed sign-ins of late, by the address that they came from; of this process alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until this address may try again; 0 if it may now."""
        failed = self._failed.get(address)
        if failed is None or len(failed) < MOST:
            return 0.0
        return max(0.0, failed[0] + WITHIN - self._clock())

    def failed(self, address: str) -> None:
        """Remember one that failed just now."""
        self._failed.setdefault(address, deque(maxlen=MOST)).append(self._clock())
        self._failed.move_to_end(address)
        if len(self._failed) > _ADDRESSES:
            self._failed.popitem(last=False)
