"""A real browser, and an installation that it looks at: one of each for all of these tests, each with its owners."""

import pytest

from tests.installation import embedded
from tests.web.chromium import ChromiumMissing, chromium


@pytest.fixture(scope="session")
def browser():
    try:
        with chromium() as found:
            yield found
    except ChromiumMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    # steps of one document: progress moves in as many steps as there are documents
    with embedded(tmp_path_factory.mktemp("browser"), SHEAF_CHECKPOINT_EVERY="1") as running:
        yield running
