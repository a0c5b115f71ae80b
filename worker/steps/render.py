"""A render step: N items, each one call to a killable child, then one artifact and one checkpoint."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import structlog
from sqlalchemy import bindparam, select

from app.artifacts.keys import ArtifactKey
from app.database.items import ItemResult, PendingItem, checkpoint, pending_items, strike
from app.database.steps import Claim, ClaimLost
from app.database.tables import JobRow
from app.documents.cancellation import Cancellation
from app.documents.contract import (
    DocumentType,
    PdfVariant,
    RenderedDocument,
    RenderRequest,
    SkippedDocument,
    StoreSettings,
    UnrenderableDocument,
)
from app.documents.errors import PoolError, Strike
from app.domain.codes import ItemCode
from app.domain.lifecycle import Outcome
from app.domain.store_settings import thawed
from worker.context import WorkerContext
from worker.insisting import insist

log = structlog.get_logger()

MAX_REASON: Final = 300
"""Characters of an error's text that an owner is shown."""
MAX_STRIKES: Final = 3
"""A child's death may be somebody else's doing; three in a row at one item are the item's."""


_FROZEN: Final = select(JobRow.document_type, JobRow.pdf, JobRow.store_settings).where(JobRow.id == bindparam("job_id"))


def run_render(context: WorkerContext, claim: Claim, stop: Cancellation) -> None:
    """Render the step's pending items, store their documents, checkpoint; raises `ClaimLost`."""
    frozen = insist(lambda: _frozen(context, claim), stop=stop)
    # rendering for an hour what cannot be stored would help nobody
    context.artifacts.check()
    made = context.lanes.each(partial(_made, context, claim, frozen, stop), frozen.items, stop=stop)
    results = [_result(claim, item, outcome) for item, outcome in zip(frozen.items, made, strict=True)]
    documents = [outcome.pdf for outcome in made if isinstance(outcome, RenderedDocument)]
    key = _store(context, claim, documents)
    _checkpoint(context, claim, results, key, stop)


@dataclass(frozen=True, slots=True)
class _Frozen:
    """What planning froze for this step."""

    document_type: DocumentType
    pdf: PdfVariant
    store: StoreSettings
    items: Sequence[PendingItem]


def _frozen(context: WorkerContext, claim: Claim) -> _Frozen:
    with context.database.reading() as tx:
        job = tx.execute(_FROZEN, {"job_id": claim.job_id}).one_or_none()
        if job is None or job.store_settings is None:
            raise ClaimLost(claim)
        return _Frozen(
            DocumentType(job.document_type),
            PdfVariant(job.pdf),
            _thawed(job.store_settings),
            pending_items(tx, claim),
        )


@lru_cache(maxsize=4)
def _thawed(settings: str) -> StoreSettings:
    """One job's are those of all its steps, and a logo in them is large."""
    return thawed(settings)


def _made(
    context: WorkerContext, claim: Claim, frozen: _Frozen, stop: Cancellation, item: PendingItem
) -> RenderedDocument | UnrenderableDocument:
    """One document, measured; runs in a lane."""
    request = RenderRequest(
        frozen.document_type, item.payload, item.refunds, frozen.store, item.refund_id, pdf=frozen.pdf
    )
    began = time.monotonic()
    outcome = _render(context, claim, item, request, stop)
    context.signals.document(outcome, seconds=time.monotonic() - began)
    return outcome


def _render(
    context: WorkerContext, claim: Claim, item: PendingItem, request: RenderRequest, stop: Cancellation
) -> RenderedDocument | UnrenderableDocument:
    """One document; a strike is written down before the next try, so that no restart forgets it."""
    strikes = item.strikes
    while True:
        try:
            return context.pool.render(request, cancelled=stop)
        except Strike as error:
            failure = UnrenderableDocument(error.code, f"{error.reason}, {MAX_STRIKES} times")
        except PoolError:
            raise  # nobody's strike: cancelled, closed, or no child to be had
        except Exception as error:  # noqa: BLE001 - whatever a renderer raises hurts this item only
            reason = f"{type(error).__name__}: {error}"[:MAX_REASON]
            return UnrenderableDocument(ItemCode.RENDER_ERROR, reason)
        strikes += 1
        insist(partial(_strike, context, claim, item, strikes), stop=stop)
        context.signals.struck(failure.code)
        log.warning("item.struck", job_id=str(claim.job_id), ordinal=item.ordinal, code=failure.code, strikes=strikes)
        if strikes >= MAX_STRIKES:
            return failure


def _strike(context: WorkerContext, claim: Claim, item: PendingItem, strikes: int) -> None:
    with context.database.transaction() as tx:
        strike(tx, claim, item.ordinal, strikes=strikes)


def _result(claim: Claim, item: PendingItem, outcome: RenderedDocument | UnrenderableDocument) -> ItemResult:
    if isinstance(outcome, RenderedDocument):
        return _rendered(item, outcome)
    ended = Outcome.SKIPPED if isinstance(outcome, SkippedDocument) else Outcome.FAILED
    log.info(f"item.{ended}", job_id=str(claim.job_id), ordinal=item.ordinal, code=outcome.code)
    return ItemResult(item.ordinal, ended, code=outcome.code, reason=storable(outcome.reason))


def _rendered(item: PendingItem, document: RenderedDocument) -> ItemResult:
    facts = document.facts
    return ItemResult(
        ordinal=item.ordinal,
        outcome=Outcome.RENDERED,
        number=storable(facts.number),
        date=storable(facts.date),
        customer=storable(facts.customer),
        country=storable(facts.country),
        currency=storable(facts.currency),
        net=storable(facts.net),
        tax=storable(facts.tax),
        total=storable(facts.total),
        pages=document.pages,
        bytes=len(document.pdf),
        sha256=document.sha256,
        warnings=tuple(storable(sentence) for sentence in document.warnings),
    )


def storable(text: str) -> str:
    """Text without what a database refuses: one odd letter must not undo the checkpoint of ten documents."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _store(context: WorkerContext, claim: Claim, documents: Sequence[bytes]) -> str | None:
    """Store the step's documents one behind the other; the items' lengths tell them apart."""
    if not documents:
        return None
    key = str(ArtifactKey(claim.job_id, claim.step_id, claim.attempt))
    context.artifacts.put(key, lambda file: file.writelines(documents))
    return key


def _checkpoint(
    context: WorkerContext, claim: Claim, results: Sequence[ItemResult], key: str | None, stop: Cancellation
) -> None:
    def write() -> None:
        with context.database.transaction() as tx:
            checkpoint(tx, claim, results, artifact=key)

    try:
        insist(write, stop=stop)
    except ClaimLost:
        if key is not None:
            context.artifacts.delete(key)
        raise
