"""`sheaf serve` killed in the middle of an export, again and again: the archive is that of a calm run."""

import pytest

from tests.installation import OwnerClient, embedded
from tests.shop import orders


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.long)])
def test_a_server_that_was_killed_ends_with_the_archive_of_a_calm_one(tmp_path, kills):
    count = 8 * (kills + 1)
    with (
        embedded(tmp_path, SHEAF_CHECKPOINT_EVERY="2", SHEAF_WORKER_SLOTS="1") as installation,
        installation.owner() as client,
    ):
        client.load(orders(count))
        export = client.create()
        for _ in range(kills):
            kept = _killed_while_rendering(client, export)
            installation.serve("serve", "--data", str(tmp_path / "data"), "--verbose")
            client.base_url = installation.url

            assert client.look(export)["counts"]["rendered"] >= kept
        killed = client.until_over(export)
        calm = client.until_over(client.create())

        assert killed["counts"] == {"requested": count, "rendered": count, "failed": 0, "skipped": 0}
        assert client.archive(killed).content == client.archive(calm).content


def _killed_while_rendering(client: OwnerClient, export) -> int:
    """Kill the server one checkpoint later than it stands; says how many documents were made by then."""
    before = client.look(export)["counts"]["rendered"]
    kept = client.until_rendered(export, before + 1)["counts"]["rendered"]
    server = client.installation.server
    server.kill()
    server.wait()
    return kept
