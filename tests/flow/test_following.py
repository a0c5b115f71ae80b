"""Two hundred listeners of one export, whose server is killed in the middle of it and started again."""

import asyncio
import json

import httpx
import pytest

from tests.installation import embedded
from tests.shop import orders

LISTENERS = 200
ENDED = {"completed", "failed", "cancelled"}


class Listener:
    """Follows an export as a browser does: it comes back by itself, and says what it knows."""

    def __init__(self, installation, secret, export):
        self.installation, self.secret = installation, secret
        self.path = f"{export['links']['self']}/events"
        self.told: list[dict] = []

    @property
    def percent(self):
        return self.told[-1]["percent"] if self.told else 0

    async def follow(self, http):
        while not self.told or self.told[-1]["state"] not in ENDED:
            try:
                await self._listen(http)
            except httpx.TransportError:
                await asyncio.sleep(0.2)

    async def _listen(self, http):
        headers = {"Authorization": f"Bearer {self.secret}"}
        if self.told:
            headers["Last-Event-ID"] = str(self.told[-1]["revision"])
        async with http.stream("GET", f"{self.installation.url}{self.path}", headers=headers) as answer:
            assert answer.status_code in (200, 503), answer.status_code
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    self.told.append(json.loads(line.removeprefix("data: ")))


async def followed(installation, data, secret, export):
    listeners = [Listener(installation, secret, export) for _ in range(LISTENERS)]
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=30) as http:
        following = asyncio.gather(*(one.follow(http) for one in listeners))
        while min(one.percent for one in listeners) < 20:  # noqa: ASYNC110 - they are asked, since none of them knows of all
            await asyncio.sleep(0.05)
        installation.server.kill()
        await asyncio.to_thread(installation.server.wait)
        await asyncio.to_thread(installation.serve, "serve", "--data", data)
        await asyncio.wait_for(following, 240)
    return listeners


@pytest.mark.long
def test_every_listener_goes_forward_only_to_one_end_over_a_crash(tmp_path):
    slow = {"SHEAF_CHECKPOINT_EVERY": "1", "SHEAF_STREAM_SECONDS": "5"}
    with embedded(tmp_path, **slow) as installation, installation.owner() as client:
        client.load(orders(40))
        export = client.create()

        listeners = asyncio.run(followed(installation, installation.data[1], client.secret, export))

    for one in listeners:
        revisions, percents = ([told[name] for told in one.told] for name in ("revision", "percent"))
        assert revisions == sorted(revisions)
        assert percents == sorted(percents)
        assert [told["state"] in ENDED for told in one.told].count(True) == 1
        assert (one.told[-1]["state"], one.percent) == ("completed", 100)
        assert all(told["archive"] is None for told in one.told[:-1])
