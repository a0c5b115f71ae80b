"""The ways in which PostgreSQL can leave a COMMIT unacknowledged, or refuse it.

Whether one is held is asked of the server, on a connection of our own, and of the kernel.
"""

import os
import signal
import subprocess
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import psycopg

from tests.deadline.holds import Hold
from tests.deadline.racing import Api, Asked
from tests.servers import FAST, PostgresServer, is_stopped, unprivileged
from tests.waiting import until

WITHOUT_STANDBY: Final[Mapping[str, str]] = {
    **FAST,
    # who asks for more than `local` waits for ever
    "synchronous_standby_names": "ghost",
    "synchronous_commit": "local",
}
"""Settings of a server whose COMMITs can be held."""

WAIT, GHOST, REFUSE, LOCK_TIMEOUT = 1, 2, 3, 4
"""Advisory locks: while somebody holds one, the COMMIT of a change of a job or of a store meets with this."""

GATE: Final = f"""
CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared({GHOST}) THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF NOT pg_try_advisory_xact_lock_shared({REFUSE}) THEN
    RAISE EXCEPTION 'refused';
  END IF;
  IF NOT pg_try_advisory_xact_lock_shared({LOCK_TIMEOUT}) THEN
    PERFORM set_config('lock_timeout', '1', true), pg_advisory_xact_lock_shared({LOCK_TIMEOUT});
  END IF;
  PERFORM set_config('lock_timeout', '0', true);
  PERFORM pg_advisory_xact_lock_shared({WAIT});
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER gate AFTER INSERT OR UPDATE OR DELETE ON jobs
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gate();
CREATE CONSTRAINT TRIGGER gate_of_settings AFTER INSERT ON store_versions
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gate();
"""


class PostgresHold(Hold):
    """Sees by a connection of its own who waits for whom."""

    def __init__(self, api: Api, server: PostgresServer) -> None:
        super().__init__(api)
        self.server = server
        self.pid = 0

    def __enter__(self) -> Self:
        url = self.api.engine.url
        self.admin = psycopg.connect(
            host=url.host, port=url.port, user=url.username, dbname=url.database, autocommit=True
        )
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.admin.close()

    def one(self, query: str, *values: Any) -> Any:
        """The first value that the server gives; None without a row, or without a server."""
        # what was held there ended with it
        with suppress(psycopg.OperationalError):
            found = self.admin.execute(query.encode(), values).fetchone()
            return None if found is None else found[0]
        return None

    @abstractmethod
    def holder(self) -> int | None:
        """The server process whose COMMIT is held."""

    def until_held(self) -> None:
        self.pid = until(self.holder)

    def until_behind(self, later: Asked) -> None:
        waiting = "SELECT pid FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
        until(lambda: self.one(waiting, self.pid))


class BehindALock(PostgresHold):
    """Not committed: a deferred trigger waits."""

    is_committed = False
    lock = WAIT

    def take(self) -> None:
        self.one("SELECT pg_advisory_lock(%s)", self.lock)

    def holder(self) -> int | None:
        return self.one(
            "SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )

    def let_go(self) -> None:
        self.one("SELECT pg_advisory_unlock_all()")

    def settle(self) -> None:
        # who is cut off is told to stop, or is found to have nobody who waits
        until(lambda: self.holder() is None)


class WithoutStandby(BehindALock):
    """Committed, unacknowledged: the server waits for a standby that is not there."""

    is_committed = True
    lock = GHOST

    def holder(self) -> int | None:
        return self.one("SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'SyncRep'")

    def let_go(self) -> None:
        super().let_go()
        # who is told to wait no longer says that it has committed
        self.one("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")

    def settle(self) -> None:
        self.let_go()
        super().settle()


class Refusal(BehindALock):
    """No COMMIT: a deferred trigger raises an error."""

    lock = REFUSE
    says = (500, "internal_error")


class LockTimeout(BehindALock):
    """No COMMIT: a deferred trigger waited longer for a lock than it may."""

    lock = LOCK_TIMEOUT
    says = (504, "deadline_downstream")


class StandingStill(PostgresHold):
    """Late: the COMMIT lies before a server process that stands still, and is done when nobody waits for it."""

    is_committed = None  # by the COMMIT or, if that comes first, by the word to stop
    still: int | None = None

    def take(self) -> None:
        self.api.on_next_commit(self._stop)

    def _stop(self, driver: Any) -> None:
        pid = driver.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        until(lambda: is_stopped(pid))
        self.still = pid

    def holder(self) -> int | None:
        return self.still if self.still is not None and _is_unread(self.server.port) else None

    def let_go(self) -> None:
        if self.still is not None:
            os.kill(self.still, signal.SIGCONT)
            self.still = None

    def settle(self) -> None:
        self.let_go()
        at_work = "SELECT pid FROM pg_stat_activity WHERE pid = %s AND xact_start IS NOT NULL"
        until(lambda: self.one(at_work, self.pid) is None)


class PanickingServer(PostgresHold):
    """A server process that cannot write its log ends with all others, but not without a word and a code."""

    is_committed = None

    def take(self) -> None:
        self.api.on_next_commit(self._limit)

    def _limit(self, driver: Any) -> None:
        # a byte: every file of the log is longer already; to be told by the server's own user, or by a real root
        limit = ["prlimit", f"--pid={driver.info.backend_pid}", "--fsize=1"]
        subprocess.run([*unprivileged(signal.SIGKILL), *limit], check=True)

    def holder(self) -> None:
        """Nobody waits."""

    def let_go(self) -> None:
        pass

    def settle(self) -> None:
        until(lambda: self.one("SELECT 1") is None)
        until(self.server.is_answering)


def _is_unread(port: int) -> bool:
    """Whether a connection to a server on this port has bytes that the server has not read."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, _, queues, *_ = line.split()
        if int(local.partition(":")[2], 16) == port and int(queues.partition(":")[2], 16) > 0:
            return True
    return False
