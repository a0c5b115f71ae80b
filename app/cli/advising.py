"""Which command helps after a problem."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from uuid import UUID

    from app.client import Problem

_OF_THIS: Final[Mapping[str, tuple[str, ...]]] = {
    "already_finished": ("See how it ended: sheaf export status {id}",),
    "export_active": ("Cancel it first: sheaf export cancel {id}", "Or wait for its end: sheaf export wait {id}"),
    "export_cancelled": ("What was cancelled stays so. Create it anew: sheaf export create …",),
    "nothing_to_retry": ("See what has no document, and why: sheaf export failures {id}",),
    "not_ready": ("Wait for it: sheaf export wait {id}",),
    "no_archive": ("See why: sheaf export status {id}", "Try again what can be tried: sheaf export retry {id}"),
    "archive_expired": (
        "Its items are still listed: sheaf export manifest {id}",
        "Create it anew: sheaf export create …",
    ),
}
"""By code: what helps with the export that the command was about."""

_OF_THE_OTHER: Final[Mapping[str, tuple[str, ...]]] = {
    "active_export_exists": (
        "It is {id}. Follow it with: sheaf export wait {id}",
        "Or end it with: sheaf export cancel {id}",
    ),
    "retry_unplanned": ("The retry is {id}. Wait for it: sheaf export wait {id}",),
}
"""By code: what helps with the export that the problem names."""

_ALWAYS: Final[Mapping[str, tuple[str, ...]]] = {
    "unauthenticated": ("Make a token: sheaf tokens create --owner NAME --store KEY",),
    "selection_empty": ("Widen the selection. See what the store has: sheaf orders list",),
    "selection_too_large": ("Split it, by date for example. See the parts: sheaf export preview --from … --to …",),
    "idempotency_key_reused": ("Take another --key, or see what this one made: sheaf export list",),
    "export_deleted": ("Take another --key to create it anew.",),
    "precondition_failed": ("See what they are now: sheaf store show",),
    "renderer_unavailable": ("On the server's machine: sheaf doctor",),
}
"""By code: what helps whatever the command was about."""


def next_commands(problem: "Problem", export_id: "UUID | None") -> list[str]:
    """Lines that name what to type next; none where the server's own hint says all that there is to say."""
    if problem.code == "not_found" and export_id is not None:
        return ["See: sheaf export list"]
    other = str(problem.extra.get("export") or "").rpartition("/")[2]
    for table, name in ((_OF_THIS, str(export_id or "")), (_OF_THE_OTHER, other)):
        if problem.code in table and name:
            return [line.format(id=name) for line in table[problem.code]]
    return list(_ALWAYS.get(problem.code, ()))
