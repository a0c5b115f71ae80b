"""`sheaf orders check` finds the same on a server, on a database and in a file, and its exit code says what."""

import gzip
import json
import sys
from io import TextIOWrapper

from tests.cli.running import Running, sheaf, small_order


def test_a_server_a_database_and_a_file_are_looked_at_alike(server: Running, tmp_path):
    owner, file, folder = server.owner("checked"), tmp_path / "orders.json.gz", ("--data", str(server.folder))
    nobody = {"first_name": "", "last_name": "", "company": ""}
    orders = [
        small_order(1),
        small_order(2, billing={**small_order(2)["billing"], **nobody}),
        small_order(3, status="failed"),
    ]
    file.write_bytes(gzip.compress(json.dumps(orders).encode()))
    sheaf("orders", "upload", str(file), environment=owner.environment)
    ways = {
        "server": lambda *more: sheaf("orders", "check", *more, environment=owner.environment),
        "database": lambda *more: sheaf("orders", "check", "--store", "checked", *folder, *more),
        "file": lambda *more: sheaf("orders", "check", str(file), "--store", "checked", *folder, *more),
    }

    first = {way: run("--json") for way, run in ways.items()}
    sheaf(
        "stores", "set", "checked", "--address", "Lane 1", "--country", "de", "--untaxed", "E=VAT exempt", "--tax-id",
        "DE136695976", "--bank-line", "Within 14 days", *folder,
    )  # fmt: skip
    then = {way: run("--each", "--json") for way, run in ways.items()}
    named = {way: run("--order-id", "1") for way, run in ways.items()}

    assert {way: done.code for way, done in first.items()} == dict.fromkeys(ways, 3), first
    found = [json.loads(done.out) for done in first.values()]
    assert found[0] == found[1] == found[2]
    assert (found[0]["checked"], found[0]["ready"], found[0]["skipped"]) == (2, 0, 1)
    counts = {row["rule"]: row["documents"] for row in found[0]["rules"]}
    assert (counts["BR-07"], counts["BR-08"], counts["BR-09"]) == (1, 2, 2)
    for done in then.values():
        one, summary = map(json.loads, done.out.splitlines())
        assert [finding["rule"] for finding in one["findings"]] == ["BR-07"]
        assert (one["order_id"], summary["ready"]) == (2, 1)
    assert {way: (done.code, done.out) for way, done in named.items()} == dict.fromkeys(
        ways, (0, "1 document looked at, 1 ready for an e-invoice\n")
    )


def test_people_read_what_is_missing_of_which_order_and_what_to_do(tmp_path, monkeypatch):
    line = {**small_order(1)["line_items"][0], "total_tax": "0.00", "subtotal_tax": "0.00"}
    untaxed = small_order(1, line_items=[line], total="20.00", total_tax="0.00", tax_lines=[])
    orders = json.dumps([untaxed, {"id": 7, "amount": "1.00", "parent_id": 1}, {"id": None, "total": "1"}])
    with (tmp_path / "orders.json").open("w+") as file:
        file.write(orders)
        file.seek(0)
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(file.buffer))
        done = sheaf("orders", "check", "-", "--each")

    assert done.code == 3
    assert "1 document looked at, 0 ready for an e-invoice" in done.out
    assert "invoice N-1\n" in done.out
    assert "BR-CO-04   undecidable  The VAT category of a line cannot be decided.\n" in done.out
    assert "         - no tax was taken; whether it went abroad is not known without the store's country\n" in done.out
    assert "BR-09      store settings: the store has no country" in done.out
    assert "BT-40; such as N-1. `sheaf stores set KEY --country DE`." in done.out
    for note in ("1 refund left aside", "1 order cannot be read", "The seller is nobody"):
        assert note in done.err


def test_what_cannot_be_looked_at_is_an_error(tmp_path, server: Running):
    broken = tmp_path / "broken.json"
    broken.write_text("[{")

    few = ("--store", "few", "--data", str(server.folder))

    cut = sheaf("orders", "check", str(broken))
    absent = sheaf("orders", "check", str(tmp_path / "absent.json"))
    dated = sheaf("orders", "check", str(broken), "--from", "2026-01-01", "--to", "2026-01-31")
    unknown = sheaf("orders", "check", "--store", "absent", "--data", str(server.folder))
    day = sheaf("orders", "check", *few, "--from", "2026-02-30", "--to", "2026-03-01")

    assert [done.code for done in (cut, absent, dated, unknown, day)] == [1, 1, 2, 1, 2]
    assert "line 1" in cut.err
    assert "not a day of the calendar" in day.err
