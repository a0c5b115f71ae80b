"""What a store holds is listed and counted for its owners, and for nobody else."""

import pytest

from app.api.cursors import encode
from app.domain.principal import Owner, Right
from tests.shop import order, orders


def test_orders_are_listed_newest_first_page_by_page_and_those_without_a_date_last(alice):
    alice.load([*orders(5), order(6, date_created_gmt=None, date_created=None), order(7, status="pending")])

    seen, page = [], "/v1/orders?limit=3"
    while page:
        answer = alice("GET", page).json()
        assert len(answer["items"]) <= 3
        seen += answer["items"]
        page = answer["next"]
    pending = alice("GET", "/v1/orders?status=pending&status=none").json()

    dated = [one["created_at"] for one in seen[:-1]]
    assert sorted(one["order_id"] for one in seen) == [*range(5001, 5008)]
    assert dated == sorted(dated, reverse=True)
    assert (seen[-1]["order_id"], seen[-1]["created_at"]) == (5006, None)
    assert [one["order_id"] for one in pending["items"]] == [5007]
    assert pending["next"] is None


def test_orders_are_counted_by_status(alice):
    alice.load([*orders(3), order(4, status="pending"), order(5, date_created_gmt=None, date_created=None)])

    found = alice("GET", "/v1/orders/summary").json()

    assert found["orders"] == 5
    assert sum(one["orders"] for one in found["statuses"]) == 5
    assert {"status": "pending", "orders": 1} in found["statuses"]
    assert (found["undated"], found["refunds"]) == (1, 0)
    assert found["first_at"] <= found["last_at"]


def test_another_store_sees_none_of_them_and_who_only_reads_may_look(alice, door):
    alice.load(orders(2))
    reader, stranger = door.owner("reader", "demo", Right.EXPORTS), door.owner("eve", "elsewhere")

    assert len(reader("GET", "/v1/orders").json()["items"]) == 2
    assert stranger("GET", "/v1/orders").json() == {"items": [], "next": None}
    assert stranger("GET", "/v1/orders/summary").json()["orders"] == 0


@pytest.mark.parametrize("values", [[], ["soon", 1], [None, True], [None, -1], [None, 2**63], [7, 7], [None, "1"]])
def test_a_forged_cursor_is_refused(alice, values):
    cursor = encode(Owner(1, "demo", "alice"), "orders?", values)

    answer = alice("GET", f"/v1/orders?cursor={cursor}")

    assert (answer.status_code, answer.json()["code"]) == (400, "cursor_invalid")
