"""The server for the commands' tests."""

import pytest

from tests.cli.running import Running, shared


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Running:
    """A `sheaf serve` on a folder of its own."""
    return shared(request)
