"""How fast documents become an archive, beside a plain copy of the same bytes: both on the disk at the end.

    chrt -f 5 .venv/bin/python -m bench.packaging --documents 10000

The documents are noise of the size of an invoice, stored ten together as render steps store them. `cp` reads the same
files and waits for the disk as the archive does; the two take turns. Beside the seconds stand those of the processor.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from app.artifacts.folder import FolderStore
from app.domain.lifecycle import Outcome
from app.domain.manifest import ManifestItem
from worker.archive import Archived, ArchiveRequest, StoredDocuments, build_archive, write_items, write_steps

STEP = 10
SIZE = 30_000
"""Bytes of a document, more or less."""
MB = 1_000_000


def run(*, quick: bool) -> str:
    """The table, in some ten seconds or a minute."""
    return table(2_000 if quick else 10_000, rounds=3)


def table(count: int, *, rounds: int) -> str:
    """Megabytes a second of an archive and of a copy."""
    with tempfile.TemporaryDirectory() as folder:
        store = FolderStore(Path(folder) / "artifacts")
        store.prepare()
        store.identify()
        items, steps_file, steps = Path(folder) / "items", Path(folder) / "steps", []
        with items.open("w") as lines:
            for step in documents(store, count):
                steps.append(step[0])
                write_items(lines, ((item, "") for item in step[1]))
        with steps_file.open("w") as lines:
            write_steps(lines, steps)
        size = sum(store.size(step.key) for step in steps)
        taken: dict[str, list[tuple[float, float]]] = {"archive": [], "cp and fsync": []}
        for number in range(rounds):
            key = f"job/{count}-{number}"
            request = ArchiveRequest(str(store.root), store.identity, items, steps_file, key, "invoice",
                                     "separate", "created")  # fmt: skip
            taken["archive"].append(timed(lambda made=request: archived(made, count)))  # type: ignore[misc]
            store.delete(request.key)
            taken["cp and fsync"].append(timed(lambda: copied(store, steps, Path(folder) / "copy")))
    lines = [f"packaging of {count:,} documents, {size / MB:.0f} MB       MB/s (least – most)   processor s   seconds"]
    for name, found in taken.items():
        rates = sorted(size / MB / seconds for seconds, _cpu in found)
        seconds, cpu = (statistics.median(column) for column in zip(*found, strict=True))
        lines.append(f"  {name:40} {statistics.median(rates):8.0f} ({rates[0]:.0f} – {rates[-1]:.0f}) {cpu:12.2f} {seconds:9.2f}")  # fmt: skip  # noqa: E501
    kept = [copy[0] / made[0] for made, copy in zip(taken["archive"], taken["cp and fsync"], strict=True)]
    lines.append(f"  the archive's pace is that of the copy × {', '.join(f'{one:.2f}' for one in kept)}")
    return "\n".join(lines)


def documents(store: FolderStore, count: int) -> Iterator[tuple[StoredDocuments, list[ManifestItem]]]:
    """Stored steps and their items."""
    noise = random.Random(1)
    for first in range(1, count + 1, STEP):
        pdfs = [noise.randbytes(SIZE + noise.randrange(SIZE) // 2) for _ in range(STEP)]
        step = StoredDocuments(first, f"job/{first}-1", first, first + STEP - 1)
        store.put(step.key, lambda file, pdfs=pdfs: file.writelines(pdfs))  # type: ignore[misc]
        yield step, [item(first + place, pdf) for place, pdf in enumerate(pdfs)]


def item(ordinal: int, pdf: bytes) -> ManifestItem:
    """A rendered item."""
    return ManifestItem(
        ordinal, Outcome.RENDERED, "", f"invoice-{ordinal}.pdf", "invoice", str(ordinal), ordinal, None, "2026-11-30",
        "Greta Muster", "DE", "EUR", "100.00", "19.00", "119.00", 1, len(pdf), sha256(pdf).hexdigest(),
    )  # fmt: skip


def archived(request: ArchiveRequest, count: int) -> None:
    """What the package step's child does."""
    made = build_archive(request)
    assert isinstance(made, Archived), made
    assert made.bytes > count * SIZE


def copied(store: FolderStore, steps: list[StoredDocuments], target: Path) -> None:
    """The same bytes in one file."""
    with target.open("wb") as file:
        for step in steps:
            with store.open(step.key) as source:
                file.write(source.read())
        file.flush()
        os.fsync(file.fileno())
    target.unlink()


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    began, cpu = time.monotonic(), time.process_time()
    work()
    return time.monotonic() - began, time.process_time() - cpu


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(table(options.documents, rounds=options.rounds))


if __name__ == "__main__":
    main()
