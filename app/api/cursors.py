"""Keyset cursors, bound to their owner and list."""

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any

from app.api.problems import ProblemError
from app.domain.codes import Problem
from app.domain.principal import Owner


def encode(owner: Owner, listing: str, after: list[Any]) -> str:
    """A cursor that goes on behind `after` in this owner's list; `listing` names it with its filters."""
    text = json.dumps([_binding(owner, listing), *after])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(owner: Owner, listing: str, cursor: str) -> list[Any]:
    """What `encode` was given; raises the problem `cursor_invalid` for any other text or list.

    The binding keeps honest callers from mixing lists up. It is no secret: every query filters by
    owner anyway, so a forged cursor shows nobody else's rows.
    """
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        found = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise ProblemError(Problem.CURSOR_INVALID) from None
    if not isinstance(found, list) or not found or not isinstance(found[0], str):
        raise ProblemError(Problem.CURSOR_INVALID)
    if not hmac.compare_digest(found[0].encode(), _binding(owner, listing).encode()):
        raise ProblemError(Problem.CURSOR_INVALID)
    return found[1:]


def _binding(owner: Owner, listing: str) -> str:
    return hashlib.sha256(json.dumps([owner.store, owner.name, listing]).encode()).hexdigest()[:16]
