"""Ids that can be said before the database answers."""

import hashlib
import json
from typing import Final
from uuid import UUID, uuid5

NAMESPACE: Final = UUID("8d2f5c1e-7a43-5b8e-9c55-0d6a1f3b7e21")
"""Ours alone; a fixed value, since job ids are derived from it for ever."""


def job_id(*, store: str, owner: str, key: str) -> UUID:
    """The id of the job that this owner creates with this idempotency key.

    Derived (UUID version 5), so that an answer can name the job although its INSERT is undecided.
    """
    return uuid5(NAMESPACE, json.dumps([store, owner, key]))


def fingerprint(body: object) -> str:
    """SHA-256 hex of a JSON body in canonical form: what "the same request" means."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()
