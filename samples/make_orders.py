# ruff: noqa: E501  the fields of an order stand in the order of the API, one per line
"""Write `orders.json`: the sample orders, as a shop's REST API would send them.

Run `python samples/make_orders.py` after changing a table. The same tables give the same bytes.
Everything in it is invented.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from arithmetic import ZERO, Amount, rounded, taxed
from catalogue import DECIMALS, RATES, SYMBOLS, Item, Rate
from people import PEOPLE, Person
from sales import SALES, Sale

SHOP = "https://shop.example.com/wp-json/wc/v3"
SHOP_ZONE = ZoneInfo("Europe/Berlin")
PAID = {"completed", "processing", "refunded"}
PAYMENT_IDS = {"PayPal": "ppcp", "Bank transfer": "bacs", "Rechnung": "invoice", "": ""}

Json = dict[str, object]


@dataclass(frozen=True)
class Row:
    """A priced line: the amount before and after the coupon."""

    before: Amount
    after: Amount


class Till:
    """Adds one sale up."""

    def __init__(self, sale: Sale) -> None:
        self.sale = sale
        self.decimals = DECIMALS.get(sale.currency, 2) if sale.decimals is None else sale.decimals
        self.rates = [RATES[key] for key in sale.rates]
        self.items = [self._row(item) for item in sale.items]
        self.fees = [self._fee(Decimal(amount)) for _, amount in sale.fees]
        self.shipping = self._tax(Decimal(sale.shipping[1])) if sale.shipping else Amount(ZERO, {})
        self.cart_tax = sum((amount.tax for amount in self.charged()), ZERO)
        self.total = sum((amount.net + amount.tax for amount in [*self.charged(), self.shipping]), ZERO)
        self.discount = sum((row.before.net - row.after.net for row in self.items), ZERO)
        self.discount_tax = sum((row.before.tax - row.after.tax for row in self.items), ZERO)

    def charged(self) -> list[Amount]:
        """Items after coupons, and fees."""
        return [*(row.after for row in self.items), *self.fees]

    def rates_used(self) -> list[Rate]:
        """Every rate that taxes something, in the order of the table."""
        used = {number for amount in [*self.charged(), self.shipping] for number in amount.taxes}
        return [rate for rate in RATES.values() if rate.id in used]

    def text(self, amount: Decimal) -> str:
        """An amount as the shop writes it."""
        return str(rounded(amount, self.decimals))

    def _tax(self, price: Decimal, rates: list[Rate] | None = None) -> Amount:
        return taxed(price, self.rates if rates is None else rates, self.decimals, is_gross=self.sale.is_gross)

    def _row(self, item: Item) -> Row:
        rates = None if item.rates is None else [RATES[key] for key in item.rates]
        price = Decimal(item.price) * item.quantity
        percent = self.sale.coupon[1] if self.sale.coupon else 0
        reduced = rounded(price * (100 - percent) / 100, self.decimals)
        return Row(self._tax(price, rates), self._tax(reduced, rates))

    def _fee(self, amount: Decimal) -> Amount:
        # Shops enter fees net of tax, even where their prices include it.
        return taxed(amount, self.rates, self.decimals, is_gross=False)


def order(sale: Sale) -> Json:
    """The order of one sale, with the fields in the order of the API."""
    till = Till(sale)
    buyer = PEOPLE[sale.buyer]
    created = datetime.fromisoformat(sale.when)
    done = sale.status in {"completed", "refunded"}
    paid = created + timedelta(minutes=2) if sale.status in PAID else None
    completed = created + timedelta(days=1, hours=3) if done else None
    return {
        "id": sale.id,
        "parent_id": 0,
        "status": sale.status,
        "currency": sale.currency,
        "version": "9.8.3",
        "prices_include_tax": sale.is_gross,
        **moment("date_created", created),
        **moment("date_modified", completed or paid or created),
        "discount_total": till.text(till.discount),
        "discount_tax": till.text(till.discount_tax),
        "shipping_total": till.text(till.shipping.net),
        "shipping_tax": till.text(till.shipping.tax),
        "cart_tax": till.text(till.cart_tax),
        "total": till.text(till.total),
        "total_tax": till.text(till.cart_tax + till.shipping.tax),
        "customer_id": buyer.customer,
        "order_key": "wc_order_" + hashlib.sha256(str(sale.id).encode()).hexdigest()[:13],
        "billing": {**_address(buyer), "email": f"{buyer.mailbox}@example.com", "phone": buyer.phone},
        "shipping": _shipping_address(sale, buyer),
        "payment_method": PAYMENT_IDS.get(sale.payment, "card"),
        "payment_method_title": sale.payment,
        "transaction_id": "",
        "created_via": "checkout" if buyer.customer else "store-api",
        "customer_note": sale.note,
        **moment("date_completed", completed),
        **moment("date_paid", paid),
        "number": sale.number or str(sale.id),
        "meta_data": [{"id": 1, "key": key, "value": value} for key, value in sale.meta.items()],
        "line_items": [_line(till, sale.id * 1000 + index, *pair) for index, pair in enumerate(zip(sale.items, till.items, strict=True), 1)],
        "tax_lines": [_tax_line(till, sale.id * 1000 + 900 + index, rate) for index, rate in enumerate(till.rates_used(), 1)],
        "shipping_lines": [_shipping_line(till, sale.id * 1000 + 950)] if sale.shipping else [],
        "fee_lines": [_fee_line(till, sale.id * 1000 + 960 + index, *pair) for index, pair in enumerate(zip(sale.fees, till.fees, strict=True), 1)],
        "coupon_lines": [_coupon_line(till, sale.id * 1000 + 970)] if sale.coupon else [],
        "refunds": [
            {"id": sale.id * 10 + index, "reason": reason, "total": till.text(-(till.total if amount == "all" else Decimal(amount)))}
            for index, (reason, amount) in enumerate(sale.refunds, 1)
        ],
        "currency_symbol": SYMBOLS[sale.currency],
        "_links": {"self": [{"href": f"{SHOP}/orders/{sale.id}"}], "collection": [{"href": f"{SHOP}/orders"}]},
    }  # fmt: skip


def moment(name: str, moment: datetime | None) -> Json:
    """A moment of the shop's zone as the API tells it, local and in UTC."""
    if moment is None:
        return {name: None, f"{name}_gmt": None}
    utc = moment.replace(tzinfo=SHOP_ZONE).astimezone(UTC).replace(tzinfo=None)
    return {name: moment.isoformat(), f"{name}_gmt": utc.isoformat()}


def _address(person: Person) -> Json:
    return {
        "first_name": person.first,
        "last_name": person.last,
        "company": person.company,
        "address_1": person.street,
        "address_2": person.street_2,
        "city": person.city,
        "state": person.state,
        "postcode": person.postcode,
        "country": person.country,
    }


def _shipping_address(sale: Sale, buyer: Person) -> Json:
    if sale.shipping is None:
        return {**dict.fromkeys(_address(buyer), ""), "phone": ""}
    receiver = PEOPLE[sale.ship_to or sale.buyer]
    return {**_address(receiver), "phone": receiver.phone}


def _line(till: Till, number: int, item: Item, row: Row) -> Json:
    product = 0 if item.is_deleted else 100 + int(hashlib.sha256(item.name.encode()).hexdigest()[:4], 16) % 800
    return {
        "id": number,
        "name": item.name,
        "product_id": product,
        "variation_id": 0,
        "quantity": item.quantity,
        "tax_class": "" if item.rates is None else "reduced-rate",
        "subtotal": till.text(row.before.net),
        "subtotal_tax": till.text(row.before.tax),
        "total": till.text(row.after.net),
        "total_tax": till.text(row.after.tax),
        "taxes": [
            {"id": rate, "total": till.text(row.after.taxes[rate]), "subtotal": till.text(row.before.taxes[rate])}
            for rate in row.after.taxes
        ],
        "meta_data": [
            {"id": number * 10 + index, "key": key, "value": value, "display_key": key, "display_value": value}
            for index, (key, value) in enumerate(item.meta.items(), 1)
        ],
        "sku": item.sku,
        "price": float(round(row.after.net / item.quantity, 10)),
        "image": None if item.is_deleted else {"id": "", "src": ""},
        "parent_name": None,
    }


def _tax_line(till: Till, number: int, rate: Rate) -> Json:
    return {
        "id": number,
        "rate_code": rate.code,
        "rate_id": rate.id,
        "label": rate.label,
        "compound": rate.compound,
        "tax_total": till.text(sum((amount.taxes.get(rate.id, ZERO) for amount in till.charged()), ZERO)),
        "shipping_tax_total": till.text(till.shipping.taxes.get(rate.id, ZERO)),
        "rate_percent": float(rate.percent),
        "meta_data": [],
    }


def _shipping_line(till: Till, number: int) -> Json:
    title, _ = till.sale.shipping or ("", "")
    return {
        "id": number,
        "method_title": title,
        "method_id": "flat_rate",
        "instance_id": "1",
        "total": till.text(till.shipping.net),
        "total_tax": till.text(till.shipping.tax),
        "taxes": _taxes(till, till.shipping),
        "meta_data": [],
    }


def _fee_line(till: Till, number: int, fee: tuple[str, str], amount: Amount) -> Json:
    return {
        "id": number,
        "name": fee[0],
        "tax_class": "",
        "tax_status": "taxable",
        "amount": till.text(amount.net),
        "total": till.text(amount.net),
        "total_tax": till.text(amount.tax),
        "taxes": _taxes(till, amount),
        "meta_data": [],
    }


def _taxes(till: Till, amount: Amount) -> list[Json]:
    return [{"id": rate, "total": till.text(tax), "subtotal": ""} for rate, tax in amount.taxes.items()]


def _coupon_line(till: Till, number: int) -> Json:
    code, percent = till.sale.coupon or ("", 0)
    return {
        "id": number,
        "code": code,
        "discount": till.text(till.discount),
        "discount_tax": till.text(till.discount_tax),
        "meta_data": [],
        "discount_type": "percent",
        "nominal_amount": percent,
        "free_shipping": False,
    }


def text() -> str:
    """The whole file: a JSON list, one order per line."""
    lines = (json.dumps(order(sale), ensure_ascii=False, separators=(",", ":")) for sale in SALES)
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    Path(__file__).with_name("orders.json").write_text(text(), encoding="utf-8")
