"""What the shell completes beyond the names of commands and options. Whatever fails completes nothing."""

import os
from itertools import islice
from typing import Final

from app.domain.document_type import DocumentType
from app.domain.lifecycle import JobState

_WITHIN: Final = 1.5
"""Seconds that somebody waits for a completion."""
_NEWEST: Final = 20


def export_ids(incomplete: str) -> list[tuple[str, str]]:
    """The owner's newest exports, each with how it stands."""
    return [(name, told) for name, told in _exports(None) if name.startswith(incomplete)]


def active_export_ids(incomplete: str) -> list[tuple[str, str]]:
    """The exports that can be waited for or cancelled."""
    active = frozenset(state.value for state in JobState if state.is_active)
    return [(name, told) for name, told in _exports(active) if name.startswith(incomplete)]


def document_types(incomplete: str) -> list[str]:
    """The types of document that this release knows."""
    return [kind.value for kind in DocumentType if kind.value.startswith(incomplete)]


def _exports(states: frozenset[str] | None) -> list[tuple[str, str]]:
    from app.cli.connecting import DEFAULT_URL
    from app.client import SheafClient, SheafError

    try:
        token = os.environ.get("SHEAF_TOKEN", "").strip()
        with SheafClient(os.environ.get("SHEAF_URL", DEFAULT_URL), token, patience=_WITHIN) as client:
            newest = list(islice(client.list_exports(), _NEWEST))
    except (SheafError, ValueError):
        return []
    return [
        (str(one.id), f"{one.state} {one.document_type} {one.created_at:%Y-%m-%d %H:%M}")
        for one in newest
        if states is None or one.state.value in states
    ]
