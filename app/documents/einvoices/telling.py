"""What the check found as JSON tells it, for the API and the command line alike."""

from collections.abc import Iterable
from typing import Any

from app.documents.einvoices.check import Checked, checked_text
from app.documents.einvoices.tally import RuleCount, Tally
from app.domain.store_settings import StoreSettings


def told(documents: Iterable[Checked]) -> dict[str, Any]:
    """How many there are, how many are ready, the rules that others break, and those others."""
    tally, others = Tally(), []
    for document in documents:
        tally.add(document)
        if not document.is_ready:
            others.append(_document(document))
    return {
        "checked": tally.checked,
        "ready": tally.ready,
        "rules": [_count(count) for count in tally.counts],
        "documents": others,
    }


def told_of(texts: Iterable[tuple[str, str]], settings: StoreSettings) -> dict[str, Any]:
    """`told` of orders and their refunds as JSON; a page takes some tenths of a second, so not on an event loop."""
    return told(document for payload, refunds in texts for document in checked_text(payload, refunds, settings))


def _count(count: RuleCount) -> dict[str, Any]:
    return {
        "rule": count.rule.id,
        "terms": count.rule.terms,
        "severity": count.rule.severity.value,
        "title": count.rule.title,
        "remedy": count.rule.remedy,
        "documents": count.documents,
        "examples": list(count.examples),
        "details": list(count.details),
    }


def _document(document: Checked) -> dict[str, Any]:
    return {
        "order_id": document.order_id,
        "number": document.number,
        "document_type": document.document_type.value,
        "refund_id": document.refund_id,
        "findings": [
            {
                "rule": found.rule.id,
                "severity": found.rule.severity.value,
                "where": found.where,
                "detail": found.detail,
            }
            for found in document.findings
        ],
    }
