# ruff: noqa: E501  the fields of a refund stand in the order of the API, one per line
"""Write `refunds.json`: the full refunds of the sample orders, as a shop's REST API would send them.

Run `python samples/make_refunds.py` after changing a table. An order's own entries tell no more than
an amount and a reason; these tell the day, what came back and the tax.
"""

import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from arithmetic import ZERO, Amount, rounded
from make_orders import SHOP, Json, Till, moment
from sales import SALES, Sale

RETURNED: dict[int, tuple[str, dict[int, int] | None]] = {
    # When, and how many pieces of which line; None for all of the order, nothing for an amount alone.
    70431: ("2026-10-06T09:15:00", {1: 1}),
    70811: ("2026-11-02T12:40:12", None),
    71321: ("2026-11-24T10:05:33", {1: 1}),
    71322: ("2026-11-26T17:30:00", {}),
}


def refund(sale: Sale, number: int, when: str, pieces: dict[int, int] | None, *, amount: str, reason: str) -> Json:
    """One refund of a sale, with the fields in the order of the API."""
    till = Till(sale)
    counts = {index: item.quantity for index, item in enumerate(sale.items)} if pieces is None else pieces
    shipping = till.shipping if pieces is None and sale.shipping else None
    fees = list(zip(sale.fees, till.fees, strict=True)) if pieces is None else []
    lines = {index: _share(till, index, count) for index, count in counts.items()}
    parts = [*lines.values(), *(fee for _, fee in fees)]
    return {
        "id": number,
        "parent_id": sale.id,
        **moment("date_created", datetime.fromisoformat(when)),
        "amount": till.text(till.total if amount == "all" else Decimal(amount)),
        "reason": reason,
        "refunded_by": 1,
        "refunded_payment": True,
        "meta_data": [],
        "line_items": [_line(till, number, index, counts[index], share) for index, share in lines.items()],
        "shipping_lines": [] if shipping is None or sale.shipping is None else [
            {"id": number * 100 + 90, "method_title": sale.shipping[0], "method_id": "flat_rate", "instance_id": "1", **_money(till, shipping), "meta_data": []}
        ],
        "tax_lines": [
            {
                "id": number * 100 + 95 + place,
                "rate_code": rate.code,
                "rate_id": rate.id,
                "label": rate.label,
                "compound": rate.compound,
                "tax_total": _minus(till, sum((part.taxes.get(rate.id, ZERO) for part in parts), ZERO)),
                "shipping_tax_total": _minus(till, ZERO if shipping is None else shipping.taxes.get(rate.id, ZERO)),
                "rate_percent": float(rate.percent),
                "meta_data": [],
            }
            for place, rate in enumerate(till.rates_used())
            if any(rate.id in part.taxes for part in (*parts, *([shipping] if shipping else [])))
        ],
        "fee_lines": [
            {"id": number * 100 + 80 + place, "name": name, "tax_class": "", "tax_status": "taxable", **_money(till, fee), "meta_data": []}
            for place, ((name, _), fee) in enumerate(fees)
        ],
        "_links": {"up": [{"href": f"{SHOP}/orders/{sale.id}"}]},
    }  # fmt: skip


def _share(till: Till, index: int, count: int) -> Amount:
    """What some pieces of a line cost after the coupon."""
    paid, quantity = till.items[index].after, till.sale.items[index].quantity
    return Amount(
        rounded(paid.net * count / quantity, till.decimals),
        {rate: rounded(tax * count / quantity, till.decimals) for rate, tax in paid.taxes.items()},
    )


def _line(till: Till, number: int, index: int, count: int, share: Amount) -> Json:
    item = till.sale.items[index]
    return {
        "id": number * 1000 + index,
        "name": item.name,
        "product_id": 0 if item.is_deleted else 100 + index,
        "variation_id": 0,
        "quantity": -count,
        "tax_class": "" if item.rates is None else "reduced-rate",
        "subtotal": _minus(till, share.net),
        "subtotal_tax": _minus(till, share.tax),
        **_money(till, share),
        "meta_data": [{"id": number * 1000 + index, "key": "_refunded_item_id", "value": str(till.sale.id * 1000 + index + 1)}],
        "sku": item.sku,
        "price": float(round(share.net / count, 10)),
    }  # fmt: skip


def _money(till: Till, amount: Amount) -> Json:
    taxes = [{"id": rate, "total": _minus(till, tax), "subtotal": ""} for rate, tax in amount.taxes.items()]
    return {"total": _minus(till, amount.net), "total_tax": _minus(till, amount.tax), "taxes": taxes}


def _minus(till: Till, amount: Decimal) -> str:
    return till.text(-amount if amount else amount)


def refunds() -> list[Json]:
    """All refunds, in the order of their orders."""
    return [
        refund(sale, sale.id * 10 + place, *RETURNED[sale.id * 10 + place], amount=amount, reason=reason)
        for sale in SALES
        for place, (reason, amount) in enumerate(sale.refunds, 1)
    ]


def text() -> str:
    """The whole file: a JSON list, one refund per line."""
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in refunds()) + "\n]\n"


if __name__ == "__main__":
    Path(__file__).with_name("refunds.json").write_text(text(), encoding="utf-8")
