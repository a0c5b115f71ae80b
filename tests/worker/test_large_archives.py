"""Archives beyond what the first ZIPs could count: many entries, many bytes, and no more memory for either.

Each is read by Python and by Info-ZIP's `unzip`, which looks at every record and checksum for itself.
"""

import shutil
import subprocess

import pytest

from app.artifacts.opening import open_artifacts
from tests.worker.archives import archive_of, built_apart, item
from worker.archive import Archived

pytestmark = pytest.mark.long

LARGE = 4 << 20
"""Bytes of a document of which a thousand are too many for 32 bits."""


@pytest.fixture
def unzip():
    """Runs `unzip` on the archive of a request."""
    if (command := shutil.which("unzip")) is None:
        pytest.skip("unzip is not installed")

    def run(request, *options):
        file = open_artifacts(request.artifacts).path(request.key)
        return subprocess.run([command, *options, file], capture_output=True, text=True, check=True).stdout

    return run


def test_more_entries_than_sixteen_bits_can_count(request_for, unzip):
    count = 65_600
    request = request_for([item(n, b"%d" % n) for n in range(1, count + 1)], [(1, count, numbers(count))])

    outcome, peak = built_apart(request)

    assert isinstance(outcome, Archived)
    names = [*(f"invoice-{n}.pdf" for n in range(1, count + 1)), "manifest.json", "manifest.csv", "summary.csv"]
    with archive_of(request) as archive:
        assert archive.namelist() == names
        for number in (1, 65_535, 65_536, count):
            assert archive.read(f"invoice-{number}.pdf") == b"%d" % number
    assert unzip(request, "-Z1").splitlines() == names
    assert unzip(request, "-tqq") == ""
    # the entries themselves are kept until the end, a kilobyte each
    assert peak < 300 << 20


def numbers(count):
    return b"".join(b"%d" % number for number in range(1, count + 1))


def test_more_bytes_than_thirty_two_bits_can_count(request_for, unzip):
    """The documents are holes in a file, so that only the archive takes four gigabytes of disk, and nothing memory."""
    count = (4 << 30) // LARGE + 40
    zeros = bytes(LARGE)
    first, large, last = item(1, b"first"), item(2, zeros), item(count + 2, b"last")
    middle = [
        item(n, sha256=large.sha256, bytes=LARGE, outcome=large.outcome, file=f"{n}.pdf") for n in range(2, count + 2)
    ]
    few = request_for([first, *middle[:8]], [(1, 9, lambda file: write(file, documents=8))])
    many = request_for([first, *middle, last], [(1, count + 2, lambda file: write(file, documents=count))])

    _, little = built_apart(few)
    outcome, peak = built_apart(many)

    assert isinstance(outcome, Archived)
    assert outcome.bytes > 4 << 30
    with archive_of(many) as archive:
        assert len(archive.namelist()) == count + 2 + 3
        assert archive.getinfo("manifest.csv").header_offset > 4 << 30
        assert archive.read("invoice-1.pdf") == b"first"
        assert archive.read(f"invoice-{count + 2}.pdf") == b"last"
        assert archive.read(f"{count + 1}.pdf") == zeros
    assert unzip(many, "-tqq") == ""
    assert peak - little < 20 << 20


def write(file, *, documents):
    """A short document, large ones of nothing but zeros, another short one."""
    file.write(b"first")
    file.seek(documents * LARGE, 1)
    file.write(b"last")
