"""What a check of orders found, summed up page by page and printed: for people a table, for programs JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import typer

from app.cli.amounts import plural
from app.cli.answering import put

_EXAMPLES: Final = 3
"""Documents that are named for each rule, and ways in which it is broken."""

Page = Mapping[str, Any]
"""What was found in some of the orders, as the API tells it."""


@dataclass(slots=True)
class Summary:
    """The pages so far: their sums, and each rule with its count."""

    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("checked", "ready", "skipped", "refunds", "rejected"), 0)
    )
    not_found: list[str] = field(default_factory=list)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """Nothing that was looked at lacks anything."""
        return self.counts["checked"] == self.counts["ready"] and not self.not_found and not self.counts["rejected"]

    def add(self, page: Page) -> None:
        """Count one page."""
        for name in self.counts:
            self.counts[name] += page.get(name, 0)
        self.not_found += page.get("not_found", ())
        for row in page["rules"]:
            known = self.rules.setdefault(row["rule"], {**row, "documents": 0, "examples": [], "details": []})
            known["documents"] += row["documents"]
            known["examples"] += row["examples"][: _EXAMPLES - len(known["examples"])]
            new = [detail for detail in row["details"] if detail not in known["details"]]
            known["details"] += new[: _EXAMPLES - len(known["details"])]

    def put(self, *, as_json: bool, is_seller_known: bool) -> None:
        """Print the table of rules, the most frequent first."""
        rules = sorted(self.rules.values(), key=lambda row: (-row["documents"], row["rule"]))
        if as_json:
            put({**self.counts, "not_found": self.not_found, "rules": rules})
            return
        checked, ready = self.counts["checked"], self.counts["ready"]
        typer.echo(f"{plural(checked, 'document')} looked at, {ready} ready for an e-invoice")
        for row in rules:
            typer.echo(f"{row['documents']:>7}  {row['rule']:<10} {row['severity']:<12} {row['title']}")
            typer.echo(f"{'':<9}{row['terms']}; such as {', '.join(row['examples'])}. {row['remedy']}")
            if row["severity"] != "missing":
                for detail in row["details"]:
                    typer.echo(f"{'':<9}- {detail}")
        for line in self._notes(is_seller_known=is_seller_known):
            typer.echo(line, err=True)

    def _notes(self, *, is_seller_known: bool) -> Iterator[str]:
        if self.counts["skipped"]:
            yield f"{plural(self.counts['skipped'], 'order')} skipped: no invoice is owed for them."
        if self.not_found:
            yield f"Not in this store: {', '.join(self.not_found)}"
        if self.counts["refunds"]:
            yield f"{plural(self.counts['refunds'], 'refund')} left aside: import them, and check the store."
        if self.counts["rejected"]:
            yield f"{plural(self.counts['rejected'], 'order')} cannot be read: `sheaf orders import` says why."
        if not is_seller_known:
            yield "The seller is nobody: --store names the one whose settings are looked at."


def put_each(page: Page, *, as_json: bool) -> None:
    """Name each document that is not ready, with its findings."""
    for document in page["documents"]:
        if as_json:
            put(document)
            continue
        typer.echo(f"{document['document_type'].replace('_', ' ')} {document['number']}")
        for found in document["findings"]:
            typer.echo(f"  {found['rule']:<10} {found['where']}: {found['detail']}")
