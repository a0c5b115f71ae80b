"""Bringing a job to its end with chosen items failing, by a worker's own statements."""

from collections.abc import Collection
from uuid import UUID

from app.artifacts.keys import ArtifactKey
from app.database.items import ItemResult, pending_items
from app.database.packaging import complete
from app.database.planning import plan
from app.domain.lifecycle import JobState, Outcome
from tests.database.conftest import Bench


def end(bench: Bench, job: UUID, *, failing: Collection[int] = ()) -> UUID:
    """Plan, render and package a job; the items with these ordinals fail."""
    claim = bench.claim(job)
    with bench.database.transaction() as tx:
        plan(tx, claim, max_items=1000)
    while bench.job(job).steps_left:
        claim = bench.claim(job)
        with bench.database.reading() as tx:
            pending = [item.ordinal for item in pending_items(tx, claim)]
        bench.checkpoint(claim, [_result(ordinal, is_failing=ordinal in failing) for ordinal in pending])
    if bench.job(job).state is JobState.PROCESSING:
        claim = bench.claim(job)
        with bench.database.transaction() as tx:
            key = str(ArtifactKey(job, claim.step_id, claim.attempt))
            complete(tx, claim, archive_key=key, archive_bytes=1, archive_sha256="0" * 64, archive_ttl=3600)
    return job


def _result(ordinal: int, *, is_failing: bool) -> ItemResult:
    if is_failing:
        return ItemResult(ordinal, Outcome.FAILED, code="render_error", reason="no")
    return ItemResult(ordinal, Outcome.RENDERED, pages=1, bytes=10, sha256="0" * 64)
