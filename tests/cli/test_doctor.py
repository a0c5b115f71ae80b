"""`sheaf doctor` finds what is wrong, says what to do, never waits for ever and never shows a secret."""

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from app.artifacts.folder import FolderStore
from app.cli.checkup import database, ground, machine
from app.cli.checkup.lines import Check, Findings, Line, findings
from app.cli.checkup.machine import SCRIPTS
from app.cli.doctor import masked, secrets_of
from app.database.engines import sync_engine
from app.database.hosts import fact, sign_in
from app.database.transactions import Database
from app.documents import fonts
from app.documents.contract import DocumentType, StoreSettings
from app.documents.render import render_document
from app.documents.trial import sample_request
from app.settings import Settings
from tests.cli.running import Running, sheaf
from tests.ground import small_disk
from tests.migrated import LIMITS
from tests.servers import free_port
from worker.exposition import expose
from worker.metrics import WorkerSignals

SECRET = "a-very-secret-word"


def told(look: Findings) -> dict[str, tuple[str, str, str]]:
    """The last line of each check, so far as one is enough."""
    return {line.check: (str(line.verdict), line.found, line.advice) for line in look}


@pytest.fixture
def settings(migrated_sqlite, tmp_path) -> Settings:
    """An installation on a folder that no process has used."""
    shutil.copy(migrated_sqlite, tmp_path / "sheaf.db")
    return Settings().without_servers().for_folder(tmp_path)


def connected(settings: Settings) -> Database:
    return Database(sync_engine(settings.database_url.get_secret_value(), LIMITS))


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes every connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_healthy_installation_is_all_well(server: Running):
    done = sheaf("doctor", "--data", str(server.folder), "--json")

    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0, done.out
    assert {line["check"] for line in lines} == {
        "fonts", "renderer", "limits", "temporary", "database", "schema", "rights", "clock", "workers", "exports",
        "redis", "artifacts", "permissions",
    }  # fmt: skip
    assert [line for line in lines if line["verdict"] == "bad"] == []
    assert "An object was written, read back, listed and removed." in [line["found"] for line in lines]
    made = render_document(
        sample_request(DocumentType.INVOICE, StoreSettings("Checkup", SCRIPTS, "", "en", "UTC", "A4"))
    )
    (renderer,) = [line["found"] for line in lines if line["check"] == "renderer"]
    assert renderer.endswith(f"with the digest {sha256(made.pdf).hexdigest()[:12]}.")


def test_what_is_down_is_told_without_its_secrets(tmp_path):
    done = sheaf(
        "doctor",
        environment={
            "SHEAF_DATABASE_URL": f"postgresql+psycopg://sheaf:{SECRET}@127.0.0.1:{free_port()}/sheaf",
            "SHEAF_REDIS_URL": f"redis://:{SECRET}@127.0.0.1:{free_port()}/0",
            "SHEAF_ARTIFACTS": str(tmp_path),
        },
    )

    verdicts = [line.split()[:2] for line in done.out.splitlines() if not line.startswith(" ")]
    assert done.code == 1
    assert ["bad", "database"] in verdicts
    assert ["warn", "redis"] in verdicts
    assert ["bad", "artifacts"] in verdicts
    assert SECRET not in done.out + done.err
    assert "Traceback" not in done.out + done.err
    assert list(tmp_path.iterdir()) == []


def test_whatever_an_error_repeats_its_secrets_are_hidden():
    configured = Settings(
        database_url=SecretStr(f"postgresql://sheaf:{SECRET}%21@db/sheaf"), metrics_token=SecretStr("token-of-metrics")
    )

    text = masked(
        f"postgresql://u:x@db: {SECRET}%21, {SECRET}!, token-of-metrics; sheaf db upgrade", secrets_of(configured)
    )

    assert text == "postgresql://***@db: ***, ***, ***; sheaf db upgrade"


def test_a_server_that_never_answers_is_not_waited_for(silent, tmp_path):
    frozen = Settings(
        database_url=SecretStr(f"postgresql+psycopg://sheaf:{SECRET}@127.0.0.1:{silent}/sheaf"),
        redis_url=SecretStr(f"redis://:{SECRET}@127.0.0.1:{silent}/0"),
        artifacts=str(tmp_path),
    )
    looks = (database.database, ground.redis, ground.artifacts)
    checks = [Check(look.__name__, lambda look=look: look(frozen), 60) for look in looks]

    with ThreadPoolExecutor() as threads:
        lines = [line for found in threads.map(list, map(findings, checks)) for line in found]

    assert [(line.check, str(line.verdict)) for line in lines] == [
        ("database", "bad"), ("redis", "warn"), ("artifacts", "bad"),
    ]  # fmt: skip
    assert SECRET not in repr(lines)


def test_a_look_that_stands_still_ends_with_what_it_has_found():
    never = threading.Event()

    def look() -> Findings:
        yield Line("thing", "ok", "It was there.")
        never.wait()

    lines = list(findings(Check("thing", look, 0.2)))
    never.set()

    assert [(str(line.verdict), line.found) for line in lines] == [
        ("ok", "It was there."), ("bad", "It has not answered for 0.2 s."),
    ]  # fmt: skip


def test_a_schema_of_another_release_names_its_cure(settings):
    with connected(settings).transaction() as tx:
        tx.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")

    found = told(database.database(settings))

    assert found["schema"][0] == "bad"
    assert found["schema"][2] == "Bring it there with: sheaf db upgrade"
    assert "workers" not in found


def test_workers_that_cannot_render_are_bad_and_none_at_all_is_a_warning(settings):
    nobody = told(database.database(settings))["workers"]
    with connected(settings).transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h:1", can_render=False, slots=2)
    unable = told(database.database(settings))["workers"]
    with connected(settings).transaction() as tx:
        sign_in(tx, host_id=uuid4(), name="h:2", can_render=True, slots=4)
    some = told(database.database(settings))["workers"]

    assert [verdict for verdict, _found, _advice in (nobody, unable, some)] == ["warn", "bad", "warn"]
    assert some[1] == "Live: h:1 (2 slots, cannot render), h:2 (4 slots)."


def test_rights_that_are_missing_are_named(postgres_server, migrated_postgresql):
    name = f"reader_{uuid4().hex[:8]}"
    with migrated_postgresql.begin() as connection:
        connection.exec_driver_sql(f"CREATE ROLE {name} LOGIN")
        connection.exec_driver_sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
    url = migrated_postgresql.url.set(username=name).render_as_string(hide_password=False)

    theirs = told(database.database(Settings(database_url=SecretStr(url))))
    owners = told(
        database.database(Settings(database_url=SecretStr(postgres_server.url(migrated_postgresql.url.database))))
    )

    with migrated_postgresql.begin() as connection:
        connection.exec_driver_sql(f"DROP OWNED BY {name}")
        connection.exec_driver_sql(f"DROP ROLE {name}")
    assert theirs["rights"][0] == "bad"
    assert "jobs (UPDATE)" in theirs["rights"][1]
    assert "jobs (SELECT)" not in theirs["rights"][1]
    assert owners["rights"][0] == "ok"


def test_a_redis_that_lives_is_well(redis_server):
    verdict, found, _advice = told(ground.redis(Settings(redis_url=SecretStr(redis_server.url))))["redis"]

    assert verdict == "ok"
    assert found.startswith("Redis ")


def test_another_place_than_that_of_the_other_hosts_is_bad_and_left_alone(settings, tmp_path):
    store = FolderStore(tmp_path / "artifacts")
    store.prepare()
    with connected(settings).transaction() as tx:
        fact(tx, "artifacts", if_new=store.identify())
    before = sorted((tmp_path / "artifacts").rglob("*"))
    well = list(ground.artifacts(settings))
    elsewhere = settings.model_copy(update={"artifacts": str(tmp_path / "unmounted")})
    (tmp_path / "unmounted").mkdir()

    bad = list(findings(Check("artifacts", lambda: ground.artifacts(elsewhere), 60)))

    assert [str(line.verdict) for line in well] == ["ok", "ok", "ok"]
    assert sorted((tmp_path / "artifacts").rglob("*")) == before
    assert [str(line.verdict) for line in bad] == ["bad"]
    assert list((tmp_path / "unmounted").iterdir()) == []


def test_what_others_may_read_or_write_is_bad(settings, tmp_path: Path):
    tmp_path.chmod(0o700)
    (tmp_path / "sheaf.db").chmod(0o600)
    well = list(machine.permissions(tmp_path))
    tmp_path.chmod(0o777)
    (tmp_path / "sheaf.db").chmod(0o644)

    bad = list(machine.permissions(tmp_path))

    assert [str(line.verdict) for line in well] == ["ok"]
    assert [(str(line.verdict), line.advice) for line in bad] == [
        ("bad", f"chmod go-w {tmp_path}"), ("bad", f"chmod 600 {tmp_path / 'sheaf.db'}"),
    ]  # fmt: skip


def test_the_workers_of_this_machine_are_found_by_their_metrics():
    registry, base = CollectorRegistry(), free_port()
    WorkerSignals(registry)
    port = expose(registry, host="127.0.0.1", port=base)

    (line,) = machine.metrics(Settings(worker_metrics_port=base))

    assert line.found.endswith(f"127.0.0.1:{port}.")


def test_fonts_that_are_missing_are_named_with_what_brings_them(monkeypatch):
    monkeypatch.setitem(fonts.FILES, "Noto Sans Thai", Path("/nowhere/NotoSansThai-Regular.ttf"))

    verdict, found, advice = told(machine.fonts())["fonts"]

    assert (verdict, "Noto Sans Thai" in found, "fonts-noto-core" in advice) == ("bad", True, True)


@pytest.mark.parametrize(("size", "verdict"), [(32 << 20, "bad"), (512 << 20, "warn"), (2 << 30, "ok")])
def test_a_disk_with_little_room_is_told_before_it_is_full(tmp_path, size, verdict):
    folder = tmp_path / "artifacts"
    with small_disk(folder, size=size):
        line = machine.space("artifacts", folder, "Make room")

    assert (str(line.verdict), line.advice) == (verdict, "" if verdict == "ok" else "Make room")


def test_a_folder_that_is_new_stays_new(tmp_path):
    done = sheaf("doctor", "--data", str(tmp_path / "new"))

    assert done.code == 0
    assert "No installation is in" in done.out
    assert not (tmp_path / "new").exists()
