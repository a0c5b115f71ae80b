"""What an object of an upload is, judged by the fields it shows: an order, a refund, or neither."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from app.orders.fields import kind, whole_number
from app.orders.text import plain_markup

# Fields of which an order shows at least one, and a product, coupon, note or receipt none.
_ORDER_FIELDS: Final = frozenset({"total", "line_items", "status", "billing", "billing_address", "order_number"})
# Fields that only an order (or a refund of it) has.
_SURELY_ORDER: Final = frozenset({"line_items", "order_key", "payment_method", "order_number", "currency", "tax_lines"})
# A refund object never has these; what has them and an `amount` is an order with a plugin's field.
_NOT_OF_A_REFUND: Final = frozenset(
    {"billing", "billing_address", "order_key", "payment_method", "order_number", "number"}
)
# What tells the neighbours apart that people upload by mistake.
_OTHERS: Final = (
    ("a product", frozenset({"regular_price", "sale_price", "stock_status", "catalog_visibility", "permalink"})),
    ("a customer", frozenset({"username", "avatar_url", "is_paying_customer", "role"})),
    ("a coupon", frozenset({"discount_type", "usage_limit", "individual_use"})),
    ("a page or post", frozenset({"post_type", "post_status", "guid", "comment_status"})),
    ("a webhook", frozenset({"delivery_url", "topic"})),
)
# Has the shape of an order, but nothing was sold by it yet.
_SUBSCRIPTION: Final = frozenset({"billing_period", "billing_interval"})
_PARENT_IN_LINK: Final = re.compile(r"/orders/([0-9]{1,19})(?=[/?&#]|$)")
_LONGEST_QUOTE: Final = 200


def refuse_shape(value: Mapping[str, object]) -> str:
    """Why an object is no order, as a sentence; empty if it may be one."""
    message = value.get("message")
    if not value:
        return "the object is empty"
    if "id" not in value and isinstance(message, str):
        return f"the shop answered: “{plain_markup(message)[:_LONGEST_QUOTE]}”"
    neighbour = _neighbour(value)
    if neighbour:
        return f"this is {neighbour}, not an order"
    if not _ORDER_FIELDS & value.keys():
        return f"none of an order's fields is in it, only {_few_keys(value)}"
    return "" if "id" in value else "it has no id; is it a request to create an order?"


def is_refund(value: Mapping[str, object]) -> bool:
    """The object is a refund of an order, not an order."""
    if value.get("type") == "shop_order_refund":
        return True
    if value.get("amount") not in (None, "") and "discount_type" not in value:
        return not _NOT_OF_A_REFUND & value.keys()
    return (whole_number(value.get("parent_id")) or 0) > 0 and _gives_back(value)


def parent_of(refund: Mapping[str, object]) -> int | None:
    """The id of the order that a refund belongs to, from `parent_id` or its links."""
    parent = whole_number(refund.get("parent_id")) or 0
    if parent > 0:
        return parent
    links = refund.get("_links")
    if not isinstance(links, Mapping):
        return None
    for relation in ("up", "self", "collection"):
        for link in _members(links.get(relation)):
            href = link.get("href")
            found = _PARENT_IN_LINK.search(href) if isinstance(href, str) else None
            if found:
                return whole_number(found[1]) or None
    return None


def _neighbour(value: Mapping[str, object]) -> str:
    if value.keys() >= _SUBSCRIPTION:
        return "a subscription"
    if _SURELY_ORDER & value.keys():
        return ""
    return next((name for name, signs in _OTHERS if signs & value.keys()), "")


def _gives_back(value: Mapping[str, object]) -> bool:
    """Some amount is negative and none of the lines is positive."""
    amounts = [_sign(line.get("total")) for line in _members(value.get("line_items"))]
    return min([_sign(value.get("total")), *amounts]) < 0 and max(amounts, default=0) <= 0


def _sign(amount: object) -> int:
    if isinstance(amount, int | Decimal):
        return (amount > 0) - (amount < 0)
    if isinstance(amount, str) and amount.strip(" 0.+-"):
        return -1 if amount.strip().startswith("-") else 1
    return 0


def _members(value: object) -> list[Mapping[str, object]]:
    return [member for member in value if isinstance(member, Mapping)] if isinstance(value, list) else []


def _few_keys(value: Mapping[str, object]) -> str:
    names = [plain_markup(key[:30]) for key in list(value)[:4]]
    return ", ".join(f"“{name}”" for name in names) + (" …" if len(value) > len(names) else "")


def describe(value: object) -> str:
    """What a value is that is not an object at all."""
    return f"{kind(value)} stands where an order should be"
