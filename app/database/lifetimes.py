"""What the reconciler knows of time: since when it sweeps, and what no lifetime may count.

A sweep is done by a live host, so sweeps that follow each other closely prove that hosts lived. A gap between
two of them is remembered as idle: nobody was there, the database was away, or its clock was set forward.
"""

import json
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.clock import now, seconds_from_now
from app.database.hosts import find_fact, set_fact
from app.database.tables import LeaseRow
from app.database.upserting import upsert
from app.domain.lifetimes import Span

SWEEPS: Final = "sweeps"
"""The fact that holds the last sweep's instant and the idle spans before it."""
PAUSE: Final = "lifetimes.paused"
"""The lease during which no lifetime ends."""


def database_time(tx: Session) -> datetime:
    """The database's present instant."""
    return tx.scalars(select(now())).one()


def note_sweep(tx: Session, *, closely: float, keep: float) -> list[Span]:
    """Remember that a sweep is done now, and say which spans of the last `keep` seconds count for nobody.

    Sweeps at most `closely` seconds apart follow each other closely. To be called under the reconciler's
    lease, in the transaction that took it.
    """
    at = database_time(tx)
    known = find_fact(tx, SWEEPS)
    spans: list[Span] = []
    if known is not None:
        noted = json.loads(known)
        last = datetime.fromisoformat(noted["at"])
        spans = [Span(*map(datetime.fromisoformat, span)) for span in noted["idle"]]
        if at - last > timedelta(seconds=closely):
            spans.append(Span(last, at))
    oldest = at - timedelta(seconds=keep)
    # what is kept counts in live time: the idle spans themselves make it reach further back
    oldest -= sum((span.until - span.since for span in spans), timedelta())
    spans = [span for span in spans if span.until > oldest]
    idle = [(span.since.isoformat(), span.until.isoformat()) for span in spans]
    set_fact(tx, SWEEPS, json.dumps({"at": at.isoformat(), "idle": idle}))
    return spans


def pause_lifetimes(tx: Session, *, holder: UUID, seconds: float) -> None:
    """Let no lifetime end for so long, whoever sweeps; what an earlier clock said of it is overwritten."""
    values = {"holder": holder, "lease_until": seconds_from_now(seconds)}
    tx.execute(
        upsert(tx, LeaseRow)
        .values(name=PAUSE, **values)
        .on_conflict_do_update(index_elements=[LeaseRow.name], set_=values)
    )


def are_lifetimes_paused(tx: Session) -> bool:
    """Whether somebody found the database's clock set to another time, a lease ago at most."""
    return bool(tx.scalar(select(func.count()).where(LeaseRow.name == PAUSE, LeaseRow.lease_until >= now())))
