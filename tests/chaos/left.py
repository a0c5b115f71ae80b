"""What is left when all processes of a run were told to end: no backend of theirs, no child, whoever its parent is."""

import signal
import time

import psycopg

from tests.chaos.journal import Journal
from tests.chaos.processes import marked
from tests.servers import send

BACKENDS = "SELECT pid, state, query FROM pg_stat_activity WHERE application_name = 'sheaf'"


def judge_what_lives(
    journal: Journal, connection: "psycopg.Connection[tuple[object, ...]]", mark: str, *, within: float
) -> None:
    """Nothing with the run's mark lives on, that many seconds later at the latest; what does is ended."""
    give_up_at = time.monotonic() + within
    while time.monotonic() < give_up_at and (connection.execute(BACKENDS).fetchall() or marked(mark)):
        time.sleep(0.1)
    for backend in connection.execute(BACKENDS):
        journal.violated(f"a backend is left: {backend}")
    for pid in marked(mark):
        journal.violated(f"a process is left: {pid}")
        send(pid, signal.SIGKILL)
