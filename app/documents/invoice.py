"""An order as an invoice: refunds do not touch it, and no figure on it is ours."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final
from unicodedata import bidirectional

from babel import Locale
from babel.dates import format_date

from app.documents import figures, money, sums
from app.documents.address import address_lines
from app.documents.contract import StoreSettings
from app.documents.language import locale_of, territory_of
from app.documents.view import InvoiceView, LineRow, Party, Row
from app.documents.wording import Wording, wording_for
from app.orders.model import Line, Order, TaxLine

HAN_BY_COUNTRY: Final = {"CN": "SC", "SG": "SC", "TW": "TC", "HK": "HK", "MO": "HK", "JP": "JP", "KR": "KR"}
"""Whose forms of the Chinese characters a country reads."""

FIRST_STRONG_ISOLATE: Final = "\u2068"
POP_ISOLATE: Final = "\u2069"
LEFT_TO_RIGHT_MARK: Final = "\u200e"
RIGHT_TO_LEFT_MARK: Final = "\u200f"
_ISOLATES: Final = dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069"))

_LEFT_TO_RIGHT: Final = frozenset({"L", "EN", "ES", "ET", "CS", "ON", "NSM", "BN", "WS", "S", "B"})
"""The bidirectional classes that never turn a left-to-right text around."""


def invoice_view(order: Order, store: StoreSettings) -> InvoiceView:
    """Put an order into the words, numbers and dates of its store."""
    return _Writer(order, store).view()


class _Writer:
    """Holds what every part of one invoice needs: the order, the language, the warnings."""

    def __init__(self, order: Order, store: StoreSettings) -> None:
        self.order = order
        self.store = store
        self.warnings: list[str] = []
        self.locale = self._locale()
        self.wording: Wording = wording_for(self.locale)
        self.is_mirrored = self.locale.text_direction == "rtl"
        self.gross = sums.is_gross(order)
        self.rates: dict[str, TaxLine] = {tax.rate_id: tax for tax in order.taxes}

    def view(self) -> InvoiceView:
        order, wording = self.order, self.wording
        rows = sums.sums_of(order, gross=self.gross)
        lines = [self._line(line) for line in order.lines]
        has_tax_column = len({line.tax for line in lines}) > 1
        total = None if order.total is None else Row(wording("total"), self._money(order.total))
        summed = [self._sum(row) for row in rows.rows]
        included = [self._included(row) for row in rows.included]
        self._warn(rows)
        return InvoiceView(
            lang=str(self.locale).replace("_", "-"),
            direction=self.locale.text_direction,
            han=self._han(),
            title=wording("document_title", number=order.number),
            heading=wording("invoice"),
            seller=self.store.name,
            seller_lines=self._seller_lines(),
            has_logo=self.store.logo is not None,
            footer=" · ".join(self._apart(text) for text in (self.store.name, order.number) if text),
            facts=self._facts(),
            parties=self._parties(),
            columns={key: wording(key) for key in ("item", "quantity", "unit_price", "tax", "amount")},
            lines=lines,
            has_tax_column=has_tax_column,
            width=5 if has_tax_column else 4,
            figures=_room_for(lines),
            empty=wording("no_items"),
            sums=summed,
            total=total,
            included=included,
            sum_figures=figures.sums_class(row.text for row in (*summed, *included, *([total] if total else []))),
            note=self._note(),
            page=_around_numbers(wording("page")),
            created="" if order.date is None else order.date.isoformat(timespec="seconds") + "Z",
            warnings=tuple(self.warnings),
        )

    def _locale(self) -> Locale:
        """The store's language, or English throughout if we have no words for it.

        English words among Hebrew dates, set from right to left, would be neither.
        """
        locale = locale_of(self.store.locale)
        if locale is not None and wording_for(locale).language == locale.language:
            return locale
        self.warnings.append(f"There are no texts for the language {self.store.locale!r}; English was used.")
        return Locale("en")

    def _apart(self, text: str) -> str:
        """Keep a text's own direction, whatever stands around it: `14 Harbour Row` in an Arabic document.

        An isolate ends with its line, and with an end of its own inside of the text.
        """
        if not self.is_mirrored and all(bidirectional(char) in _LEFT_TO_RIGHT for char in text):
            return text
        # The mark stands in for the isolate where a line is broken inside of it.
        end = POP_ISOLATE + (RIGHT_TO_LEFT_MARK if self.is_mirrored else LEFT_TO_RIGHT_MARK)
        lines = text.translate(_ISOLATES).split("\n")
        return "\n".join(f"{FIRST_STRONG_ISOLATE}{line}{end}" if line else "" for line in lines)

    def _seller_lines(self) -> list[str]:
        lines = [self._apart(line) for line in self.store.address if line]
        if self.store.tax_id:
            lines.append(self.wording("tax_id", id=self._apart(self.store.tax_id)))
        return lines

    def _han(self) -> str:
        """The store's own forms if its language has Chinese characters, else the customer's."""
        address = self.order.billing.country or self.order.shipping.country
        country = territory_of(self.locale) if self.locale.language in {"zh", "ja", "ko"} else address
        return HAN_BY_COUNTRY.get(country, "SC")

    def _facts(self) -> list[Row]:
        order, wording = self.order, self.wording
        facts = (
            Row(wording("number"), self._apart(order.number)),
            Row(wording("date"), self._date(order.date)),
            Row(wording("payment"), self._apart(order.payment_method)),
            Row(wording("paid"), self._date(order.paid_date)),
        )
        return [fact for fact in facts if fact.text]

    def _date(self, moment: datetime | None) -> str:
        return "" if moment is None else format_date(moment, format="long", locale=self.locale)

    def _parties(self) -> list[Party]:
        """Bill to, and ship to where it is another address."""
        billing = address_lines(self.order.billing, locale=self.locale)
        shipping = () if self.order.shipping.is_empty() else address_lines(self.order.shipping, locale=self.locale)
        email = (self.order.billing.email,) if self.order.billing.email else ()
        parties = [self._party("bill_to", (*billing, *email))] if billing or email else []
        if shipping and shipping != billing:
            parties.append(self._party("ship_to", shipping))
        return parties

    def _party(self, heading: str, lines: Sequence[str]) -> Party:
        return Party(self.wording(heading), [self._apart(line) for line in lines])

    def _note(self) -> Party | None:
        return self._party("note", self.order.customer_note.splitlines()) if self.order.customer_note else None

    def _line(self, line: Line) -> LineRow:
        amount = sums.line_amount(line, gross=self.gross)
        price = line.price if amount is None else money.unit_price(amount, line.quantity)
        return LineRow(
            name=self._apart(line.name),
            details=" · ".join(self._details(line)),
            quantity=money.quantity_text(line.quantity, locale=self.locale),
            unit_price=self._money(price),
            tax=self._tax(line),
            amount=self._money(amount),
        )

    def _details(self, line: Line) -> list[str]:
        details = [
            self.wording("attribute", label=self._apart(meta.label), value=self._apart(meta.value))
            for meta in line.meta
        ]
        if line.sku:
            details.append(self.wording("sku", sku=self._apart(line.sku)))
        discount = sums.line_discount(line, gross=self.gross)
        if discount:
            details.append(self.wording("line_discount", amount=self._money(-discount)))
        return details

    def _tax(self, line: Line) -> str:
        """The rates of a line, for the column that appears where lines differ in them."""
        rates = [
            self.rates[share.rate_id] for share in line.taxes if share.rate_id in self.rates and share.total is not None
        ]
        return " + ".join(
            self._apart(rate.label) if rate.percent is None else self._percent(rate.percent) for rate in rates
        )

    def _sum(self, row: sums.Sum) -> Row:
        return Row(self._label(row), self._money(row.amount))

    def _included(self, row: sums.Sum) -> Row:
        return Row(self.wording("tax_included", label=self._label(row)), self._money(row.amount))

    def _label(self, row: sums.Sum) -> str:
        name = self._apart(row.name)
        match row.kind:
            case sums.Kind.DISCOUNT if name:
                return self.wording("coupon", code=name)
            case sums.Kind.SHIPPING if name:
                return self.wording("shipping_by", method=name)
            case sums.Kind.TAX if row.rate is not None:
                return self._rate_label(row.rate)
            case sums.Kind.FEE if name:
                return name
            case _:
                return self.wording(row.kind.value)

    def _rate_label(self, rate: TaxLine) -> str:
        """Label and percentage; shops often write the percentage into the label already."""
        label = self._apart(rate.label) or self.wording("tax")
        if rate.percent is not None and "%" not in label:
            label = self.wording("tax_rate", label=label, percent=self._percent(rate.percent))
        return self.wording("tax_compound", label=label) if rate.compound else label

    def _money(self, amount: Decimal | None) -> str:
        return "" if amount is None else money.amount_text(amount, currency=self.order.currency, locale=self.locale)

    def _percent(self, percent: Decimal) -> str:
        return money.percent_text(percent, locale=self.locale)

    def _warn(self, rows: sums.Sums) -> None:
        if not self.order.currency:
            self.warnings.append("The order names no currency; amounts are printed without one.")
        if self.order.total is None:
            self.warnings.append("The shop stored no total; the document shows none.")
        if difference := rows.difference(self.order.total):
            self.warnings.append(f"The rows differ from the stored total by {difference}; all are printed as stored.")


def _room_for(lines: Sequence[LineRow]) -> str:
    """The classes that give the columns of the table the room they need."""
    return figures.columns_class(
        amounts=(text for line in lines for text in (line.unit_price, line.amount)),
        quantities=(line.quantity for line in lines),
        rates=(line.tax for line in lines),
    )


def _around_numbers(text: str) -> tuple[str, str, str]:
    """Take `Page {page} of {pages}` apart; the style sheet puts the numbers between the parts."""
    before, _, rest = text.partition("{page}")
    between, _, after = rest.partition("{pages}")
    return before, between, after
