"""Loading what a long-running command needs."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """What is made inside stays, and nobody looks through it for garbage, now or later.

    Looking takes a sixth of the time that loading an API takes. Later it would hold up every request, for 100 ms and
    more at a time: there are 160,000 objects.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
