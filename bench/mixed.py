"""Orders to measure with: the sample shop's customers, currencies, rates and goods in baskets of 1 to 30 lines."""

import random
import sys
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Final

SAMPLES: Final = Path(__file__).parents[1] / "samples"
sys.path.insert(0, str(SAMPLES))  # its modules import each other by plain names

from catalogue import DECIMALS, Item  # noqa: E402
from make_orders import order  # noqa: E402
from sales import SALES, Sale  # noqa: E402

MOST: Final = 30
"""Lines of the longest order."""

TYPICAL: Final = 7
"""Lines of an order beyond its first, on average, before the longest are cut."""

FIRST: Final = 1_000_000
"""The id of the first order."""

_OWED: Final = tuple(sale for sale in SALES if sale.status in {"completed", "processing"} and len(sale.items) <= MOST)


def mixed_orders(count: int, *, seed: int = 1) -> list[dict[str, Any]]:
    """That many orders that an invoice is owed for, as the shop's API sends them: the same for the same seed.

    Every sample sale comes as often as any other, so a fifth is in scripts other than Latin; coupons, fees, notes,
    refunds and a second rate of tax come with the sale that has them.
    """
    chance = random.Random(seed)
    return [dict(order(_basket(_OWED[place % len(_OWED)], FIRST + place, chance))) for place in range(count)]


def _basket(sale: Sale, number: int, chance: random.Random) -> Sale:
    lines = min(MOST, 1 + int(chance.expovariate(1 / TYPICAL)))
    items = tuple(_varied(sale.items[line % len(sale.items)], line, sale, chance) for line in range(lines))
    return replace(sale, id=number, number="", items=items)


def _varied(item: Item, line: int, sale: Sale, chance: random.Random) -> Item:
    """The item in another size, at another price: no two lines of a basket are alike."""
    decimals = DECIMALS.get(sale.currency, 2) if sale.decimals is None else sale.decimals
    price = (Decimal(item.price) * chance.randint(50, 150) / 100).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    sku = f"{item.sku}-{line}" if item.sku else item.sku
    return replace(item, price=str(price), quantity=chance.randint(1, 12), sku=sku)
