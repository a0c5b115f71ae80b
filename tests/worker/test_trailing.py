"""The digest beside a writer: of all that was written, whatever was changed before it was told of, or an error."""

import hashlib
import os
import threading

import pytest

from worker.trailing import STRIDE, TrailingDigest


@pytest.fixture
def file(tmp_path):
    with (tmp_path / "file").open("x+b") as file:
        yield file


def test_it_is_that_of_the_file_with_what_was_changed_before_it_was_told(file):
    with TrailingDigest(file) as digest:
        for _ in range(5):
            begin = file.tell()
            file.write(b"later" + os.urandom(STRIDE))
            end = file.tell()
            file.seek(begin)
            file.write(b"HEAD.")
            file.seek(end)
            digest.follow()
        file.write(b"the end")

        found = digest.end()

    file.seek(0)
    assert found == hashlib.sha256(file.read()).hexdigest()


def test_most_of_a_large_file_is_hashed_before_it_ends(file):
    with TrailingDigest(file) as digest:
        for _ in range(4):
            file.write(bytes(STRIDE))
            digest.follow()
        digest._thread.submit(int).result(60)

        assert digest._hashed == 4 * STRIDE
        digest.end()


def test_bytes_that_are_gone_are_an_error_and_no_digest_of_the_rest(file):
    with TrailingDigest(file) as digest:
        file.write(bytes(100))
        file.flush()
        os.truncate(file.name, 50)

        with pytest.raises(OSError, match="not there"):
            digest.end()


def test_a_writer_that_fails_leaves_no_thread(file):
    before = set(threading.enumerate())

    with pytest.raises(ZeroDivisionError):
        _write_and_fail(file)

    assert set(threading.enumerate()) <= before


def _write_and_fail(file):
    with TrailingDigest(file) as digest:
        file.write(bytes(STRIDE))
        digest.follow()
        raise ZeroDivisionError
