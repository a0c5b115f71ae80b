"""The words, numbers and dates of one document in its store's language, and the frame around its table."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from babel import Locale
from babel.dates import format_date

from app.documents import money
from app.documents.address import address_lines
from app.documents.contract import StoreSettings
from app.documents.decimals import decimals_among, padded
from app.documents.direction import apart
from app.documents.dress import rows_of
from app.documents.language import locale_of, territory_of
from app.documents.view import Frame, Party, Row
from app.documents.wording import Wording, wording_for
from app.domain.store_settings import TaxId
from app.orders.model import Address, Line, Order

HAN_BY_COUNTRY: Final = {"CN": "SC", "SG": "SC", "TW": "TC", "HK": "HK", "MO": "HK", "JP": "JP", "KR": "KR"}
"""Whose forms of the Chinese characters a country reads."""

ASKING_FOR_MONEY: Final = frozenset({"invoice"})
"""The documents with the store's bank details: on any other they would invite a second payment."""


class Writer:
    """Holds what every part of one document needs: the order, the language, the warnings."""

    def __init__(self, order: Order, store: StoreSettings) -> None:
        self.order = order
        self.store = store
        self.warnings: list[str] = []
        self.locale = self._locale()
        self.wording: Wording = wording_for(self.locale)
        self.is_mirrored = self.locale.text_direction == "rtl"
        self.decimals = decimals_among(order)

    def frame(
        self,
        kind: str,
        *,
        moment: datetime | None,
        facts: Iterable[Row],
        parties: Iterable[Party | None],
        note: Party | None = None,
    ) -> Frame:
        """The frame of a document of the `moment`, headed by the text `kind`; what is empty is left out."""
        order, wording, foot = self.order, self.wording, self._foot(has_bank=kind in ASKING_FOR_MONEY)
        return Frame(
            lang=str(self.locale).replace("_", "-"),
            direction=self.locale.text_direction,
            han=self._han(),
            title=self._title(kind, order.number),
            heading=wording(kind),
            seller=self.store.name,
            seller_lines=self._seller_lines(),
            has_logo=self.store.logo is not None,
            foot=foot,
            foot_rows=max((_rows(column, columns=len(foot)) for column in foot), default=0),
            footer=" · ".join(filter(None, (self.apart(self.store.name), self._title(kind, self.apart(order.number))))),
            facts=[fact for fact in facts if fact.text],
            parties=[party for party in parties if party is not None],
            note=note,
            page=_around_numbers(wording("page")),
            created="" if moment is None else moment.isoformat(timespec="seconds") + "Z",
        )

    def fact(self, key: str, text: str) -> Row:
        """A fact with its label; the text keeps its own direction."""
        return Row(self.wording(key), self.apart(text))

    def dated(self, key: str, moment: datetime | None) -> Row:
        """A day with its label."""
        return Row(self.wording(key), "" if moment is None else format_date(moment, format="long", locale=self.locale))

    def party(self, heading: str, lines: Sequence[str]) -> Party | None:
        """What somebody else wrote, under a heading of ours; None if it is empty."""
        return Party(self.wording(heading), [self.apart(line) for line in lines]) if any(lines) else None

    def bill_to(self) -> Party | None:
        """The buyer, with the e-mail address."""
        email = (self.order.billing.email,) if self.order.billing.email else ()
        return self.party("bill_to", (*self.address(self.order.billing), *email))

    def address(self, address: Address) -> tuple[str, ...]:
        """The lines of an address, none if it is empty."""
        return address_lines(address, locale=self.locale)

    def note(self) -> Party | None:
        """What the customer wrote at the checkout."""
        return self.party("note", self.order.customer_note.splitlines())

    def name(self, line: Line) -> str:
        """What a line is, or that nobody named it; what is part of a bundle stands under it, behind a dash."""
        name = self.apart(line.name) or self.wording("nameless")
        return name if line.bundled_by is None else f"\N{EN DASH}\N{NO-BREAK SPACE}{name}"

    def attributes(self, line: Line) -> list[str]:
        """The printable attributes of a line, each as `Colour: blue`."""
        return [
            self.wording("attribute", label=self.apart(meta.label), value=self.apart(meta.value)) for meta in line.meta
        ]

    def apart(self, text: str) -> str:
        """Keep a text's own direction, whatever stands around it."""
        return apart(text, is_mirrored=self.is_mirrored)

    def money(self, amount: Decimal | None) -> str:
        """An amount in the order's currency and decimals; nothing for an amount that is not known."""
        if amount is None:
            return ""
        return money.amount_text(self.padded(amount), currency=self.order.currency, locale=self.locale)

    def padded(self, amount: Decimal) -> Decimal:
        """An amount with the decimals that those of the order have."""
        return padded(amount, self.decimals)

    def quantity(self, quantity: Decimal) -> str:
        """A count of pieces."""
        return money.quantity_text(quantity, locale=self.locale)

    def percent(self, percent: Decimal) -> str:
        """A rate of tax, in per cent."""
        return money.percent_text(percent, locale=self.locale)

    def _locale(self) -> Locale:
        """The store's language, or English throughout if we have no words for it.

        English words among Hebrew dates, set from right to left, would be neither.
        """
        locale = locale_of(self.store.locale)
        if locale is not None and wording_for(locale).language == locale.language:
            return locale
        self.warnings.append(f"There are no texts for the language {self.store.locale!r}; English was used.")
        return Locale("en")

    def _seller_lines(self) -> list[str]:
        lines = [self.apart(line) for line in self.store.address if line]
        return [*lines, *map(self._tax_id, self.store.tax_ids)]

    def _tax_id(self, tax_id: TaxId) -> str:
        number = self.apart(tax_id.number)
        return f"{self.apart(tax_id.label)} {number}" if tax_id.label else self.wording("tax_id", id=number)

    def _title(self, kind: str, number: str) -> str:
        return self.wording(f"{kind}_title", number=number)

    def _foot(self, *, has_bank: bool) -> list[Party]:
        columns = (("bank", self.store.bank_lines if has_bank else ()), ("", self.store.footer))
        return [
            Party(self.wording(heading) if heading else "", [self.apart(line) for line in lines])
            for heading, lines in columns
            if lines
        ]

    def _han(self) -> str:
        """The store's own forms if its language has Chinese characters, else the customer's."""
        address = self.order.billing.country or self.order.shipping.country
        country = territory_of(self.locale) if self.locale.language in {"zh", "ja", "ko"} else address
        return HAN_BY_COUNTRY.get(country, "SC")


def _rows(column: Party, *, columns: int) -> int:
    return rows_of([*([column.heading] if column.heading else []), *column.lines], columns=columns)


def _around_numbers(text: str) -> tuple[str, str, str]:
    """Take `Page {page} of {pages}` apart; the style sheet puts the numbers between the parts."""
    before, _, rest = text.partition("{page}")
    between, _, after = rest.partition("{pages}")
    return before, between, after
