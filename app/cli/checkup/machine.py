"""The machine itself: fonts, a renderer child, file descriptors, temporary space, the data folder's permissions."""

import resource
import tempfile
import time
import urllib.error
import urllib.request
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from shutil import disk_usage
from typing import Final

from app.cli.amounts import size
from app.cli.checkup.lines import Findings, Line, Verdict
from app.settings import Settings

FEW_FILES: Final = 1024
"""Descriptors: connections, pipes to children, downloads."""
LITTLE_SPACE: Final = 1 << 30
NO_SPACE: Final = 64 << 20
PORTS_LOOKED_AT: Final = 8
SCRIPTS: Final = ("Ωж ვհ ა", "ب ש", "कि ক ਕ ક କ க క ಕ ക ක", "ที่ ກ ខ က አ", "骨直 あ 한", "⌀ ⭘ ↦ 🎁")
"""A line or more in each family of our fonts, so that a host with other ones makes another document."""


def fonts() -> Findings:
    """Every script that documents may be in."""
    from app.documents.fonts import FILES, missing_families

    missing = missing_families()
    if missing:
        yield Line(
            "fonts",
            Verdict.BAD,
            f"Missing: {', '.join(missing)}. Text in them would be boxes, so this host renders nothing.",
            "Install fonts-noto-core, fonts-noto-cjk and fonts-noto-color-emoji",
        )
    else:
        yield Line("fonts", Verdict.OK, f"All {len(FILES)} families are there.")


def renderer(settings: Settings) -> Findings:
    """A child of the renderer starts and makes a document."""
    from app.documents.contract import DocumentType, RenderedDocument, StoreSettings
    from app.documents.pool import RendererPool
    from app.documents.trial import sample_request

    pool = RendererPool(
        workers=1,
        time_limit=timedelta(seconds=30),
        memory_limit=settings.render_memory_mib * 1024 * 1024,
        documents_per_child=1,
    )
    began = time.monotonic()
    try:
        store = StoreSettings("Checkup", SCRIPTS, "", "en", "UTC", "A4")
        made = pool.render(sample_request(DocumentType.INVOICE, store))
    finally:
        pool.close()
    if isinstance(made, RenderedDocument):
        took = time.monotonic() - began
        digest = sha256(made.pdf).hexdigest()[:12]
        yield Line(
            "renderer",
            Verdict.OK,
            f"A child started and made a document of {size(len(made.pdf))} in {took:.1f} s, with the digest {digest}.",
        )
    else:
        yield Line("renderer", Verdict.BAD, f"No document came of a small order: {made.reason}", "Install Sheaf anew")


def limits() -> Findings:
    """What the system lets one process have."""
    files, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < FEW_FILES:
        yield Line(
            "limits",
            Verdict.WARN,
            f"One process may open {files} files.",
            f"Raise it to {FEW_FILES}: ulimit -n, LimitNOFILE=",
        )
    else:
        yield Line("limits", Verdict.OK, f"One process may open {files} files.")
    yield space(
        "temporary", Path(tempfile.gettempdir()), "Archives for S3 are written here first: set TMPDIR to a larger place"
    )


def space(check: str, folder: Path, advice: str) -> Line:
    """How much room is left where this folder is."""
    free = disk_usage(folder).free
    verdict = Verdict.BAD if free < NO_SPACE else Verdict.WARN if free < LITTLE_SPACE else Verdict.OK
    return Line(check, verdict, f"{size(free)} are free in {folder}.", "" if verdict is Verdict.OK else advice)


def empty(folder: Path) -> Findings:
    """A data folder that nobody has used."""
    yield Line("database", Verdict.WARN, f"No installation is in {folder} yet.", "sheaf serve --data makes one there")


def permissions(folder: Path) -> Findings:
    """Nobody else reads the orders of a data folder, and nobody else writes into it."""
    mode = folder.stat().st_mode & 0o777
    if mode & 0o022:
        yield Line("permissions", Verdict.BAD, f"Others may write into {folder} ({mode:03o}).", f"chmod go-w {folder}")
    readable = [file for file in sorted(folder.glob("*.db*")) if file.stat().st_mode & 0o077]
    for file in readable:
        yield Line("permissions", Verdict.BAD, f"Others may read {file}, which holds orders.", f"chmod 600 {file}")
    if not mode & 0o022 and not readable:
        yield Line(
            "permissions", Verdict.OK, f"{folder} is written by its owner alone, its database read by nobody else."
        )


def metrics(settings: Settings) -> Findings:
    """Where the workers of this machine show their metrics."""
    host, first = settings.worker_metrics_host, settings.worker_metrics_port
    if first == 0:
        yield Line("metrics", Verdict.OK, "Workers show none: SHEAF_WORKER_METRICS_PORT is 0.")
        return
    ports = [port for port in range(first, min(first + PORTS_LOOKED_AT, 65536)) if _shows_metrics(host, port)]
    found = f"{host}:{', '.join(map(str, ports))}" if ports else f"none at {host}, ports {first} and up"
    yield Line("metrics", Verdict.OK, f"Worker processes of this machine that show their metrics: {found}.")


def _shows_metrics(host: str, port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=0.5) as answer:
            return b"sheaf_worker_slots" in answer.read(1 << 20)
    except (OSError, urllib.error.URLError, ValueError):
        return False
