"""Triggers that write down every change of a job's state, an item's outcome and a step's claim.

They are put into the private database by the run itself. A change and its line commit together, so
the tables tell exactly what was committed, whoever did it.
"""

from dataclasses import dataclass
from typing import Final

import psycopg

TABLES: Final = """
CREATE TABLE chaos_jobs (
    seq bigserial, at timestamptz DEFAULT clock_timestamp(), job_id uuid, old_state text, new_state text,
    old_revision int, new_revision int
);
CREATE TABLE chaos_items (
    seq bigserial, at timestamptz DEFAULT clock_timestamp(), job_id uuid, ordinal int, old_outcome text,
    new_outcome text
);
CREATE TABLE chaos_steps (
    seq bigserial, at timestamptz DEFAULT clock_timestamp(), job_id uuid, step_id bigint, kind text, ordinal int,
    attempt int, state text, host text, lapses int
);
"""

TRIGGERS: Final = """
CREATE FUNCTION chaos_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos_jobs (job_id, old_state, new_state, old_revision, new_revision)
    VALUES (NEW.id, OLD.state, NEW.state, OLD.revision, NEW.revision); RETURN NULL; END $$;
CREATE FUNCTION chaos_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos_items (job_id, ordinal, old_outcome, new_outcome)
    VALUES (NEW.job_id, NEW.ordinal, OLD.outcome, NEW.outcome); RETURN NULL; END $$;
CREATE FUNCTION chaos_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos_steps (job_id, step_id, kind, ordinal, attempt, state, host, lapses)
    VALUES (NEW.job_id, NEW.id, NEW.kind, NEW.ordinal, NEW.attempt, NEW.state, NEW.host, NEW.lapses);
    RETURN NULL; END $$;
-- any change at all of a job that has ended is written down, of a living one only its state's
CREATE TRIGGER chaos_job AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR (OLD.state IN ('completed', 'failed', 'cancelled') AND OLD IS DISTINCT FROM NEW))
    EXECUTE FUNCTION chaos_job();
-- likewise for an item that was settled
CREATE TRIGGER chaos_item AFTER UPDATE ON items FOR EACH ROW
    WHEN (OLD.outcome <> NEW.outcome OR OLD.outcome <> 'pending') EXECUTE FUNCTION chaos_item();
CREATE TRIGGER chaos_step AFTER UPDATE ON steps FOR EACH ROW
    WHEN (OLD.state <> NEW.state OR OLD.attempt <> NEW.attempt) EXECUTE FUNCTION chaos_step();
"""


@dataclass(frozen=True, slots=True)
class StepChange:
    """One committed change of a step: a claim, its end, or its return."""

    at: float
    job_id: str
    step_id: int
    kind: str
    ordinal: int
    attempt: int
    state: str
    host: str
    lapses: int

    def __str__(self) -> str:
        where = f" at {self.host}" if self.state == "claimed" else ""
        return f"{self.kind} step {self.ordinal} {self.state}{where}, attempt {self.attempt}, lapses {self.lapses}"


@dataclass(frozen=True, slots=True)
class JobChange:
    """One committed change of a job's state, or of anything of a job that had ended."""

    at: float
    job_id: str
    old_state: str
    new_state: str

    def __str__(self) -> str:
        return f"{self.old_state} → {self.new_state}"


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One committed change of an item's outcome, or of anything of an item that was settled."""

    at: float
    job_id: str
    ordinal: int
    old_outcome: str
    new_outcome: str

    def __str__(self) -> str:
        return f"item {self.ordinal}: {self.old_outcome} → {self.new_outcome}"


def install(connection: psycopg.Connection) -> None:
    """Put tables and triggers into a migrated database."""
    connection.execute(TABLES.encode())
    connection.execute(TRIGGERS.encode())


def step_changes(connection: psycopg.Connection) -> list[StepChange]:
    """All of them, in the order of their moments."""
    rows = connection.execute(
        "SELECT extract(epoch FROM at)::float8, job_id::text, step_id, kind, ordinal, attempt, state, "
        "coalesce(host, ''), lapses FROM chaos_steps ORDER BY at, seq"
    )
    return [StepChange(*row) for row in rows]


def job_changes(connection: psycopg.Connection) -> list[JobChange]:
    """All of them, in the order of their moments."""
    rows = connection.execute(
        "SELECT extract(epoch FROM at)::float8, job_id::text, old_state, new_state FROM chaos_jobs ORDER BY at, seq"
    )
    return [JobChange(*row) for row in rows]


def item_changes(connection: psycopg.Connection) -> list[ItemChange]:
    """All of them, in the order of their moments."""
    rows = connection.execute(
        "SELECT extract(epoch FROM at)::float8, job_id::text, ordinal, old_outcome, new_outcome "
        "FROM chaos_items ORDER BY at, seq"
    )
    return [ItemChange(*row) for row in rows]
