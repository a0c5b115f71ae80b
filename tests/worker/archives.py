"""What an archive is made of, and what came out."""

import hashlib
import zipfile
from multiprocessing import Pipe, get_context

from app.artifacts.opening import open_artifacts
from app.domain.lifecycle import Outcome
from app.domain.manifest import ManifestItem
from tests.processes import peak_memory
from worker.archive import build_archive


def item(ordinal, pdf=None, **changes):
    made = {
        "outcome": Outcome.RENDERED,
        "file": f"invoice-{ordinal}.pdf",
        "sha256": hashlib.sha256(pdf or b"").hexdigest(),
    }
    known = {
        "ordinal": ordinal, "outcome": Outcome.FAILED, "code": "", "file": "", "type": "invoice",
        "number": str(ordinal),
        "order_id": ordinal, "refund_id": None,
        "date": "2026-11-30", "customer": "", "country": "DE", "currency": "EUR", "net": "1.00",
        "tax": "0.19", "total": "1.19", "pages": 1, "bytes": len(pdf or b""), "sha256": "",
    }  # fmt: skip
    return ManifestItem(**{**known, **(made if pdf is not None else {}), **changes})


def archive_of(request):
    return zipfile.ZipFile(open_artifacts(request.artifacts).path(request.key))


def built_apart(request):
    """What building an archive gives, and the most memory it takes, in bytes.

    In a child of its own, as packaging is: what libraries take outside of Python counts too.
    """
    receiver, sender = Pipe(duplex=False)
    child = get_context("spawn").Process(target=_tell, args=(request, sender))
    child.start()
    outcome, peak = receiver.recv()
    child.join()
    return outcome, peak


def _tell(request, sender):
    outcome = build_archive(request)
    sender.send((outcome, peak_memory()))
