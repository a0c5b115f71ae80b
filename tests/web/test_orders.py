"""Orders in the console: what is there, and importing a file with a report, from our own forms alone."""

import gzip
import json

import pytest

from app.domain.principal import Right
from app.web.routes import checking
from app.web.texts import Texts
from tests.shop import order, orders
from tests.web.conftest import Browser

TEXTS = Texts("en")


def send(browser, content: bytes, *, token=None, **options):
    given = token if token is not None else browser.hidden("/orders")["form_token"]
    data = {"form_token": given} if given else {}
    return browser("POST", "/orders", data=data, files={"file": ("orders.json", content)}, **options)


def test_an_empty_store_says_what_to_bring_in(hers):
    assert TEXTS("orders.none") in hers.look("/orders")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_is_imported_and_reported_packed_or_not(hers, pack):
    content = pack(json.dumps([*orders(3), order(4, status="on-hold"), {"id": "x", "number": "<b>"}]).encode())

    first, again = send(hers, content), send(hers, content)

    assert (first.status_code, again.status_code) == (200, 200)
    assert TEXTS("import.done") in first.text
    assert "<dt>New</dt><dd>4</dd>" in first.text
    assert "<dt>Rejected</dt><dd>1</dd>" in first.text
    assert "<dt>Unchanged</dt><dd>4</dd>" in again.text
    page = hers.look("/orders")
    assert "<dt>Orders</dt><dd>4</dd>" in page
    assert '<td>completed</td><td class="number">3</td>' in page
    assert "Greta Muster-3" in page


def test_a_broken_file_says_where_and_keeps_what_stood_before(hers):
    answer = send(hers, json.dumps(orders(2)).encode()[:-1] + b', {"id": 7,]')

    assert answer.status_code == 400
    assert "Line 1, column" in answer.text
    assert TEXTS("import.kept") in answer.text
    assert "<dt>New</dt><dd>2</dd>" in answer.text


def test_a_file_that_is_too_large_is_refused(hers):
    answer = send(hers, b"[" + b" " * (1 << 20) + b"]")

    assert (answer.status_code, "at most" in answer.text) == (413, True)


@pytest.mark.parametrize("token", ["", "f" * 64])
def test_a_file_of_another_site_is_not_taken(hers, token):
    answer = send(hers, json.dumps(orders(1)).encode(), token=token)

    assert (answer.status_code, "form_stale" in answer.text) == (403, True)
    assert TEXTS("orders.none") in hers.look("/orders")


def test_what_is_no_file_form_or_breaks_off_is_told(hers):
    plain = hers.post("/orders", {"file": "[]"}, of="/orders")
    token = hers.hidden("/orders")["form_token"]
    torn = hers(
        "POST",
        "/orders",
        content=f'--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n{token}\r\n--b\r\n'.encode(),
        headers={"Content-Type": "multipart/form-data; boundary=b"},
    )

    assert (plain.status_code, torn.status_code) == (415, 400)


def test_a_token_for_exports_alone_imports_nothing(door):
    browser = Browser(door)
    browser.sign_in(door.owner("carol", "demo", Right.EXPORTS).token)

    page = browser.look("/orders")
    answer = send(browser, json.dumps(orders(1)).encode(), token="any")

    assert TEXTS("import.not_yours") in page
    assert answer.status_code == 403


def test_a_store_shows_its_own_orders_alone(door, alice, hers):
    alice.load(orders(2))
    other = Browser(door)
    other.sign_in(door.owner("alice", "elsewhere").token)

    assert "Greta Muster-1" in hers.look("/orders")
    assert "Greta" not in other.look("/orders")


def test_what_orders_lack_for_e_invoices_is_told_by_rule_page_by_page(hers, alice, monkeypatch):
    monkeypatch.setattr(checking, "_ORDERS", 2)
    alice.load([*orders(2), order(3, billing={"country": "DE"}), order(4, status="failed")])

    linked = hers.look("/orders")
    first, rest = hers.look("/orders/check"), hers.look("/orders/check?after=5002")
    odd = hers("GET", "/orders/check?after=x")

    assert 'href="/orders/check"' in linked
    assert 'href="/orders/check?after=5002"' in first
    assert "The buyer has no name." not in first
    assert "The buyer has no name." in rest
    assert f"<dt>{TEXTS('check.skipped')}</dt><dd>1</dd>" in rest
    assert odd.status_code == 400
