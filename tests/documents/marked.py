"""Orders of which each has a mark of its own in every text, so that a stranger's text in a document is seen."""

import io
import re

from pypdf import PdfReader
from shop_orders import line, order

MARK = re.compile(r"M[0-9]{4}K")


def marked_order(number: int, *, lines: int = 3) -> dict[str, object]:
    """The order of customer `number`, with its mark in name, address, note, lines, attributes, coupon and number."""
    mark = f"M{number:04}K"
    fields = ("first_name", "last_name", "company", "address_1", "address_2", "city", "email", "phone")
    address = {name: f"{name[:3]} {mark}" for name in fields}
    meta = [{"id": 1, "key": "Engraving", "value": mark}]
    return order(
        id=10_000 + number,
        number=mark,
        customer_id=number,
        billing=address,
        shipping=address | {"city": f"Other {mark}"},
        customer_note=f"For {mark} only",
        payment_method_title=f"Card {mark}",
        line_items=[line(f"Mug {place} {mark}", id=place, sku=f"S-{mark}", meta_data=meta) for place in range(lines)],
        coupon_lines=[{"code": mark, "discount": "0.00", "discount_tax": "0.00"}],
    )


def marks_in(pdf: bytes) -> set[str]:
    """Every mark in the text of a document and in what it says of itself."""
    reader = PdfReader(io.BytesIO(pdf))
    texts = [page.extract_text() for page in reader.pages]
    return set(MARK.findall("\n".join([*texts, *map(str, (reader.metadata or {}).values())])))
