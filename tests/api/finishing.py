"""Bringing an export to its end as a worker's statements would, where no worker runs."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from uuid import UUID, uuid4

from sqlalchemy import select

from app.artifacts.folder import FolderStore
from app.artifacts.keys import ArtifactKey
from app.database.items import ItemResult, checkpoint, pending_items
from app.database.packaging import complete
from app.database.planning import plan
from app.database.steps import Claim, claim_step
from app.database.tables import JobRow
from app.database.transactions import Database
from app.domain.lifecycle import Outcome

ARCHIVE = b"PK\x05\x06" + bytes(18)
"""An empty ZIP."""
SHA256 = "8739c76e681f900923b900c9df0ef75cf421d39cabb54650c4b9ad19b6a76d85"


def finish(
    database: Database,
    artifacts: FolderStore,
    export_id: str,
    *,
    pages: Sequence[int] = (),
    archive: bytes = ARCHIVE,
    before_the_end: Callable[[], None] = lambda: None,
) -> None:
    """Plan, render and package it: every item has a document of so many pages, the archive is an empty ZIP or this."""
    job_id = UUID(export_id)
    with database.transaction() as tx:
        plan(tx, claimed(tx, job_id), max_items=1000)
    counts = iter(pages)
    while render_step(database, job_id, counts):
        pass
    before_the_end()
    with database.transaction() as tx:
        claim = claimed(tx, job_id)
        artifacts.put(key_of(claim), lambda file: file.write(archive))
        complete(
            tx,
            claim,
            archive_key=key_of(claim),
            archive_bytes=len(archive),
            archive_sha256=sha256(archive).hexdigest(),
            archive_ttl=3600,
        )


def render_step(
    database: Database, job_id: UUID, pages: Iterator[int] | None = None, *, warnings: tuple[str, ...] = ()
) -> bool:
    """Every pending item of its next render step has a document; False if there is no such step any more."""
    with database.transaction() as tx:
        left = tx.scalar(select(JobRow.steps_left).where(JobRow.id == job_id))
        if left:
            claim = claimed(tx, job_id)
            results = [
                ItemResult(
                    item.ordinal,
                    Outcome.RENDERED,
                    pages=next(pages or iter(()), 1),
                    bytes=1,
                    sha256="0" * 64,
                    warnings=warnings,
                )
                for item in pending_items(tx, claim)
            ]
            checkpoint(tx, claim, results, artifact=key_of(claim))
    return bool(left)


def claimed(tx, job_id: UUID) -> Claim:
    """The job's next step, in a worker's hands."""
    claim = claim_step(tx, job_id, holder=uuid4(), host="h", lease=60)
    assert claim is not None
    return claim


def key_of(claim: Claim) -> str:
    """Where the claim's holder would store its result."""
    return str(ArtifactKey(claim.job_id, claim.step_id, claim.attempt))
