"""`sheaf stores`, `sheaf tokens`, `sheaf orders` on an embedded folder, and what a token may do then."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from app.client import Selection
from tests.cli.running import Running, sheaf, small_order

PICTURE = str(Path(__file__).parents[2] / "docs" / "pictures" / "receipt-short.png")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The options that name a folder with one store."""
    options = ("--data", str(tmp_path_factory.mktemp("folder")))
    assert sheaf("stores", "create", "shop", "--name", "The Shop", *options).code == 0
    return options


def test_an_unknown_store_is_made_and_standard_error_says_so(data):
    done = sheaf("tokens", "create", "--owner", "ada", "--store", "fresh", *data)

    assert done.code == 0
    assert done.out.startswith("sheaf_")
    assert len(done.out.split()) == 1
    assert "Store `fresh` is new" in done.err
    assert "fresh" in sheaf("stores", "list", *data).out.split()


def test_a_store_is_set_and_shown(data):
    changed = sheaf(
        "stores", "set", "shop", "--address", "Lane 1", "--address", "Kiel", "--locale", "de-AT",
        "--time-zone", "Europe/Vienna", "--paper", "letter", "--tax-id", "ATU1", "--tax-id", "EORI no.=AT 1=2",
        "--bank-line", "IBAN AT61", "--footer", "Registered in Kiel", "--accent", "#1A4D8F", "--logo", PICTURE,
        "--number-key", "_invoice_number", "--number-key", "_other", "--missing-glyphs", "fail",
        "--country", "at", "--vat-key", "_vat", "--unit-key", "_unit", "--untaxed", "z", *data,
    )  # fmt: skip
    shown = sheaf("stores", "show", "shop", "--json", *data)
    for_people = sheaf("stores", "show", "shop", *data)

    assert changed.code == 0
    found = json.loads(shown.out)
    assert found == {
        "key": "shop",
        "version": 2,
        "changed_at": found["changed_at"],
        "changed_by": None,
        "name": "The Shop",
        "address": ["Lane 1", "Kiel"],
        "tax_ids": [{"label": "", "number": "ATU1"}, {"label": "EORI no.", "number": "AT 1=2"}],
        "bank_lines": ["IBAN AT61"],
        "footer": ["Registered in Kiel"],
        "accent": "#1a4d8f",
        "logo_bytes": Path(PICTURE).stat().st_size,
        "paper": "Letter",
        "locale": "de-AT",
        "time_zone": "Europe/Vienna",
        "number_keys": ["_invoice_number", "_other"],
        "missing_glyphs": "fail",
        "country": "AT",
        "vat_keys": ["_vat"],
        "unit_keys": ["_unit"],
        "untaxed": "Z",
        "templates": [],
    }
    assert for_people.out == changed.out
    assert "tax ids         ATU1\n                EORI no. AT 1=2\n" in changed.out


def test_a_store_keeps_its_versions_and_empty_options_take_away(data):
    sheaf("stores", "create", "kept", "--tax-id", "1", "--footer", "x", "--logo", PICTURE, *data)

    bare = sheaf("stores", "set", "kept", "--tax-id", "", "--footer", "", "--accent", "", "--no-logo", "--json", *data)
    first = sheaf("stores", "show", "kept", "--version", "1", "--json", *data)
    absent = sheaf("stores", "show", "kept", "--version", "3", *data)

    fields = ("version", "tax_ids", "footer", "accent", "logo_bytes")
    assert [json.loads(bare.out)[field] for field in fields] == [2, [], [], None, 0]
    assert [json.loads(first.out)[field] for field in fields] == [
        1, [{"label": "", "number": "1"}], ["x"], None, Path(PICTURE).stat().st_size
    ]  # fmt: skip
    assert (absent.code, "no version 3" in absent.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("set", "shop", "--locale", "xx-nowhere"), "no locale"),
        (("set", "shop", "--time-zone", "Mars/Olympus"), "no IANA time zone"),
        (("set", "shop", "--paper", "A5"), "A4 or Letter"),
        (("set", "shop", "--missing-glyphs", "hide"), "neither of warn and fail"),
        (("set", "shop", "--logo", __file__), "neither PNG nor JPEG"),
        (("set", "shop", "--logo", PICTURE, "--no-logo"), "exclude each other"),
        (("set", "shop", "--accent", "#ffcc00"), "1.51 to 1"),
        (("set", "shop", "--tax-id", "VAT="), "needs its number"),
        (("set", "shop", "--bank-line", "x" * 81), "at most 80"),
        (("set", "shop", "--name", " "), "cannot be empty"),
        (("set", "shop", "--address", "two\nlines"), "one line"),
        (("set", "shop"), "Nothing to set"),
        (("set", "absent", "--name", "x"), "There is no store `absent`"),
        (("show", "absent"), "There is no store `absent`"),
        (("create", "shop"), "exists"),
        (("create", "Not A Key"), "no store key"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_store_takes_no_nonsense(data, arguments, told):
    done = sheaf("stores", *arguments, *data)

    assert done.code == 1
    assert told in done.err
    assert "Traceback" not in done.err


def test_tokens_are_listed_without_their_text_and_end_when_revoked(data):
    made = sheaf("tokens", "create", "--owner", "eve", "--store", "shop", "--expires", "12h", *data)
    listed = sheaf("tokens", "list", "--store", "shop", "--json", *data)
    token = json.loads(listed.out)
    revoked = sheaf("tokens", "revoke", str(token["id"]), *data)
    after = json.loads(sheaf("tokens", "list", "--store", "shop", "--json", *data).out)

    assert made.out.strip() not in listed.out
    assert (token["owner"], token["rights"]) == ("eve", ["exports", "orders"])
    ends_in = datetime.fromisoformat(token["expires_at"]) - datetime.now(UTC)
    assert timedelta(hours=11) < ends_in <= timedelta(hours=12)
    assert revoked.code == 0
    assert after["revoked_at"] is not None


def test_who_may_change_settings_is_told_so_by_name(data):
    options = ("tokens", "create", "--owner", "fay", "--store", "trusted")
    for more in ((), ("--settings",), ("--exports-only", "--settings")):
        sheaf(*options, *more, *data)

    listed = sheaf("tokens", "list", "--store", "trusted", "--json", *data).out.splitlines()

    assert [json.loads(line)["rights"] for line in listed] == [
        ["exports", "orders"],
        ["exports", "orders", "settings"],
        ["exports", "settings"],
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", "--owner", "a", "--store", "shop", "--expires", "soon"),
        ("create", "--owner", "a", "--store", "shop", "--expires", "2020-01-01T00:00:00Z"),
        ("create", "--owner", "", "--store", "shop"),
        ("revoke", "99999"),
        ("list", "--store", "absent"),
    ],
    ids=" ".join,
)
def test_tokens_take_no_nonsense(data, arguments):
    done = sheaf("tokens", *arguments, *data)

    assert (done.code, done.out) == (1, "")
    assert done.err
    assert "Traceback" not in done.err


def test_a_token_for_exports_only_may_not_import(server: Running):
    folder = ("--data", str(server.folder))
    made = sheaf("tokens", "create", "--owner", "reader", "--store", "few", "--exports-only", *folder)
    headers = {"Authorization": f"Bearer {made.out.strip()}"}

    imported = httpx.post(f"{server.url}/v1/orders/import", json=small_order(1), headers=headers)
    listed = httpx.get(f"{server.url}/v1/exports", headers=headers)

    assert (imported.status_code, imported.json()["code"]) == (403, "right_missing")
    assert listed.status_code == 200


def test_a_revoked_token_is_refused_at_once(server: Running):
    folder = ("--data", str(server.folder))
    made = sheaf("tokens", "create", "--owner", "gone", "--store", "few", *folder)
    rows = sheaf("tokens", "list", "--store", "few", "--json", *folder).out.splitlines()
    (token_id,) = [row["id"] for row in map(json.loads, rows) if row["owner"] == "gone"]
    headers = {"Authorization": f"Bearer {made.out.strip()}"}

    before = httpx.get(f"{server.url}/v1/exports", headers=headers)
    sheaf("tokens", "revoke", str(token_id), *folder)
    after = httpx.get(f"{server.url}/v1/exports", headers=headers)

    assert [before.status_code, after.status_code] == [200, 401]


def test_an_import_reports_what_it_took_and_what_not(data, tmp_path: Path):
    good, bad, broken = tmp_path / "good.json.gz", tmp_path / "bad.ndjson", tmp_path / "broken.json"
    good.write_bytes(gzip.compress(json.dumps([small_order(1), small_order(2)]).encode()))
    bad.write_text(f"{json.dumps(small_order(3))}\n{json.dumps({'id': None})}\n")
    broken.write_text(f'[{json.dumps(small_order(4))},\n{{"id": ')

    first = sheaf("orders", "import", str(good), "--store", "orders", *data)
    again = sheaf("orders", "import", str(good), "--store", "orders", "--json", *data)
    rejected = sheaf("orders", "import", str(bad), "--store", "orders", *data)
    cut = sheaf("orders", "import", str(broken), "--store", "orders", *data)
    absent = sheaf("orders", "import", str(tmp_path / "absent"), "--store", "orders", *data)

    assert (first.code, first.out) == (0, f"{good}: 2 new, 0 changed, 0 unchanged, 0 stale, 0 rejected\n")
    assert json.loads(again.out)["unchanged"] == 2
    assert (rejected.code, rejected.out) == (3, f"{bad}: 1 new, 0 changed, 0 unchanged, 0 stale, 1 rejected\n")
    assert "line 2" in rejected.err
    assert cut.code == 1
    assert "1 before it are in the store" in cut.err
    assert (absent.code, "No such file" in absent.err) == (1, True)


def test_orders_are_erased_after_a_rehearsal_and_only_ids_are_told(data, tmp_path: Path):
    file = tmp_path / "orders.json"
    file.write_text(json.dumps([small_order(number) for number in range(1, 31)]))
    sheaf("orders", "import", str(file), "--store", "forgetful", *data)
    on_store = ("orders", "erase", "--store", "forgetful", *data)

    unasked = sheaf(*on_store, "--ids", "1")
    rehearsed = sheaf(*on_store, "--before", "2026-07-11", "--dry-run")
    by_day = sheaf(*on_store, "--before", "2026-07-11", "--yes")
    by_id = sheaf(*on_store, "--ids", "20, 21", "--ids", "20,1", "--yes", "--json")

    assert (unasked.code, "--yes" in unasked.err) == (2, True)
    # the first nine, and the last three: their days go round after the 28th
    assert rehearsed.out == by_day.out.replace("erased", "would be erased")
    assert (by_day.code, by_day.out.splitlines()[0]) == (
        0,
        "Store forgetful: 12 orders erased, with what 0 items of ended exports told of customers.",
    )
    assert json.loads(by_id.out) == {
        "store": "forgetful",
        "dry_run": False,
        "orders": 2,
        "items": 0,
        "needed": [],
        "archives": [],
        "absent": [1],
    }
    for done in (rehearsed, by_day, by_id):
        assert "Vogel" not in done.out + done.err


def test_an_erasure_tells_what_stays_and_where(server: Running):
    folder = ("--data", str(server.folder))
    owner = server.owner("erasing")
    with owner.client() as client:
        file = server.folder / "erasing.json"
        file.write_text(json.dumps([small_order(number) for number in range(1, 60)]))
        client.import_orders(file)
        *_, ended = client.wait(client.create_export(Selection(order_ids=(1,))).id)
        active = client.create_export(Selection(order_ids=tuple(range(2, 60))))

        done = sheaf("orders", "erase", "--store", "erasing", "--ids", "1,2", "--yes", *folder)

        client.cancel(active.id)
        list(client.wait(active.id))
    assert done.code == 3
    assert "1 order erased, with what 1 item of" in done.out
    assert f"  order 2: export {active.id} of owner-" in done.out
    assert f"  export {ended.id} of owner-" in done.out


@pytest.mark.parametrize(
    "arguments",
    [(), ("--ids", "1", "--before", "2026-01-01"), ("--ids", "x"), ("--ids", ""), ("--before", "2026-02-30")],
    ids=" ".join,
)
def test_an_erasure_takes_no_nonsense(data, arguments):
    done = sheaf("orders", "erase", "--store", "shop", "--yes", *arguments, *data)

    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_a_store_gets_a_template_of_its_own_once_a_document_came_of_it(data, tmp_path: Path):
    mine, bad, style, sample = (tmp_path / name for name in ("mine.html", "bad.html", "bad.css", "sample.pdf"))
    mine.write_text('{% extends "frame/priced.html" %}{% block title %}<h1>Mine</h1>{% endblock %}')
    bad.write_text("\n{{ view.frame.sellr }}")
    style.write_text("@import url(x);")
    sheaf("stores", "create", "designed", *data)
    on_template = ("stores", "template")

    ours = sheaf(*on_template, "show", "designed", "invoice", *data)
    refused = sheaf(*on_template, "set", "designed", "invoice", "--template", str(bad), *data)
    unstyled = sheaf(*on_template, "set", "designed", "invoice", "--style", str(style), *data)
    kept = sheaf(*on_template, "set", "designed", "invoice", "--template", str(mine), "--output", str(sample), *data)
    shown = sheaf(*on_template, "show", "designed", "invoice", *data)
    store = json.loads(sheaf("stores", "show", "designed", "--json", *data).out)
    reset = sheaf(*on_template, "reset", "designed", "invoice", *data)

    assert '{% extends "frame/priced.html" %}' in ours.out
    assert (refused.code, "line 2" in refused.err, "'sellr'" in refused.err) == (1, True, True)
    assert (unstyled.code, "line 1: @import" in unstyled.err) == (1, True)
    assert (kept.code, sample.read_bytes()[:5], shown.out) == (0, b"%PDF-", mine.read_text())
    assert (store["version"], store["templates"]) == (2, ["invoice"])
    assert (reset.code, "version 3" in reset.err) == (0, True)
    assert sheaf(*on_template, "show", "designed", "invoice", *data).out == ours.out
