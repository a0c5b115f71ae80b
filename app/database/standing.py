"""Ending transactions that stand still in another's way: a frozen process may hold what a cancel needs.

PostgreSQL ends whoever sends nothing inside a transaction for `STANDS_STILL`, and a cancel has less than that. A
smaller one for all would end each transaction of a process that is starved for a moment, even if nobody waits for
it. Here goes only what is in the way now, be it through others that wait too. To end it is as safe as to lose
its connection: what it has not committed is undone, and a COMMIT that was under way counts or does not, which every
writer here finds out by asking again. What holds the job of an overdue cancel has nothing to lose but a renewal.
"""

from typing import Final

from sqlalchemy import Integer, func, select, text
from sqlalchemy.orm import Session

from app.database.engines import APPLICATION

STILL: Final = 0.5
"""Seconds without a word inside a transaction: between two statements a live process takes milliseconds."""

# strangers' sessions of the same role may be somebody's who thinks at a prompt
_END: Final = text("""
    WITH RECURSIVE in_the_way (pid) AS (
        SELECT unnest(pg_blocking_pids(:waiting))
        UNION
        SELECT blocker FROM in_the_way, unnest(pg_blocking_pids(in_the_way.pid)) AS blocker
    )
    SELECT pg_terminate_backend(pid)
    FROM in_the_way JOIN pg_stat_activity USING (pid)
    WHERE datname = current_database() AND usename = current_user AND application_name = :ours
        AND state = 'idle in transaction' AND state_change < clock_timestamp() - make_interval(secs => :seconds)
""")


def server_process(tx: Session) -> int | None:
    """The process of PostgreSQL that works for this transaction, which has begun then; None on SQLite."""
    tx.connection()
    if tx.get_bind().dialect.name == "sqlite":
        return None
    return tx.scalars(select(func.pg_backend_pid(type_=Integer))).one()


def end_in_the_way(tx: Session, waiting: int, *, seconds: float = STILL) -> int:
    """End the transactions that this server process waits for and that have stood still for so long; how many."""
    return len(tx.execute(_END, {"waiting": waiting, "ours": APPLICATION, "seconds": seconds}).all())
