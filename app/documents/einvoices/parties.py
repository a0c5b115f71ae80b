"""The two sides of an e-invoice: the seller from the store's settings, the buyer from the order."""

from app.documents.einvoices.draft import Buyer, Category, Seller
from app.documents.einvoices.vat_ids import first_vat_id, vat_id
from app.domain.store_settings import StoreSettings
from app.orders.model import Order


def seller_of(store: StoreSettings) -> Seller:
    """The store as the seller."""
    numbers = [one.number for one in store.tax_ids]
    found = first_vat_id(numbers)
    category, _, exemption = store.untaxed.partition("=")
    return Seller(
        name=store.name,
        has_address=bool(store.address),
        country=store.country,
        vat_id=found,
        has_other_tax_id=len(numbers) > (1 if found else 0),
        terms="\n".join(store.bank_lines),
        untaxed=Category(category) if category else None,
        exemption=exemption,
        has_number_keys=bool(store.number_keys),
    )


def buyer_of(order: Order) -> Buyer:
    """The customer of an order; a company comes before the person who ordered for it."""
    billing = order.billing
    person = f"{billing.first_name} {billing.last_name}".strip()
    return Buyer(
        name=billing.company or person,
        has_address=any((billing.address_1, billing.address_2, billing.city, billing.postcode)),
        country=billing.country,
        typed_vat_id=order.vat_number,
        vat_id=vat_id(order.vat_number, country=billing.country) if order.vat_number else "",
    )
