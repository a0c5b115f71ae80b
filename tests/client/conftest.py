"""One server for the client's tests."""

from collections.abc import Iterator

import pytest

from tests.cli.running import Running, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A `sheaf serve` on a folder of its own."""
    with running(tmp_path_factory.mktemp("served")) as started:
        yield started
