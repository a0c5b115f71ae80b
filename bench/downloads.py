"""A large archive, cut and resumed by the command line; and many downloads at once, with what they take of the server.

    .venv/bin/python bench/downloads.py --mib 1024 --cuts 20 --parallel 50 --of-mib 256

The archive is put in the place of one that `sheaf serve` has made, so that no thousands of documents are rendered
first. A proxy cuts the connection at random places; besides, the command is killed five times and run again.
"""

import argparse
import hashlib
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO
from uuid import UUID

import httpx
from sqlalchemy import update

from app.artifacts.folder import FolderStore
from app.database.engines import sync_engine
from app.database.tables import JobRow
from app.database.transactions import Database
from tests import waiting
from tests.client.awkward import Behaviour, proxy
from tests.installation import SHEAF, Installation, OwnerClient, embedded
from tests.migrated import LIMITS
from tests.processes import MIB, private_memory
from tests.shop import order

KILLS = 5
UNSWEPT = {"SHEAF_SWEEP_SECONDS": "3600"}
"""A sweep would remove what we put where a job has ended."""


@dataclass(frozen=True)
class Large:
    """An archive to download."""

    export_id: str
    path: str
    bytes: int
    sha256: str


def put_large(installation: Installation, owner: OwnerClient, *, mib: int, seed: int = 1) -> Large:
    """An export that has ended, with an archive of so many MiB of noise."""
    owner.load([order(1)])
    export = owner.until_over(owner.create())
    noise, digest = random.Random(seed), hashlib.sha256()

    def write(file: BinaryIO) -> None:
        for _ in range(mib):
            piece = noise.randbytes(MIB)
            digest.update(piece)
            file.write(piece)

    artifacts = FolderStore(installation.artifacts)
    key = f"{export['id']}/9999-1"
    artifacts.put(key, write)
    database = Database(sync_engine(installation.database_url, LIMITS))
    with database.transaction() as tx:
        changed = {"archive_key": key, "archive_bytes": mib * MIB, "archive_sha256": digest.hexdigest()}
        tx.execute(update(JobRow).where(JobRow.id == UUID(export["id"])).values(changed))
    database.close()
    return Large(export["id"], export["links"]["archive"], mib * MIB, digest.hexdigest())


def resume(owner: OwnerClient, large: Large, target: Path, *, cuts: int, seed: int = 1) -> list[int]:
    """Download it by the command line through a proxy that cuts it so often, killing the command too.

    Where each attempt began, in bytes. Raises if the command does not end well.
    """
    chance = random.Random(seed)
    # all cuts together come before the end, wherever they are
    widest = large.bytes // (cuts + 1)
    behaviours = [Behaviour(cut_after=chance.randrange(widest // 10, widest)) for _ in range(cuts)]
    kills = sorted(chance.sample(range(1, 10), KILLS))
    environment = {**os.environ, "SHEAF_TOKEN": owner.secret}
    command = [*SHEAF, "export", "download", large.export_id, "--output", str(target)]
    with proxy(owner.installation.url, *behaviours, Behaviour()) as between:
        environment["SHEAF_URL"] = between.url
        for tenth in kills:
            running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            waiting.until(lambda at=large.bytes * tenth // 10: size_of(target) >= at, within=600)
            running.send_signal(signal.SIGKILL)
            running.wait()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        heads = [head for head in between.heads if "if-range" in head]
    return [int(head.partition("range: bytes=")[2].partition("-")[0]) for head in heads]


def size_of(target: Path) -> int:
    """What has come of it so far."""
    part = target.with_name(f"{target.name}.part")
    return part.stat().st_size if part.exists() else 0


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download_at_once(owner: OwnerClient, large: Large, *, parallel: int) -> list[str]:
    """The digests of so many downloads, all at the same time."""

    def one(_: int) -> str:
        headers = {"Authorization": f"Bearer {owner.secret}"}
        give_up_at = time.monotonic() + 600
        while time.monotonic() < give_up_at:
            digest = hashlib.sha256()
            with httpx.stream("GET", owner.installation.url + large.path, headers=headers, timeout=600) as answer:
                if answer.status_code == httpx.codes.OK:
                    for piece in answer.iter_raw():
                        digest.update(piece)
                    return digest.hexdigest()
                # fifty who begin in one moment: some are asked to come again
                assert answer.status_code in {503, 504}, answer.status_code
            time.sleep(1)
        raise AssertionError("never let in")

    with ThreadPoolExecutor(parallel) as readers:
        return list(readers.map(one, range(parallel)))


@contextmanager
def highest_memory(pid: int) -> Iterator[list[int]]:
    """The private memory of a process, in bytes: before, and at its highest once the block has ended."""
    seen, over = [private_memory(pid)], Event()

    def look() -> None:
        while not over.wait(0.1):
            seen.append(private_memory(pid))

    looking = Thread(target=look)
    looking.start()
    found = [seen[0]]
    try:
        yield found
    finally:
        over.set()
        looking.join()
        found.append(max(seen))


def pid_of(installation: Installation) -> int:
    """The process that serves."""
    assert installation.server is not None
    return installation.server.pid


def main() -> None:
    """Run it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--parallel", type=int, default=50)
    parser.add_argument("--of-mib", type=int, default=256)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sheaf-downloads-") as name:
        folder = Path(name)
        with embedded(folder, **UNSWEPT) as installation, installation.owner() as owner:
            large, target = put_large(installation, owner, mib=options.mib), folder / "archive.zip"
            began = time.monotonic()
            attempts = resume(owner, large, target, cuts=options.cuts)
            took = timedelta(seconds=round(time.monotonic() - began))
            right = "equal" if digest_of(target) == large.sha256 else "NOT EQUAL"
            print(f"{options.mib} MiB, {len(attempts)} times resumed ({KILLS} of them by a new command): {took}")
            print(f"digest: {right}")
            target.unlink()
            large = put_large(installation, owner, mib=options.of_mib)
            with highest_memory(pid_of(installation)) as memory:
                began = time.monotonic()
                digests = download_at_once(owner, large, parallel=options.parallel)
                seconds = time.monotonic() - began
            assert set(digests) == {large.sha256}
            rate = options.parallel * options.of_mib / seconds
            before, highest = (one / MIB for one in memory)
            print(f"{options.parallel} times {options.of_mib} MiB at once: {seconds:.0f} s, {rate:.0f} MiB/s")
            print(f"private memory of the server: {before:.0f} MiB before, {highest:.0f} MiB at its highest")


if __name__ == "__main__":
    main()
