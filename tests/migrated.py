"""Databases that have their tables, without a process for each: `sheaf db upgrade` has tests of its own."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from weakref import WeakKeyDictionary

from app.database.engines import EngineLimits, sync_engine
from app.database.migrating import upgrade
from tests.servers import PostgresServer

LIMITS: Final = EngineLimits(connections=8, connect=5, statement=30, lock=10)
"""What a test's database connections may take."""

_templates: "WeakKeyDictionary[PostgresServer, str]" = WeakKeyDictionary()


def migrate(url: str) -> None:
    """Give the database at this address its tables, unless it has them."""
    engine = sync_engine(url, LIMITS)
    try:
        upgrade(engine)
    finally:
        engine.dispose()


@cache
def migrated_file() -> bytes:
    """A SQLite file with its tables."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sheaf.db"
        migrate(f"sqlite:///{file}")  # its last connection folds the write-ahead log into the file
        return file.read_bytes()


def migrated_database(server: PostgresServer) -> str:
    """The address of a new database with its tables: a copy, which takes less than migrating each."""
    if server not in _templates:
        template = server.create_database()
        migrate(server.url(template))
        _templates[server] = template
    return server.url(server.create_database(template=_templates[server]))
