"""Our own order: what a shop really sent, read once, with money as it was stored.

Every amount is a `Decimal` that keeps the digits the shop wrote (`Decimal("3508")` stays
without decimals, `Decimal("7.90")` keeps its zero). Amounts are never recomputed; where a shop
sent none, the field is `None` and a document leaves the figure out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address as typed by a customer; each field may be empty."""

    first_name: str = ""
    last_name: str = ""
    company: str = ""
    address_1: str = ""
    address_2: str = ""
    city: str = ""
    state: str = ""
    postcode: str = ""
    country: str = ""
    """ISO 3166 alpha-2 as the shop sent it, upper-cased; not checked."""
    email: str = ""
    phone: str = ""

    def is_empty(self) -> bool:
        """Nothing to print: every postal field is empty."""
        return not any(
            (self.first_name, self.last_name, self.company, self.address_1, self.address_2, self.city, self.postcode)
        )


@dataclass(frozen=True, slots=True)
class Meta:
    """One printable attribute of a line ("Colour: blue"), already text."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class TaxShare:
    """The part of a line's tax that belongs to one tax rate of the order."""

    rate_id: str
    total: Decimal | None
    subtotal: Decimal | None


@dataclass(frozen=True, slots=True)
class Line:
    """One product line. Totals are net of tax; `subtotal` is before coupons, `total` after."""

    id: int | None
    name: str
    sku: str
    quantity: Decimal
    subtotal: Decimal | None
    subtotal_tax: Decimal | None
    total: Decimal | None
    total_tax: Decimal | None
    price: Decimal | None
    tax_class: str
    taxes: Sequence[TaxShare]
    meta: Sequence[Meta]
    product_id: int | None
    unit: str = ""
    """What the quantity counts, as the shop wrote it under the keys that the reader was told; empty if it did not."""
    bundled_by: int | None = None
    """The id of the line that this one is a part of; None if it stands for itself."""


@dataclass(frozen=True, slots=True)
class Charge:
    """A shipping line or a fee: a titled net amount with its tax. A negative fee is a discount."""

    title: str
    total: Decimal | None
    total_tax: Decimal | None
    taxes: Sequence[TaxShare] = ()
    method: str = ""
    """How it is shipped, in WooCommerce's words, such as `flat_rate` or `local_pickup`; empty for a fee."""


@dataclass(frozen=True, slots=True)
class Coupon:
    """A coupon that was used, with the net discount it gave."""

    code: str
    discount: Decimal | None
    discount_tax: Decimal | None


@dataclass(frozen=True, slots=True)
class TaxLine:
    """One tax rate's row: `tax_total` on items and fees, `shipping_tax_total` on shipping."""

    rate_id: str
    label: str
    percent: Decimal | None
    compound: bool
    tax_total: Decimal | None
    shipping_tax_total: Decimal | None
    code: str = ""
    """WooCommerce's name of the rate: country, state, name and priority, of which each but the last may be absent."""


@dataclass(frozen=True, slots=True)
class Refund:
    """One refund of the order. `amount` is positive; lines have negative amounts as stored.

    The short entry inside an order has an amount and a reason only: no date, no lines.
    """

    id: int | None
    amount: Decimal | None
    reason: str
    date: datetime | None
    """The shop's local date and time, without zone."""
    lines: Sequence[Line]
    instant: datetime | None = None
    """The same moment in UTC (aware)."""
    shipping_lines: Sequence[Charge] = ()
    fees: Sequence[Charge] = ()
    taxes: Sequence[TaxLine] = ()
    """Refunded tax by rate; amounts of charges and taxes are negative, as stored."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order as its shop stored it.

    `date` is the shop's local date and time without zone, `instant` the same moment in UTC
    (aware); either may be absent, both if the shop sent none.
    """

    id: int
    number: str
    status: str
    currency: str
    """ISO 4217, upper-cased; empty if the shop sent none."""
    currency_symbol: str
    date: datetime | None
    instant: datetime | None
    paid_date: datetime | None
    """Local, like `date`."""
    modified: datetime | None
    """UTC, like `instant`."""
    prices_include_tax: bool
    customer_id: int | None
    billing: Address
    shipping: Address
    payment_method: str
    customer_note: str
    lines: Sequence[Line]
    shipping_lines: Sequence[Charge]
    fees: Sequence[Charge]
    coupons: Sequence[Coupon]
    taxes: Sequence[TaxLine]
    refunds: Sequence[Refund]
    discount_total: Decimal | None
    shipping_total: Decimal | None
    shipping_tax: Decimal | None
    cart_tax: Decimal | None
    total: Decimal | None
    total_tax: Decimal | None
    meta: Sequence[Meta]
    parent_id: int | None = None
    """The order that this one is a part of: marketplaces split an order among their sellers."""
    completed_date: datetime | None = None
    """When its status became completed; local, like `date`. Most shops do that when the goods leave."""
    is_vat_exempt: bool = False
    """The shop took no tax because of who the customer is."""
    vat_number: str = ""
    """The customer's VAT number as typed, under the keys of `VAT_KEYS` or those that the reader was told."""
    invoice_number: str = ""
    """What another plugin numbered the invoice by, under the keys that the reader was told; empty if none is there."""
    warnings: Sequence[str] = ()
    """Oddities that were read around, each as one sentence for the owner."""

    def customer_name(self) -> str:
        """Whom the document is for: the billing name, else company, else the e-mail address."""
        person = f"{self.billing.first_name} {self.billing.last_name}".strip()
        return person or self.billing.company or self.billing.email
