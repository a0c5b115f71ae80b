"""A look at an export by whoever brings a token: who asks, the export and the moment, in one statement.

Owners ask for it again and again while an export runs, so it is one index look-up for each of token and export.
"""

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, select, true
from sqlalchemy.orm import Session

from app.database.hosts import Fleet, census
from app.database.jobs import is_owned_by
from app.database.stores import digest_of, is_live
from app.database.tables import JobRow, TokenRow


@dataclass(frozen=True, slots=True)
class Look:
    """What the bearer of a live token saw."""

    job: JobRow | None
    """None if the token's owner has no such export."""
    at: datetime
    hosts: Fleet


_MOMENT: Final = census().subquery("moment")

# built once: to put it together takes longer than to ask it
_LOOK: Final = (
    select(TokenRow.digest, JobRow, *_MOMENT.c)
    .select_from(TokenRow)
    .join(_MOMENT, true())
    .outerjoin(JobRow, (JobRow.id == bindparam("job_id")) & is_owned_by(TokenRow.store_id, TokenRow.owner))
    .where(TokenRow.digest == bindparam("digest"), is_live())
)


def look(tx: Session, token: str, job_id: UUID) -> Look | None:
    """See an export as a token's owner does; None if the token is not live, as `stores.authenticate` finds it."""
    digest = digest_of(token)
    found = tx.execute(_LOOK, {"digest": digest, "job_id": job_id}).one_or_none()
    if found is None or not hmac.compare_digest(found.digest, digest):
        return None
    return Look(found.JobRow, found.at, Fleet(found.alive, found.able, found.slots))
