"""One run from its first process to its verdict."""

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import psycopg

from app.database.engines import sync_engine
from app.database.stores import create_store, create_token
from app.database.transactions import Database
from app.domain.principal import Right
from tests.chaos import audit
from tests.chaos.customers import Customer
from tests.chaos.journal import Journal
from tests.chaos.left import judge_what_lives
from tests.chaos.outcome import Outcome
from tests.chaos.processes import MARK, Kept
from tests.chaos.recovery import recoveries
from tests.chaos.script import LEASE, ORDERS, SELECTIONS, Deed, Errand, Script
from tests.chaos.storm import Storm
from tests.chaos.story import story
from tests.chaos.verdict import Ending, judge_artifacts, judge_cases, judge_changes, judge_rows
from tests.installation import SHEAF
from tests.installation import run as run_command
from tests.migrated import LIMITS
from tests.servers import DURABLE, PostgresServer, RedisServer, free_port, running_postgres, running_redis
from tests.shop import order

UP_WITHIN: Final = 300.0
"""Seconds until API and workers are there."""
OVER_WITHIN: Final = 240.0
"""Seconds from the end of the faults until every customer has what it wants."""
GONE_WITHIN: Final = 60.0
"""Seconds until nothing is left behind, beside five sweeps: a killed sweeper is replaced after three."""
MANY: Final = 100
"""Exports above which sweeps are rare: each looks at every archive that there is."""
MUST: Final = frozenset({Deed.RESTART_POSTGRES, Deed.KILL_WORKER, Deed.FREEZE_WORKER, Deed.KILL_CHILD, Deed.KILL_REDIS})
"""What no run goes without."""


def run(script: Script, journal: Journal, folder: Path) -> Outcome:
    """Run the script on servers and processes of its own; logs go to the folder, what went wrong to the journal."""
    with (
        running_postgres(DURABLE) as postgres,
        running_redis() as redis,
        # not in the folder, whose path may be long: a socket's has at most 107 bytes, and a child is begun by one
        tempfile.TemporaryDirectory(prefix="chaos-") as temporary,
    ):
        scene = Scene(script, journal, postgres, redis, folder, temporary)
        try:
            return scene.play()
        finally:
            scene.end()


class Scene:
    """The processes of one run and what they work on."""

    def __init__(
        self,
        script: Script,
        journal: Journal,
        postgres: PostgresServer,
        redis: RedisServer,
        folder: Path,
        temporary: str,
    ) -> None:
        self.script = script
        self.postgres = postgres
        self.folder = folder
        self.journal = journal
        self.sweep = 1 if script.jobs <= MANY else 20
        self.mark = f"chaos-{uuid4().hex}"
        self.name = postgres.create_database()
        self.artifacts = folder / "artifacts"
        self.url = f"http://127.0.0.1:{free_port()}"
        self.environment = {
            "SHEAF_DATABASE_URL": postgres.url(self.name),
            "SHEAF_REDIS_URL": redis.url,
            "SHEAF_ARTIFACTS": str(self.artifacts),
            "SHEAF_PORT": self.url.rpartition(":")[2],
            "SHEAF_WORKER_SLOTS": "1",
            "SHEAF_CHECKPOINT_EVERY": "2",
            "SHEAF_LEASE_SECONDS": str(LEASE),
            "TMPDIR": temporary,
            MARK: self.mark,
        }
        run_command("db", "upgrade", environment=self.environment)
        with self._connection() as connection:
            audit.install(connection)
        self.api = self._kept("api", (*SHEAF, "api"), "Sheaf serves")
        self.workers = [
            self._kept(f"worker {number}", (*SHEAF, "worker", "--verbose"), "worker.started")
            for number in range(script.workers)
        ]
        self.storm = Storm(script, self.journal, postgres, redis, self.api, self.workers, self._has_struck)
        self.told = 0
        self.customers: list[Customer] = []
        """The calm one first, then one for each owner."""

    def play(self) -> Outcome:
        """Calm runs, the storm, the verdict."""
        self._await(lambda: self._is_ready() and all(worker.is_up for worker in self.workers), UP_WITHIN, "up")
        tokens = self._tokens()
        self._load(tokens[0])
        calm = self._calm(tokens[0])
        for number, token in enumerate(tokens[1:]):
            errands = self.script.errands(number)
            self.customers.append(self._customer(f"owner {number}", token, errands))
        began = time.monotonic()
        self.journal.note("storm", "begins")
        for customer in self.customers[1:]:
            customer.thread.start()
        self.storm.rage(until=lambda: self._is_enough(time.monotonic() - began))
        seconds = time.monotonic() - began
        self._await(lambda: not self._waiting(), OVER_WITHIN, None)
        for customer in self.customers:
            customer.gone.set()
            customer.thread.join(30)
        return self._judged(calm, seconds)

    def end(self) -> None:
        """End every process of the run."""
        for customer in self.customers:
            customer.closing.set()
            customer.gone.set()
        for kept in (*self.workers, self.api):
            kept.end()

    def _kept(self, name: str, command: tuple[str, ...], sign_of_life: str) -> Kept:
        log = self.folder / f"{name.replace(' ', '-')}.log"
        quick = {"SHEAF_SWEEP_SECONDS": str(self.sweep), "SHEAF_SHUTDOWN_SECONDS": "5"}
        return Kept(name, command, {**quick, **self.environment}, log, self.journal, sign_of_life)

    def _customer(self, name: str, token: str, errands: Iterator[Errand]) -> Customer:
        # together they look at their exports eight times a second: two cores have better things to do
        pause = max(0.3, self.script.owners / 8)
        chance = random.Random(f"{self.script.seed} {name}")
        return Customer(name, token, errands, lambda: self.url, self.journal, chance, pause)

    def _connection(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self.postgres.url(self.name).replace("+psycopg", ""), autocommit=True)

    def _has_struck(self) -> bool:
        struck = "SELECT 1 FROM items WHERE outcome = 'pending' AND strikes > 0 LIMIT 1"
        with self._connection() as connection:
            return connection.execute(struck).fetchone() is not None

    def _await(self, is_so: Callable[[], bool], within: float, what: str | None) -> None:
        give_up_at = time.monotonic() + within
        while not is_so():
            if time.monotonic() > give_up_at:
                if what is None:
                    return
                raise TimeoutError(f"not {what} after {within:g} s:\n{self._logs()}")
            self.storm.mend()
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/readyz").status_code == 200
        return False

    def _tokens(self) -> list[str]:
        """The calm customer's, then one for each owner."""
        database = Database(sync_engine(self.postgres.url(self.name), LIMITS))
        with database.transaction() as tx:
            store = create_store(tx, key="demo", name="Demo", address="1 Test Lane")
            tokens = [
                create_token(tx, store_id=store.id, owner=f"owner-{number}", rights=frozenset(Right), expires_at=None)
                for number in range(-1, self.script.owners)
            ]
        database.close()
        return [token.text for token in tokens]

    def _load(self, token: str) -> None:
        orders = [order(number) for number in range(1, ORDERS)] + [order(ORDERS, status="trash")]
        answer = httpx.post(
            f"{self.url}/v1/orders/import", json=orders, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        assert answer.status_code == 200, answer.text

    def _calm(self, token: str) -> list[Ending]:
        """How each selection ends when nothing happens."""
        errands = (Errand(-1, number, None, f"calm-{number}") for number in range(len(SELECTIONS)))
        customer = self._customer("calm", token, errands)
        customer.pause = 0.1
        self.customers.append(customer)
        customer.thread.start()
        self._await(lambda: not customer.thread.is_alive(), OVER_WITHIN, "calm")
        assert not self.journal.violations, self.journal.violations
        return [Ending.of(case.final, case.sha256) for case in customer.cases]

    def _is_enough(self, elapsed: float) -> bool:
        if elapsed > 60 * self.script.minutes:
            for customer in self.customers:
                customer.closing.set()
            return True
        cases = [case for customer in self.customers[1:] for case in customer.cases]
        wanted, done = sum(bool(case.id) for case in cases), self.storm.done
        if wanted // 10 > self.told // 10:
            self.told = wanted
            self.journal.note("customers", f"{wanted} accepted, {sum(bool(case.final) for case in cases)} ended")
        return (wanted >= self.script.jobs or not self._waiting()) and all(done[deed] for deed in MUST)

    def _waiting(self) -> list[Customer]:
        return [customer for customer in self.customers if customer.thread.is_alive()]

    def _judged(self, calm: list[Ending], seconds: float) -> Outcome:
        journal = self.journal
        cases = [case for customer in self.customers for case in customer.cases]
        judge_cases(journal, cases, calm)
        with self._connection() as connection:
            states = judge_rows(
                journal, connection, {case.id: case.final.get("state", "") for case in cases if case.id}
            )
            steps, jobs = audit.step_changes(connection), audit.job_changes(connection)
            items = audit.item_changes(connection)
            judge_changes(journal, jobs, items)
            self._judge_what_is_left(connection)
            strikes = connection.execute("SELECT coalesce(sum(strikes), 0)::int FROM items").fetchone()
        outcome = Outcome(
            self.script,
            journal,
            states=states,
            deeds=self.storm.done,
            recoveries=recoveries(journal.signals, steps, jobs),
            lapses=sum({step.step_id: step.lapses for step in steps}.values()),
            strikes=int(str(strikes[0])) if strikes else 0,
            items=len(items),
            asked_again=sum(case.asked_again for case in cases),
            cancels=sum(case.was_cancelled for case in cases),
            seconds=seconds,
        )
        if journal.violations:
            outcome.story = story(journal, [*steps, *jobs, *items], self.folder)
        return outcome

    def _judge_what_is_left(self, connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        due = {str(row[0]) for row in connection.execute("SELECT archive_key FROM jobs WHERE state = 'completed'")}
        self._await(lambda: set(self._stored()) == due, GONE_WITHIN + 5 * self.sweep, None)
        judge_artifacts(self.journal, self._stored(), connection)
        for kept in (*self.workers, self.api):
            is_up, code = kept.is_up, kept.end()
            if is_up and code != 0:  # one that is starting heeds no signal yet
                self.journal.violated(f"{kept.name} ended with {code} when asked to")
        judge_what_lives(self.journal, connection, self.mark, within=GONE_WITHIN)

    def _stored(self) -> list[str]:
        # not by a glob, which fails when a folder goes while it looks; the store's own mark lies above the folders
        _, *folders = os.walk(self.artifacts)
        return [f"{Path(folder).name}/{file}" for folder, _, files in folders for file in files]

    def _logs(self) -> str:
        return "\n".join(f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(self.folder.glob("*.log")))
