"""What an invoice says, as strings that are ready to print: the templates decide nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from babel import Locale
from babel.dates import format_date

from app.documents import money, sums
from app.documents.address import address_lines
from app.documents.contract import StoreSettings
from app.documents.language import locale_of, territory_of
from app.documents.wording import Wording, wording_for
from app.orders.model import Line, Order, TaxLine

HAN_BY_COUNTRY: Final = {"CN": "SC", "SG": "SC", "TW": "TC", "HK": "HK", "MO": "HK", "JP": "JP", "KR": "KR"}
"""Whose forms of the Chinese characters a country reads."""


@dataclass(frozen=True, slots=True)
class Row:
    """A label and what stands beside it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line of the table."""

    name: str
    details: Sequence[str]
    quantity: str
    unit_price: str
    tax: str
    amount: str


@dataclass(frozen=True, slots=True)
class Party:
    """An address with its heading."""

    heading: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class InvoiceView:
    """An invoice, word by word."""

    lang: str
    direction: str
    han: str
    title: str
    heading: str
    store: StoreSettings
    tax_id: str
    footer: str
    facts: Sequence[Row]
    parties: Sequence[Party]
    columns: dict[str, str]
    lines: Sequence[LineRow]
    has_tax_column: bool
    width: int
    """How many columns the table has."""
    empty: str
    sums: Sequence[Row]
    total: Row | None
    included: Sequence[Row]
    note: Party | None
    page: Sequence[str]
    """What stands before, between and after the two page numbers, and which one comes first."""
    created: str
    warnings: Sequence[str]


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
        self.gross = sums.is_gross(order)
        self.rates: dict[str, TaxLine] = {tax.rate_id: tax for tax in order.taxes}

    def view(self) -> InvoiceView:
        order, wording = self.order, self.wording
        rows = sums.sums_of(order, wording, gross=self.gross)
        lines = [self._line(line) for line in order.lines]
        has_tax_column = len({line.tax for line in lines}) > 1
        self._warn(rows)
        return InvoiceView(
            lang=str(self.locale).replace("_", "-"),
            direction=self.locale.text_direction,
            han=self._han(),
            title=wording("document_title", number=order.number),
            heading=wording("invoice"),
            store=self.store,
            tax_id=wording("tax_id", id=self.store.tax_id) if self.store.tax_id else "",
            footer=" · ".join(filter(None, (self.store.name, order.number))),
            facts=self._facts(),
            parties=self._parties(),
            columns={key: wording(key) for key in ("item", "quantity", "unit_price", "tax", "amount")},
            lines=lines,
            has_tax_column=has_tax_column,
            width=5 if has_tax_column else 4,
            empty=wording("no_items"),
            sums=[self._sum(row) for row in rows.rows],
            total=None if order.total is None else Row(wording("total"), self._money(order.total)),
            included=[self._sum(row) for row in rows.included],
            note=Party(wording("note"), order.customer_note.splitlines()) if order.customer_note else None,
            page=_around_numbers(wording("page")),
            created="" if order.date is None else order.date.isoformat(timespec="seconds") + "Z",
            warnings=tuple(self.warnings),
        )

    def _locale(self) -> Locale:
        locale = locale_of(self.store.locale)
        if locale is None:
            self.warnings.append(f"The language {self.store.locale!r} is unknown; English was used.")
        return locale or Locale("en")

    def _han(self) -> str:
        """The store's own forms if its language has Chinese characters, else the customer's."""
        address = self.order.billing.country or self.order.shipping.country
        country = territory_of(self.locale) if self.locale.language in {"zh", "ja", "ko"} else address
        return HAN_BY_COUNTRY.get(country, "SC")

    def _facts(self) -> list[Row]:
        order, wording = self.order, self.wording
        facts = (
            Row(wording("number"), order.number),
            Row(wording("date"), self._date(order.date)),
            Row(wording("payment"), order.payment_method),
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
        parties = [Party(self.wording("bill_to"), (*billing, *email))] if billing or email else []
        if shipping and shipping != billing:
            parties.append(Party(self.wording("ship_to"), shipping))
        return parties

    def _line(self, line: Line) -> LineRow:
        amount = sums.line_amount(line, gross=self.gross)
        price = line.price if amount is None else money.unit_price(amount, line.quantity)
        return LineRow(
            name=line.name,
            details=self._details(line),
            quantity=money.quantity_text(line.quantity, locale=self.locale),
            unit_price=self._money(price),
            tax=self._tax(line),
            amount=self._money(amount),
        )

    def _details(self, line: Line) -> list[str]:
        details = [self.wording("attribute", label=meta.label, value=meta.value) for meta in line.meta]
        if line.sku:
            details.append(self.wording("sku", sku=line.sku))
        discount = sums.line_discount(line, gross=self.gross)
        if discount:
            details.append(self.wording("line_discount", amount=self._money(-discount)))
        return details

    def _tax(self, line: Line) -> str:
        """The rates of a line, for the column that appears where lines differ in them."""
        rates = [self.rates[share.rate_id] for share in line.taxes if share.rate_id in self.rates and share.total]
        return " + ".join(rate.label if rate.percent is None else self._percent(rate.percent) for rate in rates)

    def _sum(self, row: sums.Sum) -> Row:
        label = row.label
        if row.tax is not None:
            if row.tax.percent is not None and "%" not in label and "٪" not in label:
                label = self.wording("tax_rate", label=label, percent=self._percent(row.tax.percent))
            if row.tax.compound:
                label = self.wording("tax_compound", label=label)
        return Row(label, self._money(row.amount))

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


def _around_numbers(text: str) -> tuple[str, str, str, str]:
    """Take `Page {page} of {pages}` apart: `page`, the text before, between and after the numbers."""
    first = "page" if text.index("{page}") < text.index("{pages}") else "pages"
    before, _, rest = text.replace("{pages}", "{page}").partition("{page}")
    between, _, after = rest.partition("{page}")
    return first, before, between, after
