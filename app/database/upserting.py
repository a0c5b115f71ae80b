"""INSERT … ON CONFLICT, which both databases know and SQLAlchemy has in each one's dialect."""

from sqlalchemy.dialects.postgresql import Insert
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from app.database.tables import Table


def upsert(tx: Session, table: type[Table]) -> Insert:
    """An INSERT into the table that can say what to do about a row that is in the way."""
    if tx.get_bind().dialect.name == "sqlite":
        # of another class, with the same methods
        return sqlite_insert(table)  # type: ignore[return-value]
    return postgresql_insert(table)
