"""Orders as a shop sends them, in any number: what the tests of whole installations import."""

from typing import Any


def order(number: int, /, **changes: Any) -> dict[str, Any]:
    """A small order whose total tells its number: 100 + number / 100."""
    total = f"{100 + number / 100:.2f}"
    return {
        "id": 5000 + number,
        "number": f"{number:05}",
        "status": "completed",
        "currency": "EUR",
        "date_created": f"2026-10-{number % 28 + 1:02}T10:00:00",
        "date_created_gmt": f"2026-10-{number % 28 + 1:02}T08:00:00",
        "date_modified_gmt": "2026-11-01T08:00:00",
        "total": total,
        "total_tax": "0.00",
        "prices_include_tax": False,
        "customer_id": number % 7,
        "billing": {
            "first_name": "Greta",
            "last_name": f"Muster-{number}",
            "address_1": "Am Anger 3",
            "city": "Jena",
            "postcode": "07743",
            "country": "DE",
            "email": f"greta{number}@example.com",
        },
        "line_items": [
            {
                "id": 1,
                "name": "Teapot",
                "quantity": 1,
                "subtotal": total,
                "total": total,
                "total_tax": "0.00",
                "sku": "T1",
            }
        ],
        **changes,
    }


def orders(count: int, *, first: int = 1) -> list[dict[str, Any]]:
    """That many small orders."""
    return [order(number) for number in range(first, first + count)]
