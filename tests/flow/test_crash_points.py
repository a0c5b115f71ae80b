"""A worker is killed at each point of its work: another one brings the same archive, with one step made again."""

import errno
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory

import pytest

from tests.installation import ENDED_WITHIN, Installation, OwnerClient, distributed, embedded
from tests.migrated import migrated_database
from tests.servers import is_stopped, send
from tests.shop import orders
from tests.waiting import until

COUNT, EVERY = 6, 2

MADE_AGAIN = {
    "claimed-plan": 0,
    "settling-plan": 0,
    "settled-plan": 0,
    "claimed-render": 0,
    "rendered": EVERY,
    "stored": EVERY,
    "settling-render": EVERY,
    "settled-render": 0,
    "claimed-package": 0,
    "settling-package": 0,
    "settled-package": 0,
}
"""Documents that are rendered once more after a kill at each point."""
SHORT = ("settling-render", "settled-render", "settling-package")
"""The others take their time in the long suite."""


def points():
    return [pytest.param(point, marks=() if point in SHORT else pytest.mark.long) for point in MADE_AGAIN]


def halting(point, command):
    """The command line of a process whose worker stands still at a point."""
    return (sys.executable, "-m", "tests.halting", point, command)


@dataclass
class Scene:
    """An installation whose one standing worker may be frozen, and what a calm export of it looks like."""

    installation: Installation
    rescuer: Popen[bytes]
    client: OwnerClient
    renders: Path
    calm: str = ""
    counted: int = 0

    def made(self) -> int:
        """Documents that were begun since the last time."""
        before, self.counted = self.counted, len(self.renders.read_text().splitlines())
        return self.counted - before

    def halted(self, point):
        """A new export whose worker has just come to this point, and that worker."""
        send(self.rescuer.pid, signal.SIGSTOP)
        until(lambda: is_stopped(self.rescuer.pid))
        export = self.client.create(layout="both")
        victim = self.installation.add_worker((*halting(point, "worker"), "--verbose"))
        until(lambda: is_stopped(victim.pid), within=ENDED_WITHIN)
        return export, victim

    def rescued(self, export):
        """How the export ended once the standing worker had it."""
        send(self.rescuer.pid, signal.SIGCONT)
        return self.client.until_over(export)


@pytest.fixture(scope="module")
def running(postgres_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("crash-points")
    url = migrated_database(postgres_server)
    renders = folder / "renders"
    renders.touch()
    settings = {
        "SHEAF_CHECKPOINT_EVERY": str(EVERY),
        "SHEAF_COMBINED_PART": str(EVERY),
        "SHEAF_LEASE_SECONDS": "1",
        "SHEAF_PULSE_SECONDS": "0.1",
        "SHEAF_TEST_RENDERS": str(renders),
    }
    with (
        distributed(folder, url, None, workers=0, **settings) as installation,
        installation.owner() as client,
    ):
        scene = Scene(
            installation, installation.add_worker((*halting("nowhere", "worker"), "--verbose")), client, renders
        )
        client.load(orders(COUNT))
        scene.calm = client.until_over(client.create(layout="both"))["archive"]["sha256"]
        assert scene.made() == COUNT
        yield scene


@pytest.fixture
def scene(running):
    """As calm as before, even after a test that failed."""
    yield running
    send(running.rescuer.pid, signal.SIGCONT)
    for victim in running.installation.workers[1:]:
        end(victim)
    for export in running.client.get("/v1/exports", params={"state": ["queued", "processing"]}).json()["items"]:
        running.client.until_over(export)
    running.made()


def end(process):
    process.kill()
    process.wait()


def assert_as_calm(scene, done, *, again):
    assert done["state"] == "completed", scene.installation.logs()
    assert done["counts"] == {"requested": COUNT, "rendered": COUNT, "failed": 0, "skipped": 0}
    assert done["archive"]["sha256"] == scene.calm
    assert scene.made() == COUNT + again
    # nothing but the archive is left, whoever stored what
    folder = scene.installation.artifacts / done["id"]
    until(lambda: len(list(folder.iterdir())) == 1)


@pytest.mark.parametrize("point", points())
def test_a_worker_killed_at_this_point_costs_at_most_its_step(scene, point):
    export, victim = scene.halted(point)

    end(victim)

    assert_as_calm(scene, scene.rescued(export), again=MADE_AGAIN[point])


@pytest.mark.parametrize("point", [pytest.param("stored", marks=pytest.mark.long), "settling-render"])
def test_a_worker_that_wakes_when_another_has_its_step_writes_nothing(scene, point):
    """Inside its transaction it also holds the job: the server ends that after three seconds."""
    export, victim = scene.halted(point)
    done = scene.rescued(export)

    send(victim.pid, signal.SIGCONT)

    log = scene.installation.folder / f"worker-{scene.installation.workers.index(victim)}.log"
    until(lambda: "step.lost" in log.read_text())
    assert_as_calm(scene, done, again=EVERY)
    assert scene.client.look(export) == done


def has_reader(fifo):
    """Whether some process reads this pipe, or waits in opening it for somebody who writes."""
    try:
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return False
    return True


@pytest.fixture
def temporary():
    """A folder with a short path: a child is begun by a socket in it, and a socket's has at most 107 bytes."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.long
def test_a_worker_killed_while_it_writes_the_archive_leaves_nothing_of_it(scene):
    export, victim = scene.halted("claimed-package")
    folder = scene.installation.artifacts / export["id"]
    first, second, _third = sorted(folder.iterdir(), key=lambda artifact: int(artifact.name.partition("-")[0]))
    kept = second.rename(folder.parent / "kept")
    os.mkfifo(second)
    # opened for reading too: so the child finds a writer, and waits for the first byte
    writer = os.open(second, os.O_RDWR)
    send(victim.pid, signal.SIGCONT)
    until(lambda: any(part.stat().st_size > first.stat().st_size / 2 for part in folder.glob("*.part")))

    end(victim)

    os.close(writer)
    until(lambda: not has_reader(second))
    assert list(folder.glob("*.part"))
    kept.rename(second)
    assert_as_calm(scene, scene.rescued(export), again=0)


@pytest.mark.long
@pytest.mark.parametrize("point", SHORT)
def test_the_embedded_server_killed_at_this_point_goes_on_when_it_is_started_again(tmp_path, point):
    renders = tmp_path / "renders"
    settings = {
        "SHEAF_CHECKPOINT_EVERY": str(EVERY),
        "SHEAF_WORKER_SLOTS": "1",
        "SHEAF_TEST_RENDERS": str(renders),
    }
    data = ("--data", str(tmp_path / "data"), "--verbose")
    with embedded(tmp_path, **settings) as installation:
        with installation.owner() as client:
            client.load(orders(COUNT))
            calm = client.until_over(client.create())["archive"]["sha256"]
        end(installation.server)
        installation.serve(*data, command=halting(point, "serve"))
        with OwnerClient(installation, client.secret) as client:
            export = client.create()
        until(lambda: is_stopped(installation.server.pid), within=ENDED_WITHIN)
        end(installation.server)

        installation.serve(*data, command=halting("nowhere", "serve"))

        with OwnerClient(installation, client.secret) as client:
            done = client.until_over(export)
        assert done["archive"]["sha256"] == calm, installation.logs()
        assert len(renders.read_text().splitlines()) == COUNT + MADE_AGAIN[point]
