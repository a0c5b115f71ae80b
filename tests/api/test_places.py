"""The manifest of the API tells where each document stands in the combined PDFs, as the archive's does."""

import csv
import io
from uuid import UUID

import pytest
from sqlalchemy import update

from app.api.cursors import encode
from app.database.tables import JobRow
from app.domain.principal import Owner
from tests.api.finishing import finish
from tests.shop import orders

PAGES = [2, 1, 3, 1, 1]
PLACES = [("001", 1), ("001", 3), ("002", 1), ("002", 4), ("003", 1)]


@pytest.fixture
def export(alice, door):
    """An export of five orders, to be combined two at a time; it waits for a worker."""
    alice.load(orders(5))
    made = alice.create(layout="combined").json()
    with door.database.transaction() as tx:
        tx.execute(update(JobRow).where(JobRow.id == UUID(made["id"])).values(combined_part=2))
    return made


def listed(alice, export, limit):
    """Every place that the list tells, by its `next` links."""
    found, page = [], f"{export['links']['manifest']}?limit={limit}"
    while page:
        answer = alice("GET", page).json()
        found += [(item["combined_file"], item["combined_page"]) for item in answer["items"]]
        page = answer["next"]
    return found


def test_places_are_told_on_whichever_page_an_item_is_and_in_the_csv(alice, door, export):
    finish(door.database, door.artifacts, export["id"], pages=PAGES)

    found = [listed(alice, export, limit) for limit in (1, 2, 3, 100)]
    answer = alice("GET", export["links"]["manifest"], headers={"Accept": "text/csv"})

    assert found == [[(f"invoices-{part}.pdf", page) for part, page in PLACES]] * 4
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    assert [(row["combined_file"], row["combined_page"]) for row in rows] == [
        (f"invoices-{part}.pdf", str(page)) for part, page in PLACES
    ]


def test_no_place_is_told_before_it_is_settled(alice, door, export):
    cursor = {}

    def look():
        first = alice("GET", f"{export['links']['manifest']}?limit=3").json()
        assert [item["combined_file"] for item in first["items"]] == [""] * 3
        cursor["next"] = first["next"]

    finish(door.database, door.artifacts, export["id"], pages=PAGES, before_the_end=look)
    rest = alice("GET", cursor["next"]).json()["items"]

    # the cursor is from before; the places behind it are told all the same
    assert [(item["combined_file"], item["combined_page"]) for item in rest] == [
        ("invoices-002.pdf", 4),
        ("invoices-003.pdf", 1),
    ]


def test_a_list_without_combined_pdfs_speaks_of_none(alice, door):
    alice.load(orders(1))
    export = alice.create().json()
    finish(door.database, door.artifacts, export["id"])

    (item,) = alice("GET", export["links"]["manifest"]).json()["items"]
    text = alice("GET", export["links"]["manifest"], headers={"Accept": "text/csv"}).text

    assert not [name for name in item if name.startswith("combined")]
    assert "combined" not in text


def test_a_forged_place_is_refused(alice, door, export):
    finish(door.database, door.artifacts, export["id"], pages=PAGES)

    for values in ([2, 1], [2, 1, 1, 1, 1, -1], [2, 1, 1, 1, 1, True], [2, 1, 1, 1, 1, 1, 1], [2, 1, 1, 1, 1, 2**31]):
        cursor = encode(Owner(1, "demo", "alice"), f"manifest:{export['id']}", values)
        answer = alice("GET", f"{export['links']['manifest']}?cursor={cursor}")
        assert (answer.status_code, answer.json()["code"]) == (400, "cursor_invalid"), values
