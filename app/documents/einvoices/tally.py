"""What the check found in many orders, counted by rule: flat in memory, however many there are."""

from dataclasses import dataclass, field
from typing import Final

from app.documents.einvoices.check import Checked
from app.documents.einvoices.rules import Rule

EXAMPLES: Final = 3
"""Documents that are named for each rule, and ways in which it is broken."""


@dataclass(slots=True)
class RuleCount:
    """How many documents break one rule, and the first of them by number."""

    rule: Rule
    documents: int = 0
    examples: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    """The first of the different ways in which they do."""


@dataclass(slots=True)
class Tally:
    """The documents that were looked at so far."""

    checked: int = 0
    ready: int = 0
    by_rule: dict[str, RuleCount] = field(default_factory=dict)

    def add(self, document: Checked) -> None:
        """Count one document; a rule that it breaks at several places counts once."""
        self.checked += 1
        self.ready += document.is_ready
        for finding in document.findings:
            count = self.by_rule.setdefault(finding.rule.id, RuleCount(finding.rule))
            if len(count.details) < EXAMPLES and finding.detail not in count.details:
                count.details.append(finding.detail)
        for rule_id in {finding.rule.id for finding in document.findings}:
            count = self.by_rule[rule_id]
            count.documents += 1
            if len(count.examples) < EXAMPLES:
                count.examples.append(document.number)

    @property
    def counts(self) -> list[RuleCount]:
        """The rules that were broken, the most frequent first."""
        return sorted(self.by_rule.values(), key=lambda count: (-count.documents, count.rule.id))
