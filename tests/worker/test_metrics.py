"""A worker process tells operators what it does, on a port of its own."""

import json
import sys
import time
from contextlib import suppress
from uuid import UUID, uuid4

import httpx
import pytest
from dramatiq.errors import ConnectionClosed
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from app.database.engines import sync_engine
from app.database.steps import claim_step
from app.database.stores import find_store
from app.database.tables import JobRow, StepRow
from app.database.transactions import Database
from app.domain.document_type import DocumentType
from app.domain.lifecycle import StepKind, StepState
from app.domain.principal import Owner
from app.domain.selection import Selection, Sort
from app.exports.cancel import cancel
from app.exports.operating import fail
from app.exports.request import ExportRequest
from app.exports.submit import submit
from app.messaging.broker import QUEUE, redis_broker
from tests.cli.running import sheaf
from tests.installation import ENDED_WITHIN, Installation
from tests.migrated import LIMITS
from tests.servers import free_port
from tests.shop import order
from tests.waiting import until
from worker.exposition import expose
from worker.metrics import WorkerSignals

FAULTY = (sys.executable, "-m", "tests.faulty_worker")


class Seen:
    """One worker process on a database of its own, what it works on, and what it tells."""

    def __init__(self, url: str, port: int) -> None:
        self.database = Database(sync_engine(url, LIMITS))
        self.port = port
        with self.database.reading() as tx:
            self.store_id = find_store(tx, "demo").id

    def owner(self, name: str) -> Owner:
        return Owner(self.store_id, "demo", name)

    def submit(self, owner: str, *numbers: int) -> UUID:
        selection = Selection(order_ids=tuple(5000 + number for number in numbers))
        request = ExportRequest(DocumentType.INVOICE, "separate", selection, Sort.GIVEN)
        with self.database.transaction() as tx:
            return submit(tx, self.owner(owner), request, key=uuid4().hex, fingerprint="f", checkpoint_every=10).job.id

    def until(self, job_id: UUID, state: str) -> JobRow:
        give_up_at = time.monotonic() + ENDED_WITHIN
        while time.monotonic() < give_up_at:
            with self.database.reading() as tx:
                job = tx.get_one(JobRow, job_id)
            if job.state == state:
                return job
            time.sleep(0.02)
        raise AssertionError(f"never {state}: {job.state}, {job.failure_code}")

    def until_held(self, job_id: UUID, kind: StepKind) -> None:
        held = select(StepRow.id).where(
            StepRow.job_id == job_id, StepRow.kind == kind, StepRow.state == StepState.CLAIMED
        )
        give_up_at = time.monotonic() + ENDED_WITHIN
        while time.monotonic() < give_up_at:
            with self.database.reading() as tx:
                if tx.scalar(held) is not None:
                    return
            time.sleep(0.02)
        raise AssertionError(f"no {kind} step was ever held")

    def is_heard(self) -> bool:
        with suppress(httpx.ConnectError):
            return bool(self.told())
        return False

    def told(self) -> dict[tuple[str, ...], float]:
        answer = httpx.get(f"http://127.0.0.1:{self.port}/metrics")
        families = text_string_to_metric_families(answer.text)
        return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}

    def until_told(self, *sample: str, at_least: float = 1) -> dict[tuple[str, ...], float]:
        give_up_at = time.monotonic() + ENDED_WITHIN
        while time.monotonic() < give_up_at:
            told = self.told()
            if told.get(sample, 0) >= at_least:
                return told
            time.sleep(0.02)
        raise AssertionError(f"never told: {sample}")


@pytest.fixture(scope="module")
def seen(migrated_sqlite, tmp_path_factory):
    """A real worker whose renderer fails at marked orders."""
    folder = tmp_path_factory.mktemp("seen")
    (folder / "sheaf.db").write_bytes(migrated_sqlite.read_bytes())
    url, port = f"sqlite:///{folder / 'sheaf.db'}", free_port()
    file = folder / "orders.json"
    notes = {2: "note-die", 3: "note-endless"}
    file.write_text(json.dumps([order(n, customer_note=notes.get(n, "")) for n in range(1, 5)]))
    loaded = sheaf("orders", "import", str(file), "--store", "demo", environment={"SHEAF_DATABASE_URL": url})
    assert loaded.code == 0, loaded.err
    environment = {
        "SHEAF_DATABASE_URL": url,
        "SHEAF_ARTIFACTS": str(folder / "artifacts"),
        "SHEAF_WORKER_METRICS_PORT": str(port),
        "SHEAF_WORKER_SLOTS": "1",
    }
    seen = Seen(url, port)
    installation = Installation(environment, folder)
    try:
        installation.add_worker(FAULTY)
        until(seen.is_heard, within=ENDED_WITHIN)  # whichever test comes first
        yield seen
    finally:
        installation.end()
        seen.database.close()


def test_a_worker_tells_of_waits_steps_documents_strikes_and_ends(seen):
    job_id = seen.submit("ada", 1, 2)

    seen.until(job_id, "completed")
    told = seen.until_told("sheaf_step_seconds_count", "package", "settled")

    counts = {
        "queue": told["sheaf_queue_wait_seconds_count",],
        "waits": [told["sheaf_step_wait_seconds_count", kind] for kind in ("plan", "render", "package")],
        "steps": [told["sheaf_step_seconds_count", kind, "settled"] for kind in ("plan", "render", "package")],
        "rendered": told["sheaf_document_seconds_count", "rendered"],
        "crashed": told["sheaf_document_seconds_count", "render_crashed"],
        "strikes": told["sheaf_strikes_total", "render_crashed"],
        "killed": told["sheaf_children_ended_total", "killed"],
        "completed": told["sheaf_jobs_ended_total", "", "completed"],
        "able": told["sheaf_worker_can_render",],
        "held": told["sheaf_claims_held",],
    }
    assert counts == {
        "queue": 1, "waits": [1, 1, 1], "steps": [1, 1, 1], "rendered": 1, "crashed": 1, "strikes": 3,
        "killed": 3, "completed": 1, "able": 1, "held": 0,
    }  # fmt: skip
    assert told["sheaf_children_started_total",] >= 4
    assert told["sheaf_pulse_late_seconds_count",] >= 1
    assert told["process_resident_memory_bytes",] > 1_000_000


def test_a_cancel_is_measured_from_its_request_to_the_end_of_work(seen):
    job_id = seen.submit("bea", 3)
    seen.until_held(job_id, StepKind.RENDER)

    with seen.database.transaction() as tx:
        cancel(tx, seen.owner("bea"), job_id)
    job = seen.until(job_id, "cancelled")
    told = seen.until_told("sheaf_jobs_ended_total", "", "cancelled")

    assert told["sheaf_cancel_stop_seconds_count",] == 1
    took = (job.finished_at - job.cancel_requested_at).total_seconds()
    assert told["sheaf_cancel_stop_seconds_sum",] == pytest.approx(took)


def test_a_lapse_is_told_by_whoever_takes_over(seen):
    with seen.database.transaction() as tx:
        held = submit(
            tx, seen.owner("cleo"),
            ExportRequest(DocumentType.INVOICE, "separate", Selection(order_ids=(5004,)), Sort.GIVEN),
            key="k", fingerprint="f", checkpoint_every=10,
        ).job.id  # fmt: skip
        claim_step(tx, held, holder=uuid4(), host="dead:1", lease=0)
    before = seen.told()["sheaf_queue_wait_seconds_count",]

    seen.until(held, "completed")
    told = seen.until_told("sheaf_lapse_seconds_count", "plan")

    assert told["sheaf_lapse_seconds_count", "plan"] == 1
    assert told["sheaf_queue_wait_seconds_count",] == before


def test_the_reconciler_tells_of_its_rounds(seen):
    told = seen.until_told("sheaf_sweeps_total", "done")

    assert told["sheaf_reconciler_elected",] == 1


def test_no_label_is_an_id(seen):
    job_id = seen.submit("dora", 4)
    seen.until(job_id, "completed")

    assert str(job_id) not in httpx.get(f"http://127.0.0.1:{seen.port}/metrics").text


def test_worker_processes_of_one_host_take_a_port_each():
    base = free_port()
    registries = [CollectorRegistry(), CollectorRegistry()]
    for name, registry in zip(("first", "second"), registries, strict=True):
        Counter(name, "Which one.", registry=registry)

    with capture_logs() as logged:
        ports = [expose(registry, host="127.0.0.1", port=base) for registry in registries]

    assert ports[0] == base
    assert ports[1] > base
    assert [line["port"] for line in logged if line["event"] == "metrics.served"] == ports
    texts = [httpx.get(f"http://127.0.0.1:{port}/metrics").text for port in ports]
    assert ["first_total" in text for text in texts] == [True, False]
    assert ["second_total" in text for text in texts] == [False, True]


def test_metrics_can_be_turned_off_and_never_keep_a_worker_from_its_work():
    with capture_logs() as logged:
        off = expose(CollectorRegistry(), host="127.0.0.1", port=0)
        nowhere = expose(CollectorRegistry(), host="192.0.2.1", port=free_port())

    assert (off, nowhere) == (None, None)
    assert [line["event"] for line in logged] == ["metrics.not_served"]


def test_errors_of_the_database_and_lost_connections_of_the_bell_are_counted(tmp_path):
    registry = CollectorRegistry()
    signals = WorkerSignals(registry)
    database = Database(sync_engine(f"sqlite:///{tmp_path / 'empty.db'}", LIMITS))
    database.watch_errors(signals.database_failed)
    broker = redis_broker(f"redis://127.0.0.1:{free_port()}/0", seconds=0.2)
    signals.watch_bells(lambda: broker.lost_connections)
    consumer = broker.consume(QUEUE, timeout=10)

    with pytest.raises(OperationalError), database.reading() as tx:
        tx.execute(text("SELECT * FROM absent"))
    for _ in range(2):
        with pytest.raises(ConnectionClosed):
            next(consumer)
    database.close()
    broker.client.close()

    assert registry.get_sample_value("sheaf_database_errors_total", {"error": "OperationalError"}) == 1
    assert registry.get_sample_value("sheaf_bell_connections_lost_total") == 2


def test_an_end_is_told_only_once_it_is_committed(seen):
    heard = []
    seen.database.on_end = heard.append
    job_id = seen.submit("eve", 3)

    with suppress(ZeroDivisionError), seen.database.transaction() as tx:
        fail(tx, job_id, note="undone")
        raise ZeroDivisionError
    rolled_back = list(heard)
    with seen.database.transaction() as tx:
        fail(tx, job_id, note="for this test")
    seen.database.on_end = lambda _ended: None

    assert rolled_back == []
    assert [(end.state, end.failure_code, end.cancel_seconds) for end in heard] == [
        ("failed", "failed_by_operator", None)
    ]
