"""A new export: the form asks for what the API takes, says what is wrong where it stands, and makes one export."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import text

from app.database.tables import JobRow
from app.domain.selection import asked_for
from app.web.texts import Texts
from tests.api.finishing import finish
from tests.shop import order, orders
from tests.web.conftest import Browser

TEXTS = Texts("en")
pytestmark = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
PLAIN = {"document_type": "invoice", "layout": "separate", "range": "all", "filename_pattern": "{type}-{number}"}


def send(browser, path="/exports", **fields):
    page = browser.hidden("/exports/new")
    pairs = {**PLAIN, "key": page["key"], **fields}
    return browser.post(path, [(name, one) for name, value in pairs.items() for one in
                               (value if isinstance(value, list) else [value])], of="/exports/new")  # fmt: skip


def test_everything_that_the_form_offers_reaches_the_export(door, alice, hers):
    alice.load([order(1), order(2, status="processing"), order(3, status="on-hold"), order(4, number="A/4")])

    answer = send(
        hers,
        document_type="packing_slip",
        layout="both",
        pdf="pdf_a_3b",
        range="2026-10-01/2026-10-31",
        statuses=["completed", "processing"],
        numbers="00001, 00002\n00003;A/4",
        sort="number",
        filename_pattern="{date} {number}",
    )

    assert answer.status_code == 303
    export_id = answer.headers["location"].removeprefix("/exports/")
    told = alice("GET", f"/v1/exports/{export_id}").json()
    assert (told["document_type"], told["layout"], told["pdf"], told["sort"]) == (
        "packing_slip", "both", "pdf_a_3b", "number",
    )  # fmt: skip
    assert told["filename_pattern"] == "{date} {number}"
    assert told["selection"] == {
        "created_from": "2026-10-01T00:00:00+00:00",
        "created_to": "2026-11-01T00:00:00+00:00",
        "statuses": ["completed", "processing"],
        "order_ids": [],
        "numbers": ["00001", "00002", "00003", "A/4"],
        "customer_id": None,
    }
    page = hers.look(answer.headers["location"])
    assert "1 Oct 2026 – 31 Oct 2026" in page
    assert TEXTS("pdf.pdf_a_3b") in page
    again = hers.look(f"/exports/new?like={export_id}")
    assert 'value="2026-10-01"' in again
    assert '<option value="pdf_a_3b" selected>' in again
    assert "{date} {number}" in again
    assert "A/4" in again


def test_orders_are_chosen_by_the_shops_ids_of_them_and_of_a_customer(alice, hers):
    alice.load([order(1, customer_id=7), order(2, customer_id=7), order(3, customer_id=8)])

    page = send(hers, "/exports/new", order_ids="5001, 5003", customer_id="7")
    made = send(hers, order_ids="5001, 5003", customer_id="7").headers["location"]
    wrong = send(hers, order_ids="5001, x", customer_id="-1")

    assert "<dt>Selected</dt><dd>1</dd>" in page.text
    told = alice("GET", f"/v1{made}").json()["selection"]
    assert (told["order_ids"], told["customer_id"]) == ([5001, 5003], 7)
    again = hers.look(f"/exports/new?like={made.removeprefix('/exports/')}")
    assert "5001\n5003" in again
    assert "<details open>" in again
    for field in ("order_ids", "customer_id"):
        assert f'id="{field}-error"' in wrong.text
        assert f'href="#{field}"' in wrong.text


def test_days_are_those_of_the_shop(door, alice, hers):
    with door.database.transaction() as tx:
        tx.execute(text("UPDATE stores SET time_zone = 'America/New_York'"))
    alice.load(orders(28))

    answer = send(hers, range="other", **{"from": "2026-10-10", "to": "2026-10-10"})

    job = answer.headers["location"].removeprefix("/exports/")
    with door.database.reading() as tx:
        asked = asked_for(tx.get_one(JobRow, UUID(job)).selection)
    assert datetime.fromisoformat(asked["created_from"]) == datetime(2026, 10, 10, 4, tzinfo=UTC)
    assert "America/New_York" in hers.look("/exports/new")


def test_a_form_that_is_sent_twice_makes_one_export(alice, hers):
    alice.load(orders(1))
    key = hers.hidden("/exports/new")["key"]

    first, second = send(hers, key=key), send(hers, key=key)

    assert first.headers["location"] == second.headers["location"]
    assert len(alice("GET", "/v1/exports").json()["items"]) == 1


def test_a_form_that_has_made_its_export_makes_another_only_on_purpose(door, alice, hers):
    alice.load(orders(2))
    key = hers.hidden("/exports/new")["key"]
    made = send(hers, key=key).headers["location"]
    finish(door.database, door.artifacts, made.removeprefix("/exports/"))

    changed = send(hers, key=key, sort="total")

    assert changed.status_code == 422
    assert TEXTS("errors.idempotency_key_reused") in changed.text
    assert key not in changed.text


def test_what_is_wrong_stands_at_its_field_and_nothing_is_lost(alice, hers):
    alice.load(orders(1))

    answer = send(hers, filename_pattern="{date}", sort="given", range="other", numbers="", **{"from": "2026-13-01"})

    assert answer.status_code == 422
    assert 'href="#from"' in answer.text
    assert 'id="from-error"' in answer.text
    assert 'value="2026-13-01"' in answer.text
    pattern = send(hers, filename_pattern="<{x}>")
    assert 'id="filename_pattern-error"' in pattern.text
    assert "&lt;{x}&gt;" in pattern.text
    sort = send(hers, sort="given")
    assert 'id="sort-error"' in sort.text
    assert alice("GET", "/v1/exports").json()["items"] == []


def test_refusals_say_what_to_do_in_the_form(alice, hers):
    empty = send(hers)
    alice.load(orders(1))
    made = send(hers)
    in_the_way = send(hers)

    assert (empty.status_code, TEXTS("errors.selection_empty") in empty.text) == (422, True)
    assert (in_the_way.status_code, TEXTS("errors.active_export_exists") in in_the_way.text) == (409, True)
    assert f'href="{made.headers["location"]}"' in in_the_way.text


def test_a_preview_shows_what_a_create_would_make_and_creates_nothing(alice, hers):
    alice.load([*orders(12), order(13, status="cancelled")])

    page = send(hers, "/exports/new", filename_pattern="{number} {customer}")

    assert page.status_code == 200
    assert "<code>00001-Greta-Muster-1.pdf</code>" in page.text
    assert TEXTS("item.status_not_invoiced") in page.text
    assert TEXTS("preview.title") in page.text
    assert alice("GET", "/v1/exports").json()["items"] == []
    refused = send(hers, "/exports/new", numbers="x", range="other")
    assert (refused.status_code, 'id="from-error"' in refused.text) == (422, True)


def test_a_sample_is_of_the_visitors_own_orders_alone(door, alice, hers):
    alice.load([order(1), order(2, status="cancelled")])
    strangers = Browser(door)
    strangers.sign_in(door.owner("alice", "elsewhere").token)
    link = "/exports/new/sample?document_type=invoice&order_id={}"

    page = send(hers, "/exports/new").text
    foreign, unknown = strangers("GET", link.format(5001)), hers("GET", link.format(99))
    not_owed, odd = hers("GET", link.format(5002)), hers("GET", "/exports/new/sample?document_type=x&order_id=5001")

    assert link.format(5001).replace("&", "&amp;") in page
    assert link.format(5002).replace("&", "&amp;") not in page
    assert [one.status_code for one in (foreign, unknown, not_owed, odd)] == [404, 404, 422, 422]
    assert foreign.text == unknown.text


def test_the_example_is_the_newest_orders_name_or_what_is_wrong(alice, hers):
    without = hers.look("/exports/new/example?document_type=invoice&filename_pattern={number}")
    alice.load([order(27, number="a/27")])

    named = hers.look("/exports/new/example?document_type=credit_note&filename_pattern={type} {date} {number}")
    wrong = hers.look("/exports/new/example?document_type=invoice&filename_pattern=x")

    assert without == "1001.pdf"
    assert named == "credit-note-2026-10-28-a-27.pdf"
    assert wrong.startswith("has no placeholder")
    assert "invoice-a-27.pdf" in hers.look("/exports/new")
