"""The client for event loops does what the other does: the verbs are written once."""

import asyncio
import hashlib
import inspect
import re
from pathlib import Path

import pytest

from app.client import AsyncSheafClient, RequestRefused, Selection, SheafClient, Unreachable
from app.client.verbs import Verbs
from app.client.wire import now
from tests.cli.running import Owner, Running
from tests.client.awkward import Behaviour, proxy

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.fixture
def owner(server: Running) -> Owner:
    return server.owner("few")


def client(owner: Owner, url: str | None = None, **options) -> AsyncSheafClient:
    return AsyncSheafClient(url or owner.url, owner.token, **options)


def test_both_clients_have_every_verb_with_the_same_parameters():
    verbs = {name for name in vars(Verbs) if not name.startswith("_")}

    assert verbs <= set(vars(SheafClient))
    for name in verbs - {"url"}:
        assert inspect.signature(getattr(SheafClient, name)) == inspect.signature(getattr(Verbs, name)), name
        assert getattr(SheafClient, name).__doc__, name


@pytest.mark.parametrize("kind", ["with", "async with"])
def test_the_readmes_example_works(owner, tmp_path, monkeypatch, kind):
    examples = re.findall(r"```python\n(.*?)```", README[README.index("## From a program") :], flags=re.DOTALL)
    (example,) = (one for one in examples if re.search(rf"^\s*{kind} ", one, flags=re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHEAF_TOKEN", owner.token)

    exec(compile(example.replace("http://127.0.0.1:8080", owner.url), "README.md", "exec"), {"__name__": "example"})

    assert Path("invoices.zip").stat().st_size > 1000


def test_a_cut_download_goes_on_and_the_loop_goes_on_meanwhile(owner, tmp_path):
    async def run() -> tuple[str, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        async with client(owner) as direct:
            created = await direct.create_export()
            *_, export = [one async for one in direct.wait(created.id)]
        with proxy(owner.url, Behaviour(cut_after=20_000), Behaviour(cut_after=15_000), Behaviour()) as between:
            async with client(owner, between.url) as sheaf, asyncio.TaskGroup() as tasks:
                ticking = tasks.create_task(tick())
                path = await sheaf.download(export.id, tmp_path / "invoices.zip")
                ticking.cancel()
            assert len([head for head in between.heads if "if-range" in head]) == 2
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert export.archive is not None
        assert digest == export.archive.sha256
        return digest, ticks

    _, ticks = asyncio.run(run())

    assert ticks > 3
    assert list(tmp_path.iterdir()) == [tmp_path / "invoices.zip"]


def test_many_tasks_share_one_client_and_a_cancelled_one_ends_its_call_alone(owner, tmp_path):
    file = tmp_path / "orders.json"
    file.write_text("[]")

    async def run() -> None:
        async with client(owner) as sheaf:
            export = await sheaf.create_export(Selection(order_ids=(1,)))
            waiting = [asyncio.create_task(last(sheaf, export.id)) for _ in range(5)]
            left = asyncio.create_task(last(sheaf, export.id))
            await asyncio.sleep(0)
            left.cancel()
            ends = await asyncio.gather(*waiting)
            report = await sheaf.import_orders(file)
            with pytest.raises(RequestRefused, match="422 invalid_request"):
                await sheaf.create_export(Selection(created_from="soon", created_to="later"))

            assert left.cancelled()
            assert [str(one.state) for one in ends] == ["completed"] * 5
            assert report.new == 0

    async def last(sheaf: AsyncSheafClient, export_id):
        *_, end = [one async for one in sheaf.wait(export_id)]
        return end

    asyncio.run(run())


def test_a_create_whose_answer_is_lost_makes_one_export_and_one_budget_covers_all_attempts(owner):
    async def run(url: str, patience: float) -> None:
        async with client(owner, url, patience=patience) as sheaf:
            await sheaf.create_export(Selection(order_ids=(1,)))

    with proxy(owner.url, Behaviour(cut_after=0), Behaviour()) as between:
        asyncio.run(run(between.url, 30))
    with proxy(owner.url, Behaviour(cut_after=0)) as away, pytest.raises(Unreachable):
        asyncio.run(run(away.url, 0.5))

    keys = {line for head in between.heads for line in head.splitlines() if line.startswith("idempotency-key")}
    assert (len(between.heads), len(keys)) == (2, 1)
    assert all("connect-timeout-ms: " in head for head in away.heads)


def test_what_would_need_an_event_loop_is_no_silent_success():
    with pytest.raises(RuntimeError, match="event loop that is not there"):
        now(asyncio.sleep(0))
