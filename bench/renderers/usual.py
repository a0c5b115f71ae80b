"""An invoice as it is usually written: what our templates avoid, each of which costs WeasyPrint time.

Flex boxes for the head and the parties, a `dl` of facts, tables whose columns are as wide as their content wants, a
table in each cell of the sums, custom properties, generated content, and a list of font families instead of one name
that fontconfig resolves.
"""

from html import escape as e
from typing import Any

from bench.renderers.ways import Page, view_of

STYLE = """
:root { --ink: #1c1c1c; --grey: #707070; --hair: #d8d8d8; --gap: 2.2mm }
@page { size: A4; margin: 20mm }
@page { @bottom-right { content: "Page " counter(page) " of " counter(pages); font-size: 7.5pt } }
* { box-sizing: border-box }
body { margin: 0; font-size: 9pt; line-height: 1.5; color: var(--ink); font-family: "Noto Sans", "Noto Sans Arabic",
  "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans CJK SC", "Noto Sans Symbols2", sans-serif }
header, .parties { display: flex; justify-content: space-between; gap: 6mm; margin-bottom: 9mm }
header .wordmark { font-size: 15pt; font-weight: bold }
.party { flex: 1 }
h1 { font-size: 24pt; font-weight: normal }
h2, dt, thead th { font-size: 7.5pt; font-weight: normal; color: var(--grey) }
dl { display: grid; grid-template-columns: auto auto; gap: 1mm }
dt::after { content: ":" }
dd { margin: 0 }
table { width: 100%; border-collapse: collapse }
th, td { padding: var(--gap); text-align: left; vertical-align: top }
td.amount, th.amount { text-align: right }
tbody tr { border-bottom: 0.4pt solid var(--hair); page-break-inside: avoid }
.details { font-size: 7.5pt; color: var(--grey) }
.details::before { content: "– " }
.sums { width: 50%; margin-left: auto }
.sums .total td { font-size: 12pt; font-weight: bold }
"""


def usual_page(order: str) -> Page:
    """The words of our invoice in such a page."""
    view = view_of(order).view
    frame, table = view.frame, view.table
    parties = "".join(
        f"<div class=party><h2>{e(one.heading)}</h2>{'<br>'.join(map(e, one.lines))}</div>" for one in frame.parties
    )
    facts = "".join(f"<dt>{e(fact.label)}</dt><dd>{e(fact.text)}</dd>" for fact in frame.facts)
    rows = "".join(map(_row, table.lines))
    total = [table.total] if table.total else []  # type: ignore[union-attr]
    sums = "".join(
        f"<tr{' class=total' if sum_ in total else ''}><td><table><tr><td>{e(sum_.label)}</td>"
        f"<td class=amount>{e(sum_.text)}</td></tr></table></td></tr>"
        for sum_ in (*table.sums, *total, *table.included)  # type: ignore[union-attr]
    )
    heads = "".join(f"<th{'' if key == 'item' else ' class=amount'}>{e(text)}</th>" for key, text in _columns(table))
    note = (
        f"<section><h2>{e(frame.note.heading)}</h2>{'<br>'.join(map(e, frame.note.lines))}</section>"
        if frame.note
        else ""
    )
    html = (
        f"<!doctype html><html lang={frame.lang} dir={frame.direction}><title>{e(frame.title)}</title>"
        f"<header><div class=wordmark>{e(frame.seller)}</div>"
        f"<div>{'<br>'.join(map(e, frame.seller_lines))}</div></header>"
        f"<h1>{e(frame.heading)}</h1><div class=parties>{parties}<dl class=party>{facts}</dl></div>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><table class=sums>{sums}</table>{note}"
    )
    return html, [STYLE]


def _columns(table: Any) -> list[tuple[str, str]]:
    wanted = ("item", "quantity", "unit_price", *(("tax",) if table.has_tax_column else ()), "amount")
    return [(key, table.columns[key]) for key in wanted]


def _row(line: Any) -> str:
    cells = (line.quantity, line.unit_price, *((line.tax,) if line.tax else ()), line.amount)
    details = f"<div class=details>{e(line.details)}</div>" if line.details else ""
    return f"<tr><td>{e(line.name)}{details}</td>{''.join(f'<td class=amount>{e(cell)}</td>' for cell in cells)}</tr>"
