"""The command `sheaf`, but its worker stands still, once, at a named point of its work: what it is must be killed at.

    python -m tests.halting stored worker

Points, in the order of a job's life: claimed-K (the claim is committed), rendered (nothing is stored), stored
(the artifact is), settling-K (the settling COMMIT is about to be sent), settled-K (it is acknowledged); K is plan,
render or package. `nowhere` never stands still. The renderer is that of `tests.counted`.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from sqlalchemy import event, select
from sqlalchemy.orm import ORMExecuteState, Session

from app.artifacts.folder import FolderStore
from app.cli import composing, main
from app.database.tables import StepRow
from app.database.transactions import Database
from app.domain.lifecycle import StepState
from app.settings import Settings
from tests import counted
from worker.process import WorkerProcess


class Point:
    """Where this process stands still."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_passed = False

    def reached(self, name: str) -> None:
        """Stand still if this is the point: every thread, until somebody else sends SIGCONT."""
        if name == self._name and not self._is_passed:
            self._is_passed = True
            os.kill(os.getpid(), signal.SIGSTOP)
            # another thread may have to take the signal before all are stopped: this one goes no further
            signal.sigwait({signal.SIGCONT})


class HaltingDatabase(Database):
    """Stands still around the COMMIT of a claim or a settle."""

    def __init__(self, database: Database, point: Point) -> None:
        super().__init__(database._engine)
        self._point = point

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A transaction of the database."""
        deeds: list[tuple[StepState, str]] = []
        with super().transaction() as tx:
            event.listen(tx, "do_orm_execute", partial(_note, deeds))
            yield tx
            for state, kind in deeds:
                if state is StepState.DONE:
                    self._point.reached(f"settling-{kind}")
        for state, kind in deeds:
            self._point.reached(f"{'settled' if state is StepState.DONE else 'claimed'}-{kind}")


def _note(deeds: list[tuple[StepState, str]], statement: ORMExecuteState) -> None:
    """Remember a claim or a settle: the updates that give one step one of these states."""
    if not statement.is_update or statement.statement.table.name != StepRow.__tablename__:
        return
    values = statement.statement.compile(dialect=statement.session.get_bind().dialect).params
    step = (statement.parameters or {}).get("step", values.get("id_1"))
    if values.get("state") in (StepState.CLAIMED, StepState.DONE) and step is not None:
        kind = statement.session.scalars(select(StepRow.kind).where(StepRow.id == step)).one()
        deeds.append((values["state"], kind))


class HaltingStore(FolderStore):
    """Stands still around the storing of an artifact."""

    def __init__(self, store: FolderStore, point: Point) -> None:
        super().__init__(store.root, store.identity)
        self._point = point

    def put(self, key: str, write: Callable[[BinaryIO], None]) -> None:
        """Store it."""
        self._point.reached("rendered")
        super().put(key, write)
        self._point.reached("stored")


def run(name: str, *arguments: str) -> None:
    """Run the command with these parts in the composition root."""
    point = Point(name)
    # waited for, not handled; every thread that is started from here on keeps it so
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
    open_database, open_artifacts = composing.open_database, composing.open_artifact_store
    build_worker = composing.build_worker

    def database(settings: Settings) -> Database:
        return HaltingDatabase(open_database(settings), point)

    def artifacts(settings: Settings, database: Database) -> FolderStore:
        store = open_artifacts(settings, database)
        assert isinstance(store, FolderStore)
        return HaltingStore(store, point)

    def worker(settings: Settings, **parts: Any) -> WorkerProcess:
        return build_worker(settings, **{**parts, "render": counted.render})

    composing.open_database = database
    composing.open_artifact_store = artifacts
    composing.build_worker = worker
    sys.argv = ["sheaf", *arguments]
    main.main()


if __name__ == "__main__":
    run(*sys.argv[1:])
