"""The ways in which SQLite can leave a COMMIT unacknowledged, or refuse it: its driver's thread stops at a door."""

import resource
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any, Self

from sqlalchemy import event, text

from app.deadline.sqlite import ClosingConnection
from tests.deadline.holds import Hold
from tests.deadline.racing import PATIENCE, Api, Asked


class Doors:
    """Where the driver's thread of a SQLite connection can be stopped."""

    def __init__(self) -> None:
        self.name: str | None = None
        """The door at which the next thread is to stop: `before`, `after` or `returning`."""
        self.stopped = threading.Event()
        self.opened = threading.Event()
        self.locked_out = threading.Event()
        """Whether a BEGIN has met a lock that another holds."""
        self.passed = threading.Event()
        """Whether a COMMIT of a write has been done."""
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext
        """What the COMMIT of a write is done in."""

    def at(self, name: str) -> None:
        if self.name == name:
            self.name = None
            self.stopped.set()
            assert self.opened.wait(PATIENCE)


class Connection(ClosingConnection):
    """The driver's connection; its methods run in its thread."""

    def __init__(self, doors: Doors, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.doors = doors
        self.is_writing = False

    def commit(self) -> None:
        if not self.is_writing:
            super().commit()
            return
        self.doors.at("before")
        with self.doors.around():
            super().commit()
        self.doors.passed.set()
        self.doors.at("after")

    def rollback(self) -> None:
        if self.is_writing:
            self.is_writing = False
            self.doors.at("returning")
        super().rollback()

    def cursor(self, *_: Any) -> Any:
        return super().cursor(Cursor)


class Cursor(sqlite3.Cursor):
    """Tells of the lock that it meets."""

    connection: Connection

    def execute(self, statement: str, *values: Any) -> Self:
        try:
            return super().execute(statement, *values)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                self.connection.doors.locked_out.set()
            raise


class ThreadStopped(Hold):
    """The driver's thread stands before a door."""

    door: str

    def __init__(self, api: Api) -> None:
        super().__init__(api)
        self.doors = Doors()

        @event.listens_for(api.engine, "do_connect")
        def _(_dialect: Any, _record: Any, _arguments: Any, options: dict[str, Any]) -> None:
            options["factory"] = partial(Connection, self.doors)

        def write(driver: Any) -> None:
            driver._conn.is_writing = True

        api.on_commit(write)

    def take(self) -> None:
        self.doors.name = self.door
        self.doors.opened.clear()
        self.doors.passed.clear()

    def until_held(self) -> None:
        assert self.doors.stopped.wait(PATIENCE)

    def let_go(self) -> None:
        self.doors.opened.set()

    def until_behind(self, later: Asked) -> None:
        assert self.doors.locked_out.wait(PATIENCE)

    def settle(self) -> None:
        self.let_go()
        assert self.doors.passed.wait(PATIENCE)


class BeforeCommit(ThreadStopped):
    """Not committed, until it goes on for nobody."""

    is_committed = True
    door = "before"


class AfterCommit(ThreadStopped):
    """Committed, and nobody was told."""

    is_committed = True
    door = "after"


class Returning(ThreadStopped):
    """Committed and acknowledged, on the connection's way back into its pool."""

    is_committed = True
    door = "returning"


class BrokenPromise(ThreadStopped):
    """No COMMIT: a deferred constraint is broken."""

    says = (500, "internal_error")
    begin = (
        "CREATE TABLE nobody (id INTEGER PRIMARY KEY)",
        "CREATE TABLE promises (id INTEGER REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TRIGGER promise AFTER INSERT ON jobs BEGIN INSERT INTO promises VALUES (1); END",
    )

    def take(self) -> None:
        with self.api.database.transaction() as tx:
            for statement in self.begin:
                tx.execute(text(statement))

    def let_go(self) -> None:
        with self.api.database.transaction() as tx:
            tx.execute(text("DROP TRIGGER IF EXISTS promise"))

    def settle(self) -> None:
        pass


class BrokenDisk(ThreadStopped):
    """No COMMIT, as it happens: its write fails, of which nobody knows how far it came."""

    def take(self) -> None:
        self.doors.around = self._full

    @contextmanager
    def _full(self) -> Iterator[None]:
        # of this whole process, for the moment in which it does nothing else
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    def let_go(self) -> None:
        self.doors.around = nullcontext

    def settle(self) -> None:
        pass
