"""Which revision the database's schema is at, and which ones this release works on.

Alembic is loaded by whoever migrates: a host that starts only asks, and asks without it.
"""

from functools import cache
from importlib.resources import files

from sqlalchemy import Engine, inspect, text


class SchemaOutdated(Exception):
    """The database's schema is not the one that this release works on."""

    def __init__(self, found: str | None, wanted: str) -> None:
        super().__init__(f"the database schema is at {found or 'nothing'}, this release needs {wanted}")
        self.found = found
        self.wanted = wanted


@cache
def revisions() -> tuple[str, ...]:
    """All of them, oldest first: the name of a migration's file begins with its revision, and they sort by it."""
    scripts = (script.name for script in (files("migrations") / "versions").iterdir())
    found = tuple(sorted(name.removesuffix(".py").partition("_")[0] for name in scripts if name.endswith(".py")))
    if not found:
        raise RuntimeError("the distribution carries no migrations")
    return found


def head() -> str:
    """The revision that this release needs."""
    return revisions()[-1]


def outgrown() -> frozenset[str]:
    """The revisions on which this release does not work any more: all before its own."""
    return frozenset(revisions()[:-1])


def current(engine: Engine) -> str | None:
    """The revision that the database is at; None before the first migration."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return found


def require_head(engine: Engine) -> None:
    """Raise `SchemaOutdated` unless the database is where this release needs it, or where a later one does.

    During a deploy the schema is ahead of the hosts, and one of them that starts again must still find its work:
    migrations are safe with the previous release running.
    """
    found = current(engine)
    if found is None or found in outgrown():
        raise SchemaOutdated(found, head())
