"""A table of lines with prices and the sums beneath it: for each document that speaks of money."""

from collections.abc import Sequence

from app.documents import figures, money, sums, tall
from app.documents.adding import contradictions
from app.documents.view import PricedLine, PricedTable, Row
from app.documents.writer import Writer
from app.orders.model import Line, TaxLine


def priced_table(writer: Writer, *, total: str, empty: str, rates: Sequence[TaxLine] = ()) -> PricedTable:
    """The lines and sums of the writer's order, each figure as stored; warns of figures that do not add up.

    `total` and `empty` are the keys of the texts for the last row and for a table without lines;
    `rates` are those that lines may name beside the order's own.
    """
    return _Teller(writer, rates).table(total=total, empty=empty)


class _Teller:
    """Holds what the rows of one table need: whether prices hold tax, and the rates by their id."""

    def __init__(self, writer: Writer, rates: Sequence[TaxLine]) -> None:
        self.writer = writer
        self.wording = writer.wording
        self.order = writer.order
        self.gross = sums.is_gross(self.order)
        self.rates: dict[str, TaxLine] = {tax.rate_id: tax for tax in (*rates, *self.order.taxes)}

    def table(self, *, total: str, empty: str) -> PricedTable:
        rows = sums.sums_of(self.order, gross=self.gross)
        lines = [self._line(line) for line in self.order.lines]
        has_tax_column = len({line.tax for line in lines}) > 1
        lines[-1:] = tall.divided(self.writer, lines[-1:], blank=("quantity", "unit_price", "tax", "amount"))
        last = None if self.order.total is None else Row(self.wording(total), self.writer.money(self.order.total))
        summed = [Row(self._label(row), self.writer.money(row.amount)) for row in rows.rows]
        included = [self._included(row) for row in rows.included]
        self._warn(rows)
        return PricedTable(
            columns={key: self.wording(key) for key in ("item", "quantity", "unit_price", "tax", "amount")},
            lines=lines,
            has_tax_column=has_tax_column,
            width=5 if has_tax_column else 4,
            figures=figures.columns_class(
                amounts=(text for line in lines for text in (line.unit_price, line.amount)),
                quantities=(line.quantity for line in lines),
                rates=(line.tax for line in lines),
            ),
            empty=self.wording(empty),
            sums=summed,
            total=last,
            included=included,
            sum_figures=figures.sums_class(row.text for row in (*summed, *included, *([last] if last else []))),
        )

    def _line(self, line: Line) -> PricedLine:
        amount = sums.line_amount(line, gross=self.gross)
        price = line.price if amount is None else money.unit_price(self.writer.padded(amount), line.quantity)
        name, details = self.writer.name(line), " · ".join(self._details(line))
        return PricedLine(
            name=name,
            details=details,
            quantity=self.writer.quantity(line.quantity),
            unit_price=self.writer.money(price),
            tax=self._tax(line),
            amount=self.writer.money(amount),
            shape=tall.shape_of(name, details),
        )

    def _details(self, line: Line) -> list[str]:
        details = self.writer.attributes(line)
        if line.sku:
            details.append(self.wording("sku", sku=self.writer.apart(line.sku)))
        discount = sums.line_discount(line, gross=self.gross)
        if discount:
            details.append(self.wording("line_discount", amount=self.writer.money(-discount)))
        return details

    def _tax(self, line: Line) -> str:
        """The rates of a line, for the column that appears where lines differ in them."""
        rates = [
            self.rates[share.rate_id] for share in line.taxes if share.rate_id in self.rates and share.total is not None
        ]
        return " + ".join(
            self.writer.apart(rate.label) if rate.percent is None else self.writer.percent(rate.percent)
            for rate in rates
        )

    def _included(self, row: sums.Sum) -> Row:
        return Row(self.wording("tax_included", label=self._label(row)), self.writer.money(row.amount))

    def _label(self, row: sums.Sum) -> str:
        name = self.writer.apart(row.name)
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
        label = self.writer.apart(rate.label) or self.wording("tax")
        if rate.percent is not None and "%" not in label:
            label = self.wording("tax_rate", label=label, percent=self.writer.percent(rate.percent))
        return self.wording("tax_compound", label=label) if rate.compound else label

    def _warn(self, rows: sums.Sums) -> None:
        warnings = self.writer.warnings
        if not self.order.currency:
            warnings.append("The order names no currency; amounts are printed without one.")
        if self.order.total is None:
            warnings.append("The shop stored no total; the document shows none.")
        warnings.extend(contradictions(self.order, rows, gross=self.gross))
