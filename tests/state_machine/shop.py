"""The shop that the machine's owners export from: a few orders, and what may be asked for of them."""

from app.domain.selection import Selection
from tests.database.conftest import content

ORDERS = (
    *(content(shop_id) for shop_id in (1, 2, 3)),
    content(4, customer_id=8),
    content(5, customer_id=8, status="draft"),
    content(6, customer_id=9, status="draft"),
)
SHOP_IDS = frozenset(order.index.shop_id for order in ORDERS)
SELECTIONS = (
    Selection(customer_id=7),
    Selection(order_ids=(1, 2, 3, 4, 99)),  # one does not exist
    Selection(customer_id=8),  # one is skipped
    Selection(customer_id=9),  # all are skipped
    Selection(customer_id=404),  # empty
)


def asked_for(selection: Selection) -> frozenset[int]:
    """The orders that a selection asks for, by the shop's ids, whether or not they exist now."""
    if selection.order_ids:
        return frozenset(selection.order_ids)
    return frozenset(order.index.shop_id for order in ORDERS if order.index.customer_id == selection.customer_id)
