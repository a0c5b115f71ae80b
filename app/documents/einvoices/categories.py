"""The VAT category of what an order sells, where the order's data decide it; else why not, and what would.

Facts that WooCommerce does not keep, whether something is a good or a service above all, are not guessed: what was
shipped is a good.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.documents.einvoices.draft import Category, Seller, Vat
from app.documents.einvoices.territory import is_in_union, vat_country
from app.documents.einvoices.vat_ids import country_of
from app.orders.model import TaxLine, TaxShare

ZERO_CLASS: Final = "zero-rate"
"""The tax class that every WooCommerce has for what is zero rated."""
_WITHOUT_VAT: Final = "US-"
"""What WooCommerce's codes of rates begin with in the one large country that has no VAT."""


@dataclass(frozen=True, slots=True)
class Sale:
    """What the category of an untaxed sale depends on."""

    seller: Seller
    delivered_to: str
    """The country whose VAT holds where the goods go; empty if nobody knows."""
    buyer_vat_id: str
    is_shipped: bool
    """Something went by parcel: goods, and no service."""
    is_exempt: bool
    """The shop took no tax because of who the customer is."""
    is_untaxed: bool
    """No tax was taken of anything."""


def vat_of(
    sale: Sale,
    rates: Mapping[str, TaxLine],
    shares: Sequence[TaxShare],
    *,
    net: Decimal | None,
    tax: Decimal | None,
    tax_class: str = "",
) -> Vat:
    """The category and rate of one line, charge or allowance."""
    taking = [share for share in shares if share.total]
    if not taking and not tax:
        return _without_tax(sale, rates, shares, net=net, tax_class=tax_class)
    if not taking and len(rates) == 1:
        return _standard(next(iter(rates.values())))
    if not taking:
        return Vat(None, None, "it is taxed, and the order does not tell by which of its rates")
    if len(taking) > 1:
        labels = " and ".join(_label(rates.get(share.rate_id)) for share in taking)
        return Vat(None, None, f"it is taxed by {labels}, and the standard has one VAT rate a line")
    return _standard(rates.get(taking[0].rate_id))


def _label(rate: TaxLine | None) -> str:
    return "an unknown rate" if rate is None else rate.label or "a rate without a name"


def _standard(rate: TaxLine | None) -> Vat:
    if rate is not None and rate.code.startswith(_WITHOUT_VAT):
        return Vat(None, None, f"it is taxed by {_label(rate)}, a sales tax, and the standard knows VAT alone")
    return Vat(Category.STANDARD, None if rate is None else rate.percent)


def _without_tax(
    sale: Sale, rates: Mapping[str, TaxLine], shares: Sequence[TaxShare], *, net: Decimal | None, tax_class: str
) -> Vat:
    named = [rates[share.rate_id] for share in shares if share.rate_id in rates]
    if not net and len(named) == 1 and named[0].percent:
        # what is given away goes with the rate that it would have had
        return _standard(named[0])
    return untaxed(sale, is_zero_class=tax_class == ZERO_CLASS and any(rate.percent == 0 for rate in named))


def untaxed(sale: Sale, *, is_zero_class: bool = False) -> Vat:
    """What is sold without tax: abroad by where it goes and who buys it, at home as the store says."""
    home = vat_country(sale.seller.country)
    if not home:
        return _undecided("no tax was taken; whether it went abroad is not known without the store's country")
    if not sale.delivered_to:
        return _undecided("no tax was taken, and neither address has a country")
    if sale.delivered_to == home or not sale.is_untaxed:
        return _at_home(sale, is_zero_class=is_zero_class)
    if is_in_union(home) and is_in_union(sale.delivered_to):
        return _to_another_member(sale, home)
    if sale.is_shipped:
        return Vat(Category.EXPORT, Decimal(0))
    return _undecided(
        f"no tax was taken of a sale to {sale.delivered_to} and nothing was shipped: "
        "G for goods, O for a service that is taxed where the customer is"
    )


def _to_another_member(sale: Sale, home: str) -> Vat:
    if not sale.buyer_vat_id or country_of(sale.buyer_vat_id) == home:
        return _undecided(
            f"no tax was taken of a sale to {sale.delivered_to}, and no VAT number of the customer there is known: "
            "K and AE need it"
        )
    if sale.is_shipped:
        return Vat(Category.INTRA_COMMUNITY, Decimal(0))
    return _undecided(
        f"no tax was taken of a sale to a business in {sale.delivered_to} and nothing was shipped: "
        "AE for a service, K for goods"
    )


def _at_home(sale: Sale, *, is_zero_class: bool) -> Vat:
    if is_zero_class:
        return Vat(Category.ZERO, Decimal(0))
    if sale.is_exempt:
        return _undecided("the customer is exempt from tax, and the order does not tell why: E or AE")
    if sale.seller.untaxed is None:
        what = "no tax was taken at home" if sale.is_untaxed else "it is not taxed though other parts are"
        return _undecided(f"{what}, and nothing tells why: Z, E or O, as the store's setting would say")
    return Vat(sale.seller.untaxed, None if sale.seller.untaxed is Category.OUT_OF_SCOPE else Decimal(0))


def _undecided(doubt: str) -> Vat:
    return Vat(None, Decimal(0), doubt)
