"""The client repeats what is safe to repeat, tells what went wrong, and keeps the token to itself."""

import gzip
import json
import socket
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from app.client import (
    CombinedItem,
    Failure,
    NotUnderstood,
    RequestRefused,
    Selection,
    ServerFault,
    SheafClient,
    Unreachable,
)
from app.client.errors import FieldError
from app.domain.lifecycle import JobState, Outcome
from app.domain.progress import Counts
from tests.cli.running import ABSENT, Owner, Running, small_order
from tests.client.awkward import UNAVAILABLE, Behaviour, proxy

ONE = Selection(order_ids=(1,))


@pytest.fixture
def owner(server: Running) -> Owner:
    return server.owner("few")


def test_waiting_gives_each_change_up_to_the_end(owner):
    with owner.client() as client:
        created = client.create_export(ONE)
        seen = list(client.wait(created.id))

    assert [export.id for export in seen] == [created.id] * len(seen)
    assert seen[-1].state is JobState.COMPLETED
    assert all(export.is_active for export in seen[:-1])
    assert [export.revision for export in seen] == sorted(export.revision for export in seen)


def test_waiting_ends_with_its_time(server):
    with server.owner("many").client() as client:
        created = client.create_export()

        began = time.monotonic()
        *_, last = client.wait(created.id, timeout=1)

        assert last.is_active
        assert 1 <= time.monotonic() - began < 10
        client.cancel(created.id)
        *_, last = client.wait(created.id)
        assert last.state is JobState.CANCELLED


def test_a_create_whose_answer_is_lost_makes_one_export(owner):
    with (
        proxy(owner.url, Behaviour(cut_after=0), Behaviour()) as between,
        owner.client(url=between.url) as client,
    ):
        created = client.create_export(ONE)

        keys = {line for head in between.heads for line in head.splitlines() if line.startswith("idempotency-key")}
        assert [head.split()[0] for head in between.heads] == ["post", "post"]
        assert keys == {f"idempotency-key: {created.idempotency_key.lower()}"}
        assert [export.id for export in client.list_exports()] == [created.id]


def test_a_server_that_wants_to_be_asked_later_is_asked_later(owner):
    told = []
    with (
        proxy(owner.url, Behaviour(answer=UNAVAILABLE), Behaviour()) as between,
        owner.client(url=between.url, on_retry=lambda error, seconds: told.append((error.status, seconds))) as client,
    ):
        assert list(client.list_exports()) == []

    assert told == [(503, 1.0)]


def test_one_budget_covers_all_attempts(owner):
    with (
        proxy(owner.url, Behaviour(answer=UNAVAILABLE)) as between,
        owner.client(url=between.url, patience=1.5) as client,
    ):
        began = time.monotonic()
        with pytest.raises(ServerFault) as caught:
            list(client.list_exports())

        # one pause of a second fits, a second one does not
        assert 1 <= time.monotonic() - began < 5
        assert (caught.value.status, caught.value.code) == (503, "http_503")


def test_each_attempt_passes_on_what_is_left(owner):
    with (
        proxy(owner.url, Behaviour(cut_after=0)) as between,
        owner.client(url=between.url, patience=4) as client,
        pytest.raises(Unreachable),
    ):
        list(client.list_exports())

    budgets = [int(head.partition("connect-timeout-ms: ")[2].split()[0]) for head in between.heads]
    assert 3000 < budgets[0] <= 4000
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[-1] < budgets[0]


def test_a_server_that_stands_still_is_given_up_within_the_budget(owner):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with owner.client(url=url, patience=1) as client:
            began = time.monotonic()
            with pytest.raises(Unreachable, match="nothing came"):
                list(client.list_exports())

    assert time.monotonic() - began < 10


def test_an_answer_that_stops_halfway_is_given_up_within_the_budget(owner):
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        ThreadPoolExecutor(1) as server,
        owner.client(url=f"http://127.0.0.1:{listening.getsockname()[1]}", patience=1) as client,
    ):
        accepted = server.submit(lambda: listening.accept()[0])
        accepted.add_done_callback(lambda one: one.result().sendall(half))

        began = time.monotonic()
        with pytest.raises(Unreachable, match="nothing came"):
            list(client.list_exports())

        accepted.result().close()
    assert 1 <= time.monotonic() - began < 10


def test_a_proxy_of_the_environment_is_asked_but_not_for_this_machine(owner, monkeypatch):
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    page = b'HTTP/1.1 200 OK\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{"items": [], "next": null}'
    with proxy(owner.url, Behaviour(answer=page)) as between:
        monkeypatch.setenv("http_proxy", between.url.removeprefix("http://"))

        with owner.client(url="http://sheaf.invalid") as client:
            assert list(client.list_exports()) == []

    # the proxy is gone: asking it would fail
    with owner.client() as client:
        assert list(client.list_exports()) == []


def test_an_address_where_nobody_is_says_so_and_keeps_the_token(owner):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

    with owner.client(url=url, patience=0.3) as client, pytest.raises(Unreachable) as caught:
        list(client.list_exports())

    assert str(caught.value) == f"{url} does not answer: Connection refused"
    shown = "".join(traceback.format_exception(caught.value)) + repr(client) + repr(caught.value)
    assert owner.token not in shown


def test_a_refusal_tells_what_the_server_told(owner):
    with owner.client() as client, pytest.raises(RequestRefused) as caught:
        client.create_export(Selection(created_from="soon", created_to="later"))

    refused = caught.value
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert refused.title
    assert refused.hint
    assert refused.errors == (
        FieldError(
            "selection.created.from",
            "takes a date (2026-11-30) or an instant with offset (2026-11-30T00:00:00Z)",
        ),
    )


def test_an_answer_that_is_not_sheafs_is_not_taken_for_one(owner):
    page = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    with (
        proxy(owner.url, Behaviour(answer=page)) as between,
        owner.client(url=between.url) as client,
        pytest.raises(NotUnderstood),
    ):
        list(client.list_exports())


def test_a_redirection_is_not_followed(owner):
    page = b"HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with (
        proxy(owner.url, Behaviour(answer=page)) as between,
        owner.client(url=between.url) as client,
        pytest.raises(NotUnderstood, match="sends us on"),
    ):
        list(client.list_exports())


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_token_that_cannot_be_one_is_not_shown(token):
    with pytest.raises(ValueError, match="token") as caught:
        SheafClient("http://127.0.0.1:8080", token)

    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("url", ["", "host", "ftp://host", "http://", "http://host/?x=1", "http://a:secret@host"])
def test_an_address_that_cannot_be_one_is_refused(url):
    with pytest.raises(ValueError, match="address") as caught:
        SheafClient(url, "sheaf_x")

    assert "secret" not in str(caught.value)


def test_failures_and_manifest_come_page_by_page(owner):
    asked = (1, ABSENT, ABSENT + 1, ABSENT + 2)
    with owner.client() as client:
        *_, export = client.wait(client.create_export(Selection(order_ids=asked), layout="combined", pdf="pdf_a_3b").id)
        failures = list(client.failures(export.id, page=2))
        manifest = list(client.manifest(export.id, page=3))

    assert (export.layout, export.pdf) == ("combined", "pdf_a_3b")
    assert export.counts == Counts(requested=4, rendered=1, failed=3, skipped=0)
    assert [failure.order_id for failure in failures] == list(asked[1:])
    assert isinstance(failures[0], Failure)
    assert (failures[0].outcome, failures[0].code) == (Outcome.FAILED, "order_not_found")
    assert [item.outcome for item in manifest] == [Outcome.RENDERED] + [Outcome.FAILED] * 3
    assert isinstance(manifest[0], CombinedItem)
    assert (manifest[0].combined_file, manifest[0].combined_page) == ("invoices.pdf", 1)


def test_the_same_key_finds_the_same_export(owner):
    with owner.client() as client:
        first = client.create_export(ONE, key="july")
        assert client.create_export(ONE, key="july").id == first.id
        with pytest.raises(RequestRefused) as caught:
            client.create_export(Selection(order_ids=(2,)), key="july")

    assert caught.value.code == "idempotency_key_reused"


def test_a_delete_whose_answer_is_lost_is_done(owner):
    with owner.client() as client:
        *_, export = client.wait(client.create_export(ONE).id)
    headers = {"Authorization": f"Bearer {owner.token}"}
    looked = httpx.get(f"{owner.url}/v1/exports/{export.id}", headers=headers)
    # both calls share a connection: it breaks somewhere in the second answer
    cut = len(looked.content) + sum(len(name) + len(value) + 4 for name, value in looked.headers.raw) + 60

    with (
        proxy(owner.url, Behaviour(cut_after=cut), Behaviour()) as between,
        owner.client(url=between.url) as client,
    ):
        client.delete_export(export.id)

        assert [head.split()[0] for head in between.heads] == ["get", "delete", "delete"]
        assert list(client.list_exports()) == []
        with pytest.raises(RequestRefused, match="404 not_found"):
            client.delete_export(export.id)


def test_a_retry_whose_answer_is_lost_makes_one_export(owner):
    with owner.client() as client:
        *_, parent = client.wait(client.create_export(Selection(order_ids=(1, ABSENT))).id)
    with (
        proxy(owner.url, Behaviour(cut_after=0), Behaviour()) as between,
        owner.client(url=between.url) as client,
    ):
        created = client.retry_export(parent.id)
        *_, ended = client.wait(created.id)

        assert (created.retry_of, parent.retry_of) == (parent.id, None)
        assert [export.id for export in client.list_exports()] == [created.id, parent.id]
        assert (ended.state, ended.counts) == (JobState.FAILED, Counts(1, 0, 1, 0))


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_orders_are_imported_and_what_is_rejected_is_told(server, tmp_path, pack):
    file = tmp_path / "orders"
    file.write_bytes(pack("\n".join(json.dumps(one) for one in (small_order(1), {"id": None})).encode()))

    with server.owner(f"import-{pack.__name__}").client() as client:
        first = client.import_orders(file)
        again = client.import_orders(file)

    assert (first.new, first.rejected, len(first.errors)) == (1, 1, 1)
    assert first.errors[0].line == 2
    assert (again.new, again.unchanged) == (0, 1)
