"""Two hundred customers of two shops at once: each document holds its own customer's data and nobody else's."""

import re
from contextlib import ExitStack
from io import BytesIO

import pytest
from pypdf import PdfReader

from tests.flow.test_faults import hosts_of
from tests.installation import ENDED_WITHIN
from tests.shop import order

CUSTOMERS = 100
"""Of each shop."""
MARK = re.compile(r"M[a-z]+[0-9]{4}K")


def marked(shop: str, number: int) -> dict:
    """An order with the mark of its customer in every text."""
    mark = f"M{shop}{number:04}K"
    fields = ("first_name", "last_name", "company", "address_1", "address_2", "city", "email", "phone")
    address = {name: f"{name[:3]} {mark}" for name in fields}
    lines = [
        {"id": place, "name": f"Mug {place} {mark}", "quantity": 1, "sku": f"S-{mark}", "total": "1.00"}
        for place in range(1 + 30 * (number % 2))  # of one page and of several, in turn
    ]
    return order(
        number,
        number=mark,
        billing=address,
        shipping=address | {"city": f"Other {mark}"},
        customer_note=f"For {mark} only",
        payment_method_title=f"Card {mark}",
        line_items=lines,
    )


def marks_in(reader: PdfReader, pages) -> set[str]:
    texts = [reader.pages[page].extract_text() for page in pages]
    return set(MARK.findall("\n".join(texts)))


@pytest.mark.long
def test_no_document_of_two_hundred_customers_holds_anything_of_another(scene):
    """Each document is looked at twice: as its own file, and where the manifest says that the combined PDF has it."""
    installation = scene(workers=3, SHEAF_CHECKPOINT_EVERY="3", SHEAF_COMBINED_PART="40")
    for number in range(3):
        installation.until_started(number)
    with ExitStack() as open_clients:
        owners = {shop: open_clients.enter_context(installation.owner("alice", shop)) for shop in ("east", "west")}
        kinds = {"east": "invoice", "west": "packing_slip"}
        for shop, owner in owners.items():
            owner.load([marked(shop, number) for number in range(1, CUSTOMERS + 1)])

        exports = {
            shop: owner.create(document_type=kinds[shop], layout="both", filename_pattern="{customer}")
            for shop, owner in owners.items()
        }
        archives = {
            shop: owner.archive(owner.until_over(exports[shop], within=3 * ENDED_WITHIN))
            for shop, owner in owners.items()
        }

    assert all(len(hosts_of(installation, export)) > 1 for export in exports.values())
    for shop, archive in archives.items():
        items = archive.manifest["items"]
        assert {item["outcome"] for item in items} == {"rendered"}
        marks = [f"M{shop}{number:04}K" for number in range(1, CUSTOMERS + 1)]
        assert sorted(item["number"] for item in items) == marks
        combined = {name: PdfReader(BytesIO(archive.zip.read(name))) for name in archive.documents if "s-00" in name}
        assert len(combined) == 3
        for item in items:
            own = PdfReader(BytesIO(archive.zip.read(item["file"])))
            pages = range(item["combined_page"] - 1, item["combined_page"] - 1 + item["pages"])
            assert item["file"] == f"fir-{item['number']}-las-{item['number']}.pdf"
            assert marks_in(own, range(len(own.pages))) == {item["number"]}
            assert marks_in(combined[item["combined_file"]], pages) == {item["number"]}
