"""Letting time pass without waiting: every instant that the database has written moves back."""

from sqlalchemy import text

from app.database.clock import Instant
from app.database.tables import DeletedJobRow, HostRow, JobRow, LeaseRow, StepRow
from app.database.transactions import Database

LEASE, PAUSE, GRACE = 1_000.0, 100.0, 100.0
"""Seconds of a claim, of a step that was handed back, and until a cancel is forced."""
QUEUE_TTL, RUN_TTL, ARCHIVE_TTL, ARCHIVE_GRACE, RECORD_TTL = 50_000.0, 50_000.0, 200_000.0, 50_000.0, 5_000_000.0
A_MOMENT, A_WHILE, A_DAY, A_SEASON = 130, 1_100, 110_000, 11_000_000
"""What passes at a time: a cancel's grace, a lease, the lifetime of a job, that of its record.

No few of them add up to any of the seconds above, so that the real time of a test never decides.
"""

AGEING = {
    row.__tablename__: [column.name for column in row.__table__.columns if isinstance(column.type, Instant)]
    for row in (JobRow, StepRow, HostRow, LeaseRow, DeletedJobRow)
}
"""The tables that tell what happened when; orders are as old as their shop says."""


def let_pass(database: Database, seconds: float) -> None:
    """Make everything this many seconds older."""
    with database.transaction() as tx:
        is_sqlite = tx.get_bind().dialect.name == "sqlite"
        for table, columns in AGEING.items():
            older = (
                f"{name} = strftime('%Y-%m-%dT%H:%M:%f', {name}, '-{seconds} seconds') || '000Z'"
                if is_sqlite
                else f"{name} = {name} - make_interval(secs => {seconds})"
                for name in columns
            )
            tx.execute(text(f"UPDATE {table} SET {', '.join(older)}"))
