"""Tokens without a process for each: `sheaf tokens create` has tests of its own."""

from app.cli.stores import store_or_new
from app.database.engines import sync_engine
from app.database.stores import create_token
from app.database.transactions import Database
from app.domain.principal import Right
from tests.migrated import LIMITS


def mint(url: str, owner: str = "alice", store: str = "demo") -> str:
    """A new token with every right in the migrated database at this address; an unknown store is made."""
    database = Database(sync_engine(url, LIMITS))
    try:
        with database.transaction() as tx:
            row = store_or_new(tx, store)
            return create_token(tx, store_id=row.id, owner=owner, rights=frozenset(Right), expires_at=None).text
    finally:
        database.close()
