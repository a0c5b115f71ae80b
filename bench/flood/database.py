"""The slow database of the flood: each statement that reads or adds an export sleeps, on the server.

It is made slow by row security, not by a proxy: the statement holds its connection and its locks as a slow
one does, can be ended from outside as a slow one can, and costs this machine no CPU. Its end is written to
the server's log with the export's id, which says whose it was: our count of work that was done for nobody.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import psycopg
from sqlalchemy import insert

from app.database.engines import EngineLimits, sync_engine
from app.database.stores import create_store, digest_of
from app.database.tables import JobRow, TokenRow
from app.database.transactions import Database
from app.domain.lifecycle import JobState
from app.domain.principal import Right
from bench.flood.arrivals import STORE, TRIES, Caller, Want
from tests.servers import DURABLE, PostgresServer, running_postgres

SETTINGS: Final = {
    **DURABLE,
    # one line in the log for each statement's end, and nothing else
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
_ENDED: Final = re.compile(r"LOG: +flood ([0-9a-f-]{36}) ([0-9.]+)$", re.MULTILINE)

_SLOW: Final = """
CREATE FUNCTION slow(id uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE COST 100000 AS $$
BEGIN
    PERFORM pg_sleep({seconds});
    RAISE LOG 'flood % %', id, extract(epoch FROM clock_timestamp());
    RETURN true;
END $$;
-- the application owns the table, and owners are let off unless forced
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- what is cancelled is what the callers look at; the others are found as fast as ever
CREATE POLICY slow_look ON jobs FOR SELECT USING (CASE WHEN state = 'cancelled' THEN slow(id) ELSE true END);
CREATE POLICY slow_create ON jobs FOR INSERT WITH CHECK (slow(id));
CREATE POLICY plain_update ON jobs FOR UPDATE USING (true);
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """A slow statement that the server did to its end: for which export, and when on the wall clock."""

    job: UUID
    at: float


class SlowDatabase:
    """A PostgreSQL of our own with one database for each run, and an account whom row security binds."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._name = ""
        self._seen = 0
        server.execute("CREATE ROLE shop LOGIN")

    @property
    def url(self) -> str:
        """The SQLAlchemy URL of the present database, as the application opens it."""
        return f"postgresql+psycopg://shop@127.0.0.1:{self.server.port}/{self._name}"

    def renew(self) -> None:
        """Begin a new, empty database and forget the old one's log."""
        self._name = self.server.create_database()
        self.server.execute(f'ALTER DATABASE "{self._name}" OWNER TO shop')
        self._seen = self.server.log.stat().st_size

    def fill(self, callers: Sequence[Caller]) -> None:
        """Give every caller its token, and every look of it an export to see."""
        database = Database(sync_engine(self.url, EngineLimits(connections=2, connect=5, statement=60, lock=10)))
        rights = ",".join(sorted(Right))
        with database.transaction() as tx:
            store_id = create_store(tx, key=STORE).id
            tokens = [
                {"store_id": store_id, "owner": caller.owner, "digest": digest_of(caller.token), "hint": "flood",
                 "rights": rights}
                for caller in callers
            ]  # fmt: skip
            jobs = [_seen(store_id, caller, number) for caller in callers for number in _looks(caller)]
            tx.execute(insert(TokenRow), tokens)
            tx.execute(insert(JobRow), jobs)
        database.close()

    def slow_down(self, seconds: float) -> None:
        """From now on each statement on an export takes that much longer."""
        with self._connect() as connection:
            connection.execute(_SLOW.format(seconds=seconds).encode())
            connection.execute(b"ANALYZE")

    def busy(self) -> int:
        """Connections of the application that are at work now, as the server sees it."""
        with self._connect() as connection:
            return connection.execute(
                "SELECT FROM pg_stat_activity WHERE application_name = 'sheaf' AND state <> 'idle'"
            ).rowcount

    def ended(self) -> list[Ended]:
        """Every slow statement of the present database that was done to its end."""
        text = self.server.log.read_bytes()[self._seen :].decode(errors="replace")
        return [Ended(UUID(found[1]), float(found[2])) for found in _ENDED.finditer(text)]

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(
            host="127.0.0.1", port=self.server.port, user="sheaf", dbname=self._name, autocommit=True
        )


@contextmanager
def slow_database() -> Iterator[SlowDatabase]:
    """A private server; raises `ServerMissing` if this machine has none."""
    with running_postgres(SETTINGS) as server:
        yield SlowDatabase(server)


def _looks(caller: Caller) -> range:
    return range(TRIES if caller.want is Want.LOOK else 0)


def _seen(store_id: int, caller: Caller, number: int) -> dict[str, object]:
    now = datetime.now(UTC)
    return {
        "id": caller.job(number),
        "store_id": store_id,
        "owner": caller.owner,
        "idempotency_key": f"seen-{number}",
        "fingerprint": "0" * 64,
        "document_type": "invoice",
        "layout": "separate",
        "selection": "{}",
        "sort": "created",
        "checkpoint_every": 10,
        "state": JobState.CANCELLED,
        "finished_at": now,
    }
