"""The framework's own answers, the documentation and the probes keep the contract too."""

import gzip
import json
import re
from uuid import UUID

import pytest
from sqlalchemy import event, text

from app.api.cursors import encode
from app.domain.principal import Owner
from tests.shop import order, orders


def test_unknown_addresses_and_methods_are_problems(alice):
    missing, wrong = alice("GET", "/v1/nothing"), alice("DELETE", "/v1/exports")

    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"]
    for answer in (missing, wrong):
        assert answer.headers["content-type"] == "application/problem+json"
        assert set(answer.json()) >= {"type", "code", "title", "status", "detail", "hint"}


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "state=lost", "cursor=!!", "cursor=bm8"])
def test_a_malformed_query_says_which_parameter(alice, query):
    answer = alice("GET", f"/v1/exports?{query}")

    assert answer.status_code == 400
    if answer.json()["code"] == "parameter_invalid":
        assert query.partition("=")[0] in answer.json()["errors"][0]["field"]
    else:
        assert answer.json()["code"] == "cursor_invalid"


@pytest.mark.parametrize(
    ("listing", "values"),
    [
        ("exports?", ["2026-01-01T00:00:00", str(UUID(int=0))]),
        ("exports?", ["9999-12-31T23:59:59-14:00", str(UUID(int=0))]),
        ("exports?", [7, 7]),
        ("exports?", []),
        ("exports?", ["2026-01-01T00:00:00Z", "\0"]),
        ("manifest:{id}", [True]),
        ("manifest:{id}", [2**31]),
        ("manifest:{id}", [-1]),
        ("failures:{id}", [1.5]),
        ("failures:{id}", [1, 2]),
    ],
)
def test_a_forged_cursor_is_refused(alice, listing, values):
    alice.load(orders(1))
    export = alice.create().json()
    owner = Owner(1, "demo", "alice")
    cursor = encode(owner, listing.format(id=export["id"]), values)
    name = listing.partition(":")[0]
    path = "/v1/exports" if name == "exports?" else export["links"][name]

    answer = alice("GET", f"{path}?cursor={cursor}")

    assert (answer.status_code, answer.json()["code"]) == (400, "cursor_invalid")


@pytest.mark.parametrize("key", ["%00", "a%00b", "%F0%9F%98%80", "x" * 256, "a%20b"])
def test_a_key_that_no_export_can_have_is_a_clear_error(alice, key):
    answer = alice("GET", f"/v1/exports?idempotency_key={key}")

    assert (answer.status_code, answer.json()["code"]) == (400, "parameter_invalid")


def test_lists_are_paged_newest_first_and_filtered(alice):
    alice.load(orders(1))
    ids = []
    for _ in range(5):
        export = alice.create().json()
        alice("POST", export["links"]["cancel"])
        ids.append(export["id"])
    ids.append(alice.create().json()["id"])

    seen, page = [], "/v1/exports?limit=2"
    while page:
        answer = alice("GET", page).json()
        assert len(answer["items"]) <= 2
        seen += [row["id"] for row in answer["items"]]
        page = answer["next"]
    queued = alice("GET", "/v1/exports?state=queued").json()["items"]

    assert seen == ids[::-1]
    assert [row["id"] for row in queued] == ids[-1:]


def test_a_queued_export_has_no_archive_and_can_be_cancelled_twice(alice):
    alice.load(orders(1))
    export = alice.create().json()

    early = alice("GET", export["links"]["archive"])
    first, again = alice("POST", export["links"]["cancel"]), alice("POST", export["links"]["cancel"])
    late = alice("GET", export["links"]["archive"])

    assert (early.status_code, early.json()["code"], early.headers["retry-after"]) == (409, "not_ready", "2")
    assert [answer.status_code for answer in (first, again)] == [202, 202]
    assert first.json() == again.json()
    assert first.json()["state"] == "cancelled"
    assert (late.status_code, late.json()["code"]) == (409, "no_archive")


def test_an_etag_saves_the_body_and_a_wait_ends_with_its_seconds(alice):
    alice.load(orders(1))
    export = alice.create().json()
    etag = alice("GET", export["links"]["self"]).headers["etag"]

    unchanged = alice("GET", export["links"]["self"], headers={"If-None-Match": etag})
    waited = alice("GET", export["links"]["self"], headers={"If-None-Match": etag, "Prefer": "wait=1"})

    assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", etag)
    assert waited.status_code == 304
    assert waited.headers["retry-after"] == "2"


def test_a_poll_is_one_statement_for_token_export_and_moment(door, alice):
    """While an export waits in the queue, that is asked too."""
    alice.load(orders(1))
    export = alice.create().json()
    alice("POST", export["links"]["cancel"])
    statements = []
    engine = door.api.state.services.database._engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))

    found = alice("GET", export["links"]["self"])
    known = alice("GET", export["links"]["self"], headers={"If-None-Match": found.headers["etag"]})

    assert (found.status_code, known.status_code) == (200, 304)
    # the readiness of the process is asked meanwhile, but not of these
    ours = [statement for statement in statements if re.search(r"\b(tokens|stores|jobs|hosts)\b", statement)]
    assert [("tokens" in statement, "jobs" in statement, "hosts" in statement) for statement in ours] == [
        (True,) * 3
    ] * 2


def test_failures_and_manifest_know_their_media_types(alice):
    alice.load(orders(1))
    links = alice.create().json()["links"]

    for name in ("failures", "manifest"):
        assert alice("GET", links[name]).json() == {"items": [], "next": None}
        csv = alice("GET", links[name], headers={"Accept": "text/csv"})
        assert csv.headers["content-type"] == "text/csv; charset=utf-8"
        assert csv.text.startswith("\ufeffordinal,outcome,code,")
        assert alice("GET", links[name], headers={"Accept": "image/png"}).status_code == 406


def test_an_import_reports_what_it_did(alice):
    first = alice.load([*orders(3), {"id": 9, "amount": "1.00", "reason": ""}, {"x": 1}])
    again = alice.load([order(1), order(2, total="9.99"), order(3, date_modified_gmt="2026-01-01T00:00:00", total="1")])

    assert {name: first[name] for name in ("new", "changed", "unchanged", "stale", "rejected")} == {
        "new": 3, "changed": 0, "unchanged": 0, "stale": 0, "rejected": 2,
    }  # fmt: skip
    assert [error["code"] for error in first["errors"]] == ["refund_without_parent", "no_order_in_it"]
    assert [again[name] for name in ("new", "changed", "unchanged", "stale", "rejected")] == [0, 1, 1, 1, 0]


def test_a_refund_is_kept_under_its_order_even_when_it_comes_first(alice):
    refund = {"id": 88, "parent_id": 5001, "amount": "5.00", "reason": "late", "line_items": []}
    orphan = {**refund, "id": 89, "parent_id": 4}

    report = alice.load([refund, orphan, order(1)])

    assert (report["new"], report["rejected"]) == (2, 1)
    assert [(error["id"], error["code"]) for error in report["errors"]] == [("89", "refund_without_parent")]
    assert alice.load([refund])["unchanged"] == 1
    # the order as such did not change, and its refund stays with it
    assert alice.load([order(1)])["unchanged"] == 1


def test_an_order_that_stands_twice_is_reported_and_the_last_one_counts(alice):
    report = alice.load([order(1), order(1, total="7.00")])

    assert (report["new"], report["changed"]) == (1, 1)
    assert [(warning["id"], warning["code"]) for warning in report["warnings"]] == [("5001", "order_twice")]


def test_pages_that_overlap_bring_each_order_once_and_a_shops_refusal_brings_none(alice):
    """Shops that sort by date alone repeat and drop rows between pages, so whoever fetches them asks again."""
    at = {"date_created": "2026-10-02T02:02:02", "date_created_gmt": "2026-10-02T00:02:02"}
    alike = [order(number, **at) for number in range(1, 26)]
    refusal = {"code": "woocommerce_rest_cannot_view", "message": "Sorry, you cannot list resources.", "data": {}}

    reports = [alice.load(page) for page in (alike[20:], alike[10::-1], [], [refusal], alike[8:21])]

    assert [(report["new"], report["unchanged"]) for report in reports] == [(5, 0), (11, 0), (0, 0), (0, 0), (9, 4)]
    (error,) = reports[3]["errors"]
    assert error["code"] == "no_order_in_it"
    assert "Sorry, you cannot list resources." in error["reason"]
    preview = alice("POST", "/v1/exports/preview", json={"document_type": "invoice"}).json()
    assert preview["counts"] == {"requested": 25, "to_render": 25, "skipped": 0, "failed": 0}
    assert [document["order_id"] for document in preview["first"]] == list(range(5001, 5011))


def test_a_broken_upload_says_where_and_keeps_what_stood_before(alice):
    broken = b"[" + b",\n".join(json.dumps(one).encode() for one in orders(3)) + b",\n{oops}]"

    answer = alice("POST", "/v1/orders/import", content=broken)

    assert (answer.status_code, answer.json()["code"]) == (400, "upload_broken")
    assert (answer.json()["line"], answer.json()["column"]) == (4, 2)
    assert answer.json()["report"]["new"] == 3
    assert alice.create().status_code == 202


def test_an_upload_may_be_gzip_and_is_bounded_unpacked(alice):
    packed = gzip.compress(json.dumps(orders(2)).encode())
    headers = {"Content-Encoding": "gzip"}

    good = alice("POST", "/v1/orders/import", content=packed, headers=headers)
    bomb = alice("POST", "/v1/orders/import", content=gzip.compress(b" " * 3_000_000), headers=headers)
    cut = alice("POST", "/v1/orders/import", content=packed[:-9], headers=headers)
    fake = alice("POST", "/v1/orders/import", content=b"no gzip", headers=headers)
    other = alice("POST", "/v1/orders/import", content=b"x", headers={"Content-Encoding": "br"})

    assert good.json()["new"] == 2
    assert (bomb.status_code, bomb.json()["code"]) == (413, "payload_too_large")
    assert cut.json()["code"] == fake.json()["code"] == "upload_broken"
    assert other.status_code == 415


def test_probes_need_no_token(door):
    assert door.http.get("/livez").json() == {"status": "ok"}
    assert door.http.get("/readyz").json() == {"status": "ok"}


def test_readiness_ends_while_the_process_drains(door):
    door.api.state.readiness.is_draining = True

    answer = door.http.get("/readyz")

    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready_to_serve")


def test_the_documentation_loads_nothing_from_elsewhere(door):
    page = door.http.get("/docs")

    assert page.status_code == 200
    assert re.findall(r"(?:https?:)?//[\w.]+", page.text) == []
    for address in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert door.http.get(address).status_code == 200, address


def test_every_answer_carries_a_request_id_and_takes_a_harmless_one(alice):
    given = alice("GET", "/v1/exports", headers={"X-Request-Id": "proxy-17"})
    forged = alice("GET", "/v1/exports", headers={"X-Request-Id": "a b\tc"})

    assert given.headers["x-request-id"] == "proxy-17"
    assert re.fullmatch(r"[0-9a-f]{16}", forged.headers["x-request-id"])


@pytest.mark.parametrize(("revision", "status"), [("0001", 503), ("9999", 200)])
def test_only_a_schema_that_is_too_old_ends_readiness(door, revision, status):
    """A later one is there while hosts are changed over to a new release."""
    with door.database.transaction() as tx:
        known = tx.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        tx.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))

    door.http.portal.call(door.api.state.readiness.look)
    answer = door.http.get("/readyz")

    with door.database.transaction() as tx:
        tx.execute(text(f"UPDATE alembic_version SET version_num = '{known}'"))
    assert answer.status_code == status
