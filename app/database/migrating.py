"""Migrating: bringing the database's schema to the revision that this release needs."""

from importlib.resources import files

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine

from app.database.tables import Table

LOCK_SECONDS = 5
"""A migration that cannot get its locks gives up instead of queueing every reader behind it."""


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


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
