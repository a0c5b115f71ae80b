"""From a preview to the JSON that its owner sees."""

from collections.abc import Iterator, Mapping

from app.api.presenting import export_path
from app.api.preview_schemas import (
    ExportPreview,
    PreviewCounts,
    PreviewDocument,
    PreviewEstimate,
    PreviewGroup,
    PreviewItem,
    PreviewWarningBody,
)
from app.database.previewing import Group, PlannedItem
from app.documents.contract import RenderRequest, SkippedDocument, UnrenderableDocument
from app.documents.viewing import Foreseen, foresee
from app.domain.codes import PreviewWarning
from app.domain.layouts import Layout
from app.domain.lifecycle import Outcome
from app.exports.preview import Preview
from app.exports.request import ExportRequest

Foresight = Mapping[int, Foreseen | UnrenderableDocument]
"""What is known of documents before they are laid out, by their ordinals."""


def foresight(found: Preview, request: ExportRequest) -> Foresight:
    """Read the orders of the first documents; takes a tenth of a second, so not on the event loop."""
    contents = {item.ordinal: found.contents.get(item.version_id or 0) for item in found.first}
    return {
        item.ordinal: foresee(
            RenderRequest(request.document_type, content.payload, content.refunds, found.store_settings, item.refund_id)
        )
        for item in found.first
        if (content := contents[item.ordinal]) is not None
    }


def preview_model(found: Preview, request: ExportRequest, known: Foresight, root_path: str) -> ExportPreview:
    """The preview's representation."""
    active = None if found.active_id is None else export_path(root_path, found.active_id)
    return ExportPreview(
        document_type=request.document_type,
        layout=Layout(request.layout),
        pdf=request.pdf,
        sort=request.sort,
        filename_pattern=request.filename_pattern,
        selection=request.selection.to_json(),
        counts=PreviewCounts(
            requested=found.requested, to_render=found.pending, skipped=found.skipped, failed=found.failed
        ),
        undated_orders=found.undated,
        first=[_document(item, known.get(item.ordinal)) for item in found.first],
        skipped=[_group(group) for group in found.settled if group.outcome is Outcome.SKIPPED],
        failed=[_group(group) for group in found.settled if group.outcome is Outcome.FAILED],
        estimate=PreviewEstimate(
            seconds=found.pace.seconds_for(found.pending),
            documents_per_second=round(found.pace.documents_per_second, 2),
            basis=found.pace.basis,
        ),
        warnings=list(_warnings(found, active)),
        active_export=active,
    )


def _document(item: PlannedItem, known: Foreseen | UnrenderableDocument | None) -> PreviewDocument:
    document = PreviewDocument(
        ordinal=item.ordinal,
        order_id=item.order_id,
        refund_id=item.refund_id,
        number=item.number,
        date=None,
        customer=item.customer,
        currency=item.currency,
        total=None,
        file_name=item.file_name or None,
        expected=None,
        code=None,
        reason=None,
        warnings=[],
    )
    match known:
        case None:
            return document
        case Foreseen(facts, warnings):
            told = {
                "number": facts.number,
                "date": facts.date or None,
                "total": facts.total or None,
                "expected": Outcome.RENDERED,
                "warnings": list(warnings),
            }
        case UnrenderableDocument(code, reason):
            is_skip = isinstance(known, SkippedDocument)
            told = {"expected": Outcome.SKIPPED if is_skip else Outcome.FAILED, "code": code, "reason": reason}
    return document.model_copy(update=told)


def _group(group: Group) -> PreviewGroup:
    return PreviewGroup(
        code=group.code or "",
        count=group.count,
        first=[
            PreviewItem(
                ordinal=item.ordinal,
                order_id=item.order_id,
                refund_id=item.refund_id,
                number=item.number,
                reason=item.reason or "",
            )
            for item in group.first
        ],
    )


def _warnings(found: Preview, active: str | None) -> Iterator[PreviewWarningBody]:
    if found.pending == 0:
        yield PreviewWarningBody(
            code=PreviewWarning.NOTHING_RENDERED, detail="No item is left to be rendered: the export would fail."
        )
    if found.undated:
        yield PreviewWarningBody(
            code=PreviewWarning.UNDATED_ORDERS,
            detail=f"{found.undated} without a date would match if they had one in the range.",
        )
    if active is not None:
        yield PreviewWarningBody(
            code=PreviewWarning.ACTIVE_EXPORT_EXISTS, detail=f"Until {active} ends a create is refused."
        )
