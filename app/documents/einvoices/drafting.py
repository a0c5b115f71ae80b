"""From an order to its invoice and credit notes in the terms of EN 16931; figures are those that the shop stored."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from app.documents.credited import credited
from app.documents.decimals import decimals_among
from app.documents.einvoices.categories import Sale, vat_of
from app.documents.einvoices.draft import Buyer, Category, Draft, Extra, Position, Seller, Taxed, TypeCode
from app.documents.einvoices.parties import buyer_of
from app.documents.einvoices.territory import vat_country
from app.documents.einvoices.units import unit_code
from app.documents.numbering import invoiced
from app.documents.sums import Kind, sums_of
from app.orders.model import Address, Charge, Line, Order, Refund, TaxLine

_PICKED_UP: Final = frozenset({"local_pickup", "pickup_location"})
_PAID: Final = frozenset({"completed", "refunded"})
"""Statuses of orders that are paid, though some say no date of it."""


def invoice_draft(order: Order, seller: Seller) -> Draft:
    """The invoice of an order."""
    return _Drafting(invoiced(order), seller, order.taxes).draft(TypeCode.INVOICE)


def credit_note_draft(order: Order, refund: Refund, seller: Seller) -> Draft:
    """The credit note of one refund."""
    origin = invoiced(order)
    drafting = _Drafting(credited(origin, refund), seller, order.taxes, untaxed=_is_untaxed(order))
    return drafting.draft(TypeCode.CREDIT_NOTE, preceding=origin.number)


class _Drafting:
    """Holds what the parts of one document are judged by."""

    def __init__(self, order: Order, seller: Seller, rates: Sequence[TaxLine], *, untaxed: bool | None = None) -> None:
        self.order = order
        self.seller = seller
        self.rates: Mapping[str, TaxLine] = {rate.rate_id: rate for rate in (*order.taxes, *rates)}
        self.buyer = buyer_of(order)
        self.sale = _sale(order, seller, self.buyer, is_untaxed=_is_untaxed(order) if untaxed is None else untaxed)

    def draft(self, type_code: TypeCode, *, preceding: str = "") -> Draft:
        order, sign = self.order, -1 if type_code is TypeCode.CREDIT_NOTE else 1
        positions = [self._position(number, line, sign) for number, line in enumerate(order.lines, 1)]
        extras = list(self._extras(sign))
        return Draft(
            type_code=type_code,
            number=order.number,
            has_own_number=bool(order.invoice_number),
            preceding=preceding,
            issued=None if order.date is None else order.date.date(),
            currency=order.currency,
            seller=self.seller,
            buyer=self.buyer,
            delivered=None if order.completed_date is None else order.completed_date.date(),
            delivery_country=_delivery(order).country,
            positions=positions,
            extras=extras,
            taxed=self._taxed(positions, extras, sign),
            stored_tax=_signed(order.total_tax, sign),
            stored_total=_signed(order.total, sign),
            is_paid=type_code is TypeCode.CREDIT_NOTE or order.paid_date is not None or order.status in _PAID,
            unit=Decimal(1).scaleb(-min(2, decimals_among(order))),
        )

    def _position(self, number: int, line: Line, sign: int) -> Position:
        name = f" ({line.name[:40]})" if line.name else ""
        return Position(
            place=f"line {number}{name}",
            name=line.name,
            quantity=line.quantity * sign,
            unit=unit_code(line.unit, line.quantity),
            written_unit=line.unit,
            net=_signed(line.total, sign),
            vat=vat_of(self.sale, self.rates, line.taxes, net=line.total, tax=line.total_tax, tax_class=line.tax_class),
        )

    def _extras(self, sign: int) -> Iterator[Extra]:
        order = self.order
        shipping = order.shipping_lines
        if not shipping and order.shipping_total:
            shipping = (Charge(title="", total=order.shipping_total, total_tax=order.shipping_tax),)
        for is_shipping, charge in (*((True, one) for one in shipping), *((False, one) for one in order.fees)):
            if not charge.total:
                continue
            amount = charge.total * sign
            kind = "shipping" if is_shipping else "fee" if amount > 0 else "discount"
            yield Extra(
                place=f"{kind} ({charge.title[:40]})" if charge.title else kind,
                is_allowance=amount < 0,
                is_shipping=is_shipping,
                reason=charge.title,
                amount=abs(amount),
                vat=vat_of(self.sale, self.rates, charge.taxes, net=charge.total, tax=charge.total_tax),
            )

    def _taxed(self, positions: Sequence[Position], extras: Sequence[Extra], sign: int) -> list[Taxed]:
        """A row for each rate above zero; what a shop stored for rates of the same percentage is one sum."""
        parts: dict[Decimal, list[Decimal]] = {}
        for vat, net in (*((one.vat, one.net) for one in positions), *((one.vat, one.signed) for one in extras)):
            if vat.category is Category.STANDARD and vat.rate is not None and net is not None:
                parts.setdefault(vat.rate, []).append(net)
        stored: dict[Decimal, Decimal] = {}
        for row in sums_of(self.order, gross=False).rows:
            if (
                row.kind is Kind.TAX
                and row.rate is not None
                and row.rate.percent is not None
                and row.amount is not None
            ):
                stored[row.rate.percent] = stored.get(row.rate.percent, Decimal(0)) + row.amount * sign
        return [
            Taxed(rate, sum(nets, Decimal(0)), stored[rate], len(nets))
            for rate, nets in parts.items()
            if rate in stored
        ]


def _sale(order: Order, seller: Seller, buyer: Buyer, *, is_untaxed: bool) -> Sale:
    methods = {charge.method for charge in order.shipping_lines}
    is_picked_up = bool(methods) and methods <= _PICKED_UP
    delivery = _delivery(order)
    return Sale(
        seller=seller,
        delivered_to=vat_country(seller.country) if is_picked_up else vat_country(delivery.country, delivery.state),
        buyer_vat_id=buyer.vat_id,
        is_shipped=bool(order.shipping_lines) and not is_picked_up,
        is_exempt=order.is_vat_exempt,
        is_untaxed=is_untaxed,
    )


def _delivery(order: Order) -> Address:
    """Where the goods go: nowhere else than to the bill, if the order has no country for them."""
    return order.shipping if order.shipping.country else order.billing


def _is_untaxed(order: Order) -> bool:
    taxes = [*(line.total_tax for line in order.lines), *(charge.total_tax for charge in order.shipping_lines)]
    return not order.total_tax and not any(taxes) and not any(fee.total_tax for fee in order.fees)


def _signed(amount: Decimal | None, sign: int) -> Decimal | None:
    return None if amount is None else amount * sign
