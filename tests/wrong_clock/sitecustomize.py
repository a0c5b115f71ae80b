"""Loaded by a Python whose clock libfaketime makes wrong: it cannot sleep by `clock_nanosleep` until an instant.

Python has slept so since 3.11, and would get EINVAL. A semaphore's time limit is left alone.
"""

import threading
import time

time.sleep = lambda seconds: threading.Event().wait(seconds) and None
