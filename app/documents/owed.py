"""Whether an order is owed a document at all, where only the order itself can tell."""

from app.domain.codes import ItemCode
from app.orders.model import Order


class NotOwed(Exception):
    """The order is owed no such document; `code` and `reason` say why. Its item is skipped, not failed."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def require_content(order: Order) -> None:
    """Raise `NotOwed` for an order that nothing was sold by: no line, no charge, and nothing to pay."""
    if not (order.lines or order.shipping_lines or order.fees or order.total or order.shipping_total):
        raise NotOwed(ItemCode.ORDER_EMPTY, "The order has no lines, no charges and nothing to pay")


def require_lines(order: Order) -> None:
    """Raise `NotOwed` for an order that has nothing to put into a parcel."""
    if not order.lines:
        raise NotOwed(ItemCode.NOTHING_TO_PACK, "The order has no lines to pack")
