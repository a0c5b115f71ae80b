"""An upload costs the memory of one order and time in proportion to its length."""

import json
import time
import tracemalloc
from collections.abc import Iterator

from app.orders.stream import UploadReader
from tests.orders.shop import line, order

PIECE = 64 * 1024


def upload(orders: int, before: bytes = b"[", after: bytes = b"]") -> Iterator[bytes]:
    one = json.dumps(order(line_items=[line()] * 5)).encode()
    waiting = bytearray(before)
    for number in range(orders):
        waiting += one if number == 0 else b"," + one
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    yield bytes(waiting) + after


def entries(pieces: Iterator[bytes]) -> int:
    reader = UploadReader()
    return sum(1 for piece in pieces for _ in reader.feed(piece)) + sum(1 for _ in reader.finish())


def peak(pieces: Iterator[bytes]) -> int:
    tracemalloc.start()
    try:
        entries(pieces)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_upload() -> None:
    small = peak(upload(200))
    large = peak(upload(2000, b'{"data":{"orders":[', b"]}}"))

    assert large < small + 200_000
    assert large < 2_000_000


def test_one_large_order_in_small_pieces_is_not_read_again_and_again() -> None:
    data = json.dumps([order(line_items=[line()] * 600)]).encode()

    began = time.process_time()
    assert entries(data[start : start + 64] for start in range(0, len(data), 64)) == 1
    pieced = time.process_time() - began
    began = time.process_time()
    assert entries(iter([data])) == 1
    whole = time.process_time() - began

    # Twice the text for each try costs two readings; one try for each piece would cost thousands.
    assert pieced < 40 * whole + 1
