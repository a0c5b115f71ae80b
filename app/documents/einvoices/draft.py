"""An order as the terms of EN 16931 have it: what an e-invoice of it would say, with gaps where nobody knows.

All amounts are positive where the document asks for money (invoice, 380) or gives it back (credit note, 381), and as
the shop stored them; nothing is worked out but the price of one piece. Names of fields that are terms of the standard
have their number beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum


class TypeCode(StrEnum):
    """BT-3, of UNTDID 1001."""

    INVOICE = "380"
    CREDIT_NOTE = "381"


class Category(StrEnum):
    """The VAT categories of UNCL 5305 that the standard takes, without those of the Canary Islands and Ceuta."""

    STANDARD = "S"
    """Taxed at a rate above zero, whichever."""
    ZERO = "Z"
    EXEMPT = "E"
    REVERSE_CHARGE = "AE"
    INTRA_COMMUNITY = "K"
    EXPORT = "G"
    OUT_OF_SCOPE = "O"


@dataclass(frozen=True, slots=True)
class Vat:
    """The tax of one line, charge or allowance."""

    category: Category | None
    """BT-151, BT-95, BT-102."""
    rate: Decimal | None
    """Per cent; BT-152, BT-96, BT-103."""
    doubt: str = ""
    """Why the category cannot be decided, and what would decide it."""


@dataclass(frozen=True, slots=True)
class Seller:
    """What the store says of itself: BG-4."""

    name: str
    has_address: bool
    country: str
    """BT-40; empty if the store does not say."""
    vat_id: str
    """BT-31."""
    has_other_tax_id: bool
    """BT-32."""
    terms: str
    """BT-20."""
    untaxed: Category | None
    """What is sold at home without tax; None if the store does not say."""
    exemption: str
    """BT-120 of what is exempt."""
    has_number_keys: bool


@dataclass(frozen=True, slots=True)
class Buyer:
    """Whom the document is for: BG-7."""

    name: str
    """BT-44."""
    has_address: bool
    country: str
    """BT-55."""
    typed_vat_id: str
    """As the shop keeps it."""
    vat_id: str
    """BT-48; empty if what was typed is none."""


@dataclass(frozen=True, slots=True)
class Position:
    """A line: BG-25."""

    place: str
    """Where it stands, for people."""
    name: str
    """BT-153."""
    quantity: Decimal
    """BT-129."""
    unit: str | None
    """BT-130; None if nobody knows."""
    written_unit: str
    net: Decimal | None
    """BT-131, after what coupons took off."""
    vat: Vat


@dataclass(frozen=True, slots=True)
class Extra:
    """A charge on the whole document (BG-21), or an allowance (BG-20): shipping, fees, discounts."""

    place: str
    is_allowance: bool
    is_shipping: bool
    reason: str
    """BT-104 or BT-97."""
    amount: Decimal
    """BT-99 or BT-92; never negative."""
    vat: Vat

    @property
    def signed(self) -> Decimal:
        """What it adds to the sum."""
        return -self.amount if self.is_allowance else self.amount


@dataclass(frozen=True, slots=True)
class Taxed:
    """A row of the VAT breakdown (BG-23) whose category is standard."""

    rate: Decimal
    """BT-119."""
    base: Decimal
    """BT-116: the lines and extras of that rate."""
    tax: Decimal
    """BT-117, as the shop stored it."""
    parts: int
    """Lines and extras: each may have been rounded by itself."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One invoice or credit note."""

    type_code: TypeCode
    number: str
    """BT-1."""
    has_own_number: bool
    """The number is the invoice's own and not only the order's."""
    preceding: str
    """BT-25 of a credit note."""
    issued: date | None
    """BT-2."""
    currency: str
    """BT-5."""
    seller: Seller
    buyer: Buyer
    delivered: date | None
    """BT-72."""
    delivery_country: str
    """BT-80."""
    positions: Sequence[Position]
    extras: Sequence[Extra]
    taxed: Sequence[Taxed]
    stored_tax: Decimal | None
    """BT-110, as the shop stored it."""
    stored_total: Decimal | None
    """BT-112, as the shop stored it."""
    is_paid: bool
    unit: Decimal
    """The smallest amount that the shop writes, such as 0.01."""

    @property
    def vats(self) -> list[Vat]:
        """The tax of each line and extra."""
        return [*(one.vat for one in self.positions), *(one.vat for one in self.extras)]

    def has(self, *categories: Category) -> bool:
        """Whether something is of one of these categories."""
        return any(vat.category in categories for vat in self.vats)

    @property
    def net(self) -> Decimal | None:
        """BT-109: lines less allowances plus charges; None if a line's is not known."""
        known = [one.net for one in self.positions if one.net is not None]
        if len(known) < len(self.positions):
            return None
        return sum(known, Decimal(0)) + sum((extra.signed for extra in self.extras), Decimal(0))

    @property
    def slack(self) -> Decimal:
        """How far sums may be apart that were rounded part by part: half a cent for each, and for the sum."""
        return (len(self.positions) + len(self.extras) + len(self.taxed) + 1) * self.unit / 2
