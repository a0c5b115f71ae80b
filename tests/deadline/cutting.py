"""Cutting off a create at a chosen point, and looking at what is left of it."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from dramatiq.brokers.stub import StubBroker
from sqlalchemy import event, make_url, text

from app.deadline.outcome import Outcome
from app.messaging.broker import QUEUE
from tests.deadline.observed import Observed, Owner, Witness
from tests.deadline.scenes import BOUND, jump, until
from tests.deadline.visiting import Visit


def leaves(visit: Visit) -> None:
    """The caller hangs up."""
    visit.leave()


def runs_out(visit: Visit) -> None:
    """What a dependency may use of the deadline has passed."""
    jump(visit.deadline.left() - visit.deadline.policy.reserve)


CUT: dict[str, Callable[[Visit], None]] = {"caller": leaves, "deadline": runs_out}
cut_off = pytest.mark.parametrize("cut", CUT)
"""Once by its caller, and once by its deadline."""
LEFT = (None, Outcome.CALLER_CANCELLED)
"""How it ends for a caller who has left."""


def end_of(house: Observed, visit: Visit) -> tuple[int | None, Outcome]:
    """What its caller got, and how it was counted."""
    return visit.status, house.notes.ends[-1][1]


@contextmanager
def on_statement(engine, name: str, act: Callable[[str], object]) -> Iterator[None]:
    """Call with each statement that this engine's connections have sent."""

    def listener(_connection, _cursor, statement, *_rest):
        act(statement)

    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)


async def assert_as_new(house: Observed, alice: Owner, *, jobs: int) -> None:
    """Nothing is held, nothing is at work, and the same create once more is answered and is the only one."""
    await until(lambda: not house.held)
    assert house.jobs() == ["queued"] * jobs
    if house.engine.dialect.name == "postgresql":
        watching = Witness(house.engine.url.render_as_string(hide_password=False))
        await until(lambda: watching.at_work() == 0)
        watching.close()
    else:
        await until(lambda: is_writable(house))

    again = await alice.create().answer()

    assert (again.status, "idempotent-replayed" in again.headers) == (202, jobs == 1)
    assert (house.jobs(), house.held) == (["queued"], {})


def is_writable(house: Observed) -> bool:
    """Whether SQLite's one lock for writing is free."""
    connection = sqlite3.connect(make_url(house.engine.url).database, timeout=0, isolation_level=None)
    try:
        with suppress(sqlite3.OperationalError):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            return True
        return False
    finally:
        connection.close()


def give_function(house: Observed, name: str, function: Callable[[], object]) -> None:
    """Let SQLite's statements call a function of ours."""

    @event.listens_for(house.engine, "connect")
    def _(connection, _record):
        connection.run_async(lambda driver: driver.create_function(name, 0, function))


@contextmanager
def trigger(house: Observed, name: str, statement: str) -> Iterator[None]:
    """A trigger of SQLite's for a while."""
    with house.database.transaction() as tx:
        tx.execute(text(statement))
    yield
    with house.database.transaction() as tx:
        tx.execute(text(f"DROP TRIGGER {name}"))


class HeldBroker(StubBroker):
    """A broker whose bell takes as long as a test wants."""

    def __init__(self) -> None:
        super().__init__(middleware=[])
        self.declare_queue(QUEUE)
        self.inside = threading.Event()
        self.let_go = threading.Event()
        self.let_go.set()

    def enqueue(self, message, *, delay=None):
        self.inside.set()
        assert self.let_go.wait(BOUND)
        return super().enqueue(message, delay=delay)
