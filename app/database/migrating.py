"""The schema's version: what it is, what this release needs, and how to get there."""

from functools import cache
from importlib.resources import files

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from app.database.tables import Table

LOCK_SECONDS = 5
"""A migration that cannot get its locks gives up instead of queueing every reader behind it."""


class SchemaOutdated(Exception):
    """The database's schema is not the one that this release works on."""

    def __init__(self, found: str | None, wanted: str) -> None:
        super().__init__(f"the database schema is at {found or 'nothing'}, this release needs {wanted}")
        self.found = found
        self.wanted = wanted


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def head() -> str:
    """The revision that this release needs."""
    wanted = _scripts().get_current_head()
    if wanted is None:
        raise RuntimeError("the distribution carries no migrations")
    return wanted


def outgrown() -> frozenset[str]:
    """The revisions on which this release does not work any more: all before its own."""
    return frozenset(script.revision for script in _scripts().walk_revisions()) - {head()}


@cache
def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def current(engine: Engine) -> str | None:
    """The revision that the database is at; None before the first migration."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def require_head(engine: Engine) -> None:
    """Raise `SchemaOutdated` unless the database is where this release needs it, or where a later one does.

    During a deploy the schema is ahead of the hosts, and one of them that starts again must still find its work:
    migrations are safe with the previous release running.
    """
    found = current(engine)
    if found is None or found in outgrown():
        raise SchemaOutdated(found, head())


def upgrade(engine: Engine) -> None:
    """Bring the database to this release's revision."""
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET lock_timeout = '{LOCK_SECONDS}s'")
            connection.commit()
        command.upgrade(_config(connection), "head")


def differences(engine: Engine) -> list[object]:
    """What the migrated schema and the tables in the code disagree about; empty when all is well."""
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, Table.metadata))
