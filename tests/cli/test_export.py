"""`sheaf export …` tells by its exit code, its lines and its JSON how an export stands."""

import json
import os
import pty
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from tests.cli.running import ABSENT, SHEAF, Owner, Running, clean_environment, small_order


@pytest.fixture
def owner(server: Running) -> Owner:
    return server.owner("few")


@contextmanager
def long_export(server: Running) -> Iterator[tuple[Owner, str]]:
    """An export that goes on for a while, cancelled afterwards."""
    owner = server.owner("many")
    with owner.client() as client:
        created = client.create_export()
        try:
            yield owner, str(created.id)
        finally:
            client.cancel(created.id)
            list(client.wait(created.id))


def test_an_export_is_created_followed_and_saved_in_one_command(owner, tmp_path):
    file = tmp_path / "july.zip"

    done = owner.export("create", "--from", "2026-07-01", "--to", "2026-07-31", "--output", str(file))

    assert done.code == 0
    assert "has completed: 5 rendered of 5 documents" in done.out
    assert f"Saved {file}" in done.out
    assert "rendering" in done.err
    with zipfile.ZipFile(file) as archive:
        assert len([name for name in archive.namelist() if name.endswith(".pdf")]) == 5
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

    assert done.code == 3
    assert "1 rendered, 7 failed of 8 documents" in done.out
    assert done.out.count("order_not_found") == 5
    assert f"… and 2 more. All of them: sheaf export failures {export_id}" in done.out
    assert listed.out.count("order_not_found") == 7
    assert [json.loads(row)["order_id"] for row in rows.out.splitlines()] == list(range(ABSENT, ABSENT + 7))


def test_an_export_of_nothing_that_exists_has_failed(owner, tmp_path):
    file = tmp_path / "none.zip"

    done = owner.export("create", "--order-id", str(ABSENT), "--output", str(file))
    fetched = owner.export("download", done.out.split()[1], "--output", str(file))

    assert done.code == 4
    assert "No item of this export could be rendered." in done.out
    assert fetched.code == 7
    assert "no_archive" in fetched.err
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
    assert "Cancel it first" in refused.err
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


def test_json_lines_tell_each_state_and_progress_never_goes_back(server):
    owner = server.owner("many")
    numbers = [word for number in range(1, 13) for word in ("--number", f"N-{number}")]

    done = owner.export("create", *numbers, "--wait", "--json")

    assert done.code == 0
    snapshots = [json.loads(line) for line in done.out.splitlines()]
    percents = [snapshot["percent"] for snapshot in snapshots]
    assert percents == sorted(percents)
    assert [snapshot["revision"] for snapshot in snapshots] == sorted({one["revision"] for one in snapshots})
    assert (snapshots[-1]["state"], snapshots[-1]["percent"]) == ("completed", 100)
    assert snapshots[-1]["counts"] == {"requested": 12, "rendered": 12, "failed": 0, "skipped": 0}


def test_what_the_server_refuses_is_told_in_plain_lines(owner):
    nothing = owner.export("create", "--status", "pending")
    wrong = owner.export("create", "--from", "2026-07-31", "--to", "2026-07-01")
    unknown = owner.export("status", str(uuid4()))
    stranger = owner.export("list", SHEAF_TOKEN="sheaf_wrong")

    assert [done.code for done in (nothing, wrong, unknown, stranger)] == [7, 7, 7, 7]
    assert "selection_empty" in nothing.err
    assert "Widen the selection" in nothing.err
    assert "  selection.created: `from` (2026-07-31) is after `to` (2026-07-01)" in wrong.err
    assert "not_found" in unknown.err
    assert "unauthenticated" in stranger.err
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


def test_ctrl_c_leaves_the_export_alone_and_says_how_to_go_on(server):
    with long_export(server) as (owner, export_id):
        waiting = subprocess.Popen(
            [*SHEAF, "export", "wait", export_id],
            env=clean_environment(owner.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stderr is not None
        first = waiting.stderr.readline()
        waiting.send_signal(signal.SIGINT)
        _, rest = waiting.communicate(timeout=30)
        status = owner.export("status", export_id)

    assert first
    assert waiting.returncode == 130
    assert f"The export goes on. Follow it again with: sheaf export wait {export_id}" in rest
    assert "is processing" in status.out


def test_a_terminal_gets_a_bar(owner):
    pid, terminal = pty.fork()
    if pid == 0:
        environment = clean_environment({**owner.environment, "TERM": "xterm"})
        os.execve(SHEAF[0], [*SHEAF, "export", "create", "--wait"], environment)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        shown += piece
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert code == 0
    assert "━" in shown.decode()
    assert "5/5" in shown.decode()
    assert owner.token not in shown.decode()
