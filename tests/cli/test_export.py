"""`sheaf export …` tells by its exit code, its lines and its JSON how an export stands."""

import json
import zipfile
from uuid import uuid4

import httpx
import pytest

from tests.cli.running import ABSENT, Owner, Running, long_export, small_order


@pytest.fixture
def owner(server: Running) -> Owner:
    return server.owner("few")


def test_an_export_is_created_followed_and_saved_in_one_command(owner, tmp_path):
    file = tmp_path / "july.zip"

    done = owner.export(
        "create", "--from", "2026-07-01", "--to", "2026-07-31", "--pdf", "pdf_ua_1", "--output", str(file)
    )

    assert done.code == 0
    assert "has completed: 5 rendered of 5 documents" in done.out
    assert f"Saved {file}" in done.out
    assert done.err.splitlines()[-1] == "completed"
    with zipfile.ZipFile(file) as archive:
        assert len([name for name in archive.namelist() if name.endswith(".pdf")]) == 5
        assert json.loads(archive.read("manifest.json"))["pdf"] == "pdf_ua_1"
    assert list(tmp_path.iterdir()) == [file]


def test_without_waiting_the_id_stands_alone_on_standard_output(owner):
    done = owner.export("create", "--order-id", "1")
    waited = owner.export("wait", done.out.strip())

    assert done.code == 0
    assert f"sheaf export wait {done.out.strip()}" in done.err
    assert waited.code == 0
    assert "1 rendered of 1 document" in waited.out


def test_failures_are_counted_shown_and_listed(owner):
    names = [word for number in range(ABSENT, ABSENT + 7) for word in ("--order-id", str(number))]

    done = owner.export("create", "--order-id", "1", *names, "--wait")
    export_id = done.out.split()[1]
    listed = owner.export("failures", export_id)
    rows = owner.export("failures", export_id, "--json")
    as_csv = owner.export("failures", export_id, "--csv")
    skipped = owner.export("failures", export_id, "--outcome", "skipped")
    every = owner.export("manifest", export_id, "--csv")
    lines = owner.export("manifest", export_id)
    headers = {"Authorization": f"Bearer {owner.token}", "Accept": "text/csv"}
    served = [
        httpx.get(f"{owner.url}/v1/exports/{export_id}/{name}", headers=headers) for name in ("failures", "manifest")
    ]

    assert done.code == 3
    assert "1 rendered, 7 failed of 8 documents" in done.out
    assert done.out.count("order_not_found") == 5
    assert f"… and 2 more. All of them: sheaf export failures {export_id}" in done.out
    assert listed.out.count("order_not_found") == 7
    assert [as_csv.out, every.out] == [one.text for one in served]
    assert (skipped.code, skipped.out) == (0, "")
    assert "rendered  N-1  24.00 EUR  invoice-N-1.pdf" in lines.out
    assert [json.loads(row)["order_id"] for row in rows.out.splitlines()] == list(range(ABSENT, ABSENT + 7))


def test_an_export_of_nothing_that_exists_has_failed(owner, tmp_path):
    file = tmp_path / "none.zip"

    done = owner.export("create", "--order-id", str(ABSENT), "--output", str(file))
    fetched = owner.export("download", done.out.split()[1], "--output", str(file))

    assert done.code == 4
    assert "No item of this export could be rendered." in done.out
    assert fetched.code == 7
    assert "no_archive" in fetched.err
    assert f"sheaf export status {done.out.split()[1]}" in fetched.err
    assert not file.exists()


def test_a_wait_that_ends_early_and_a_cancelled_export_have_codes_of_their_own(server):
    with long_export(server) as (owner, export_id):
        waited = owner.export("wait", export_id, "--timeout", "0")
        second = owner.export("create", "--order-id", "1")
        cancelled = owner.export("cancel", export_id)
        after = owner.export("wait", export_id)

    assert waited.code == 6
    assert f"sheaf export wait {export_id}" in waited.err
    assert second.code == 7
    assert "active_export_exists" in second.err
    assert f"sheaf export cancel {export_id}" in second.err
    assert cancelled.code == 0
    assert "was cancelled" in cancelled.out
    assert after.code == 5


def test_an_ended_export_can_be_deleted(server):
    with long_export(server) as (owner, export_id):
        refused = owner.export("delete", export_id)
    done = owner.export("delete", export_id)
    gone = owner.export("delete", export_id)

    assert [one.code for one in (refused, done, gone)] == [7, 0, 7]
    assert "export_active" in refused.err
    assert f"Cancel it first: sheaf export cancel {export_id}" in refused.err
    assert done.out == f"Export {export_id} is deleted.\n"
    assert "not_found" in gone.err


def test_what_failed_is_retried_and_saved_alone(server, tmp_path):
    owner, archive, orders = server.owner("again"), tmp_path / "again.zip", tmp_path / "orders.json"
    with owner.client() as client:
        orders.write_text(json.dumps(small_order(1)))
        client.import_orders(orders)
        export_id = owner.export("create", "--order-id", "1", "--order-id", "2", "--wait").out.split()[1]
        orders.write_text(json.dumps(small_order(2)))
        client.import_orders(orders)

    done = owner.export("retry", export_id, "--output", str(archive))
    retry_id = done.out.split()[1]
    shown = owner.export("status", retry_id)
    listed = owner.export("list")
    refused = owner.export("retry", retry_id)

    assert (done.code, "1 rendered of 1 document" in done.out) == (0, True)
    with zipfile.ZipFile(archive) as found:
        assert [name for name in found.namelist() if name.endswith(".pdf")] == ["invoice-N-2.pdf"]
    assert f"It retries {export_id}" in shown.out
    assert "archive until 20" in shown.out
    assert [line.split()[0] for line in listed.out.splitlines()] == [retry_id, export_id]
    assert listed.out.count("archive until 20") == 2
    assert (refused.code, "nothing_to_retry" in refused.err) == (7, True)


def test_json_is_one_object_how_it_ended_and_nothing_else(server, tmp_path):
    owner, file = server.owner("many"), tmp_path / "some.zip"
    numbers = [word for number in range(1, 13) for word in ("--number", f"N-{number}")]

    done = owner.export("create", *numbers, "--output", str(file), "--json")
    created = owner.export("create", "--number", "N-1", "--json")
    ended = owner.export("wait", json.loads(created.out)["id"], "--json")
    fetched = owner.export("download", json.loads(done.out)["id"], "--output", str(file), "--force", "--json")

    assert [one.code for one in (done, created, ended, fetched)] == [0, 0, 0, 0]
    assert [one.err for one in (done, created, ended, fetched)] == [""] * 4
    export = json.loads(done.out)
    assert (export["state"], export["percent"]) == ("completed", 100)
    assert export["counts"] == {"requested": 12, "rendered": 12, "failed": 0, "skipped": 0}
    assert (json.loads(created.out)["state"], json.loads(ended.out)["state"]) == ("queued", "completed")
    assert json.loads(fetched.out) == {
        "file": str(file), "bytes": export["archive"]["bytes"], "sha256": export["archive"]["sha256"]
    }  # fmt: skip
    assert zipfile.is_zipfile(file)


def test_what_the_server_refuses_is_told_in_plain_lines(owner):
    nothing = owner.export("create", "--status", "pending")
    wrong = owner.export("create", "--from", "2026-07-31", "--to", "2026-07-01")
    unknown = owner.export("status", str(uuid4()))
    stranger = owner.export("list", SHEAF_TOKEN="sheaf_wrong")

    assert [done.code for done in (nothing, wrong, unknown, stranger)] == [7, 7, 7, 7]
    assert "selection_empty" in nothing.err
    assert "  selection.created: `from` (2026-07-31) is after `to` (2026-07-01)" in wrong.err
    assert "not_found" in unknown.err
    assert "sheaf export list" in unknown.err
    assert "unauthenticated" in stranger.err
    assert "sheaf tokens create" in stranger.err
    assert "sheaf orders list" in nothing.err
    assert not any(done.out for done in (nothing, wrong, unknown, stranger))


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--from", "2026-07-01"),
        ("create", "--sort", "backwards"),
        ("wait", "not-an-id"),
        ("wait",),
        ("list", "--url", "nowhere"),
        ("list", "--token-file", "/absent"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(owner, arguments):
    assert owner.export(*arguments).code == 2


def test_a_missing_token_is_usage_and_a_token_file_does(owner, tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{owner.token}\n")

    without = owner.export("list", SHEAF_TOKEN="")
    with_file = owner.export("list", "--token-file", str(file), SHEAF_TOKEN="")

    assert without.code == 2
    assert "sheaf tokens create" in without.err
    assert with_file.code == 0


def test_an_address_that_does_not_answer_is_named(owner):
    done = owner.export("list", SHEAF_URL="http://127.0.0.1:9")

    assert done.code == 1
    assert "http://127.0.0.1:9 does not answer: Connection refused." in done.err
    assert "sheaf serve" in done.err


def test_a_file_in_the_way_is_kept_before_anything_is_created(owner, tmp_path):
    file = tmp_path / "mine.zip"
    file.write_text("mine")

    refused = owner.export("create", "--output", str(file))
    listed = owner.export("list")
    forced = owner.export("create", "--order-id", "1", "--output", str(file), "--force")

    assert refused.code == 1
    assert "--force" in refused.err
    assert listed.out == ""
    assert forced.code == 0
    assert zipfile.is_zipfile(file)
