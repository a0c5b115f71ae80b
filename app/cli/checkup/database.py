"""The database: whether it answers, is where this release needs it, lets us write, and tells the same time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.cli.checkup.lines import Findings, Line, Verdict
from app.cli.composing import database_url
from app.domain.lifecycle import ACTIVE
from app.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.orm import Session

    from app.database.transactions import Database

OLDEST_POSTGRESQL: Final = 140000
"""`client_connection_check_interval`, which ends statements that nobody waits for, came with 14."""
APART: Final = 2.0
FAR_APART: Final = 300.0
"""Seconds between clocks: beyond, signatures for S3 are refused and instants in logs mislead."""
MOST_LOOKED_AT: Final = 1000


@contextmanager
def engine_of(settings: Settings) -> Iterator["Engine"]:
    """An engine whose every wait is short."""
    from app.database.engines import EngineLimits, sync_engine

    engine = sync_engine(database_url(settings), EngineLimits(connections=1, connect=3, statement=5, lock=2))
    try:
        yield engine
    finally:
        engine.dispose()


def database(settings: Settings) -> Findings:
    """All that can be known of it over one connection."""
    from app.database.revisions import current, head
    from app.database.transactions import Database

    with engine_of(settings) as engine:
        yield _server(engine)
        found, wanted = current(engine), head()
        if found != wanted:
            yield Line(
                "schema",
                Verdict.BAD,
                f"It is at {found or 'nothing'}, this release needs {wanted}.",
                "Bring it there with: sheaf db upgrade",
            )
            return
        yield Line("schema", Verdict.OK, f"It is at {found}, as this release needs it.")
        yield _rights(engine)
        connected = Database(engine)
        with connected.reading() as tx:
            yield _clock(tx)
        yield from _hosts(connected)
        yield from _exports(connected, cancel_grace=settings.cancel_grace_seconds)


def known_artifacts(settings: Settings) -> str | None:
    """The identity of the artifacts that this installation uses; None if no process has set it."""
    from app.database.hosts import find_fact
    from app.database.transactions import Database

    with engine_of(settings) as engine, Database(engine).reading() as tx:
        return find_fact(tx, "artifacts")


def _server(engine: "Engine") -> Line:
    where = engine.url.render_as_string(hide_password=True)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            release = connection.exec_driver_sql("SELECT sqlite_version()").scalar_one()
            return Line("database", Verdict.OK, f"SQLite {release} at {engine.url.database}.")
        number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
        release = connection.exec_driver_sql("SHOW server_version").scalar_one()
    if number < OLDEST_POSTGRESQL:
        return Line("database", Verdict.BAD, f"PostgreSQL {release} at {where} is too old.", "Sheaf needs 14 or later")
    return Line("database", Verdict.OK, f"PostgreSQL {release} at {where}.")


def _rights(engine: "Engine") -> Line:
    from sqlalchemy import text

    from app.database.tables import Table

    if engine.dialect.name == "sqlite":
        file = Path(engine.url.database or "")
        denied = [str(path) for path in (file, file.parent) if not os.access(path, os.W_OK)]
        may = "write its file and its folder"
    else:
        asked = text(
            "SELECT name || ' (' || what || ')' FROM unnest(CAST(:tables AS text[])) AS name, "
            "unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS what "
            "WHERE NOT has_table_privilege(quote_ident(name), what)"
        )
        with engine.connect() as connection:
            denied = list(connection.execute(asked, {"tables": list(Table.metadata.tables)}).scalars())
        may = "read and write every table"
    if denied:
        return Line(
            "rights",
            Verdict.BAD,
            f"This user may not use: {', '.join(denied)}.",
            "Grant it, or use the owner's account",
        )
    return Line("rights", Verdict.OK, f"This user may {may}.")


def _clock(tx: "Session") -> Line:
    from app.database.lifetimes import database_time

    before = datetime.now(UTC)
    theirs = database_time(tx)
    after = datetime.now(UTC)
    apart = (theirs - (before + (after - before) / 2)).total_seconds()
    if abs(apart) <= APART:
        return Line("clock", Verdict.OK, f"The database's clock and this machine's are {abs(apart):.1f} s apart.")
    return Line(
        "clock",
        Verdict.BAD if abs(apart) > FAR_APART else Verdict.WARN,
        f"The database's clock is {abs(apart):.0f} s {'ahead of' if apart > 0 else 'behind'} this machine's.",
        "Set both by NTP. Leases do not depend on it; log lines, token expiry and S3 signatures do",
    )


def _hosts(database: "Database") -> Findings:
    from app.database.hosts import live_hosts

    with database.reading() as tx:
        hosts = live_hosts(tx)
    if not hosts:
        yield Line(
            "workers", Verdict.WARN, "No worker lives: exports are accepted and wait.", "sheaf worker, or sheaf serve"
        )
        return
    able = [host for host in hosts if host.can_render]
    names = ", ".join(
        f"{host.name} ({host.slots} slots{'' if host.can_render else ', cannot render'})" for host in hosts
    )
    if len(able) == len(hosts):
        yield Line("workers", Verdict.OK, f"Live: {names}.")
    else:
        verdict = Verdict.WARN if able else Verdict.BAD
        yield Line("workers", verdict, f"Live: {names}.", "Run sheaf doctor on each host that cannot render")


def _exports(database: "Database", *, cancel_grace: float) -> Findings:
    from app.exports.surveying import survey

    with database.reading() as tx:
        found = survey(tx, states=ACTIVE, store=None, owner=None, limit=MOST_LOOKED_AT, cancel_grace=cancel_grace)
    stuck = sum(one.is_stuck for one in found)
    if stuck:
        yield Line(
            "exports", Verdict.WARN, f"{stuck} of {len(found)} active ones are stuck.", "sheaf jobs list --stuck"
        )
    else:
        yield Line("exports", Verdict.OK, f"{len(found)} active, none is stuck." if found else "None is active.")
