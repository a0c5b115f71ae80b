"""CSV that is safe to open and reads back whole."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from app.domain.lifecycle import Outcome
from app.domain.manifest import BOM, COLUMNS, ManifestItem, harmless, manifest_csv

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def item(**changes):
    known = dict.fromkeys(COLUMNS, "")
    numbers = {"ordinal": 1, "order_id": 7, "refund_id": None, "pages": 1, "bytes": 10, "outcome": Outcome.RENDERED}
    known["warnings"] = ()
    return ManifestItem(**{**known, **numbers, **changes})


@given(TEXT, TEXT)
def test_any_text_reads_back_and_runs_nowhere(customer, number):
    text = "".join(manifest_csv([item(customer=customer, number=number)]))

    assert text.startswith(BOM)
    header, row = csv.reader(io.StringIO(text.removeprefix(BOM), newline=""))
    assert tuple(header) == COLUMNS
    cells = dict(zip(header, row, strict=True))
    assert cells["customer"] == harmless(customer)
    assert not cells["number"].startswith(("=", "+", "-", "@", "\t", "\r"))


def test_warnings_share_a_cell():
    text = "".join(manifest_csv([item(warnings=("= one thing.", "Another thing."))]))

    assert text.endswith(",'= one thing. Another thing.\r\n")


def test_an_amount_keeps_its_sign_and_a_text_loses_its_power():
    text = "".join(manifest_csv([item(total="-40.00", customer="=cmd()", number="+49")]))

    assert ",-40.00," in text
    assert "'=cmd()" in text
    assert "'+49" in text
