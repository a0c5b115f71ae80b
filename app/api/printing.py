"""From a wish for one document to the document, made while its caller waits, with what is in the way as problems."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.orm import Session

from app.api.problems import ProblemError, not_found
from app.api.rendering_problems import RENDERER_PROBLEMS, telling_of_renderer
from app.api.schemas import DocumentBody
from app.api.services import Services
from app.api.store_changes import setting_refused
from app.database.settings import settings_of
from app.database.tables import StoreRow
from app.documents.contract import RenderedDocument, RenderRequest, SkippedDocument, UnrenderableDocument
from app.documents.errors import Strike
from app.documents.pictures import Picture
from app.documents.settings import SettingRefused
from app.documents.trial import sample_request
from app.domain.codes import Problem
from app.domain.filenames import prefix
from app.domain.lifecycle import Outcome
from app.domain.principal import Owner
from app.domain.store_settings import StoreSettings
from app.exports.document import NoDocument, OrderMissing, printable

Change = Callable[[StoreSettings], StoreSettings]
"""What becomes of the settings that a store has; raises `SettingRefused`."""

REFUSALS: Final = (
    Problem.NOT_FOUND,
    Problem.DOCUMENT_NOT_OWED,
    Problem.DOCUMENT_FAILED,
    *RENDERER_PROBLEMS,
)
"""The problems of a document that cannot be had, or not now."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A document with the name of its file."""

    document: RenderedDocument
    file_name: str


async def printed(services: Services, owner: Owner, wanted: DocumentBody, *, change: Change | None = None) -> Printed:
    """Make the document, with the store's settings as `change` would have them; raises the problems of `REFUSALS`."""
    with _refusals():
        async with services.database.reading() as tx:
            request, file_name = await tx.run_sync(_frozen, owner, wanted)
        if change is not None:
            request = replace(request, store=change(request.store))
        document = await services.renderer.render(request)
    if not isinstance(document, RenderedDocument):
        outcome = Outcome.SKIPPED if isinstance(document, SkippedDocument) else Outcome.FAILED
        raise _without(outcome, document)
    return Printed(document, file_name)


async def pictured(services: Services, document: RenderedDocument) -> tuple[Picture, ...]:
    """The document's first pages; raises the problems of `REFUSALS`."""
    with _refusals():
        return await services.renderer.draw(document.pdf)


def _frozen(tx: Session, owner: Owner, wanted: DocumentBody) -> tuple[RenderRequest, str]:
    document_type = wanted.document_type
    if wanted.order_id is None:
        request = sample_request(document_type, settings_of(tx.get_one(StoreRow, owner.store_id)))
        return replace(request, pdf=wanted.pdf), f"{prefix(document_type)}sample.pdf"
    found = printable(tx, owner, document_type, order_id=wanted.order_id, refund_id=wanted.refund_id)
    request = RenderRequest(
        document_type=document_type,
        payload=found.content.payload,
        refunds=found.content.refunds,
        store=found.store_settings,
        refund_id=wanted.refund_id,
        pdf=wanted.pdf,
    )
    return request, found.file_name


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what is in the way of a document into its problem."""
    try:
        with telling_of_renderer():
            yield
    except OrderMissing:
        raise not_found() from None
    except SettingRefused as refused:
        raise setting_refused(f"settings.{refused.field}", refused.reason) from None
    except NoDocument as none:
        raise _without(none.outcome, none) from None
    except Strike as strike:
        raise _without(Outcome.FAILED, strike) from None


def _without(outcome: Outcome, why: NoDocument | Strike | UnrenderableDocument) -> ProblemError:
    problem = Problem.DOCUMENT_NOT_OWED if outcome is Outcome.SKIPPED else Problem.DOCUMENT_FAILED
    return ProblemError(problem, f"{why.reason}.", item_code=why.code)
