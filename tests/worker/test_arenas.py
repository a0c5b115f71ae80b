"""Threads of a worker share what memory is free, instead of each keeping the most that it ever had."""

import subprocess
import sys

ARENAS = """
import ctypes, threading
from worker.arenas import share_one_arena
{before}
go = threading.Barrier(8)
def work():
    go.wait()
    kept = [bytearray(20_000) for _ in range(200)]
    go.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
library = ctypes.CDLL(None)
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


def arenas(before=""):
    told = subprocess.run(
        [sys.executable, "-c", ARENAS.format(before=before)], capture_output=True, text=True, check=True, timeout=60
    )
    return told.stdout.count("<heap nr=")


def test_threads_share_one_arena_where_each_would_have_its_own():
    assert arenas() > 1
    assert arenas("share_one_arena()") == 1
