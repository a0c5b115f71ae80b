"""Documents with settings that are typed and not saved, as pictures that a page can hold."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.api.printing import Change, Printed, pictured, printed
from app.api.problems import ProblemError
from app.api.schemas import MAX_INTEGER, DocumentBody
from app.api.services import Services
from app.database.holdings import newest_refund
from app.documents.pictures import Picture
from app.domain.document_type import DocumentType
from app.domain.principal import Owner
from app.web.store_visits import Typed

_LONGEST: Final = 19
"""Digits of the longest id of an order."""


@dataclass(frozen=True)
class Preview:
    """What is to be previewed, and what came of it."""

    document_type: str = DocumentType.INVOICE
    order_id: int | None = None
    """The shop's id; None for the invented order."""
    pictures: Sequence[str] = ()
    """Addresses of pictures, which are in the addresses themselves."""
    sizes: Sequence[Picture] = ()
    pages: int = 0
    warnings: Sequence[str] = ()
    problem: ProblemError | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NOTHING: Final = Preview()


def asked_in(typed: Typed) -> Preview:
    """What is to be previewed, before anything has come of it; what no page of ours offers is left out."""
    order = typed.preview_order
    is_id = order.isascii() and order.isdigit() and len(order) <= _LONGEST
    return Preview(
        document_type=typed.preview_type if typed.preview_type in set(DocumentType) else DocumentType.INVOICE,
        order_id=min(int(order), MAX_INTEGER) if is_id else None,
    )


async def previewed(services: Services, owner: Owner, typed: Typed, *, change: Change | None) -> Preview:
    """The document's first pages, or the problem that is in their way."""
    try:
        found = await document_with(services, owner, typed, change=change)
        pictures = await pictured(services, found.document)
    except ProblemError as problem:
        status, headers = problem.problem.status, problem.headers or {}
        return replace(asked_in(typed), problem=problem, status=status, headers=headers)
    return replace(
        asked_in(typed),
        pictures=[f"data:image/png;base64,{b64encode(one.png).decode()}" for one in pictures],
        sizes=pictures,
        pages=found.document.pages,
        warnings=found.document.warnings,
    )


async def document_with(services: Services, owner: Owner, typed: Typed, *, change: Change | None) -> Printed:
    """The document that is asked for, with the settings as `change` would have them."""
    asked = asked_in(typed)
    refund_id = None
    if asked.document_type == DocumentType.CREDIT_NOTE and asked.order_id is not None:
        async with services.database.reading() as tx:
            refund_id = await tx.run_sync(newest_refund, owner.store_id, asked.order_id)
    wanted = DocumentBody(document_type=DocumentType(asked.document_type), order_id=asked.order_id, refund_id=refund_id)
    return await printed(services, owner, wanted, change=change)
