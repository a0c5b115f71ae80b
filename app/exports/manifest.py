"""From an item's row to what its owner sees, in the archive and in the API alike."""

import json

from app.database.tables import ItemRow
from app.domain.layouts import Layout
from app.domain.lifecycle import Outcome
from app.domain.manifest import Failure, ManifestItem


def manifest_item(row: ItemRow, document_type: str, layout: str) -> ManifestItem:
    """An item's row as the manifest shows it."""
    return ManifestItem(
        ordinal=row.ordinal,
        outcome=row.outcome,
        code=row.code or "",
        file=row.file_name if row.outcome is Outcome.RENDERED and Layout(layout).has_single_files else "",
        type=document_type,
        number=row.number,
        order_id=row.order_id,
        refund_id=row.refund_id,
        date=row.date,
        customer=row.customer,
        country=row.country,
        currency=row.currency,
        net=row.net,
        tax=row.tax,
        total=row.total,
        pages=row.pages,
        bytes=row.bytes,
        sha256=row.sha256 or "",
        warnings=tuple(json.loads(row.warnings)) if row.warnings else (),
    )


def failure(row: ItemRow, document_type: str) -> Failure:
    """Why an item that was not rendered has no document."""
    return Failure(
        ordinal=row.ordinal,
        outcome=row.outcome,
        code=row.code or "",
        reason=row.reason or "",
        type=document_type,
        number=row.number,
        order_id=row.order_id,
        refund_id=row.refund_id,
    )
