"""A large archive survives every cut, and fifty readers at once cost the server no memory."""

import pytest

from bench.downloads import MIB, UNSWEPT, digest_of, download_at_once, highest_memory, pid_of, put_large, resume
from tests.installation import embedded

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with embedded(tmp_path_factory.mktemp("served"), **UNSWEPT) as installation, installation.owner() as owner:
        yield installation, owner


def test_a_gibibyte_cut_at_random_and_resumed_twenty_times_by_the_command_line_is_the_archive(served, tmp_path):
    large = put_large(*served, mib=1024)
    target = tmp_path / "archive.zip"

    attempts = resume(served[1], large, target, cuts=20)

    assert len(attempts) >= 20
    assert attempts == sorted(attempts)
    assert digest_of(target) == large.sha256
    assert list(tmp_path.iterdir()) == [target]


def test_fifty_downloads_at_once_take_no_more_memory_the_larger_the_archive(served):
    installation, owner = served
    peaks = []
    for mib in (8, 128):
        large = put_large(installation, owner, mib=mib)
        with highest_memory(pid_of(installation)) as memory:
            digests = download_at_once(owner, large, parallel=50)
        assert set(digests) == {large.sha256}
        peaks.append(memory[1])

    assert peaks[1] - peaks[0] < 32 * MIB
