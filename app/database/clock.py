"""The database's clock, which alone decides leases and lifetimes, on both databases.

Instants are `timestamptz` on PostgreSQL. SQLite has no such type: there they are text of one
fixed width in UTC, so that comparing text compares time.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


class Instant(TypeDecorator[datetime]):
    """An aware moment in UTC; naive values are refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """Text on SQLite, `timestamptz` elsewhere."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(String(27))
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse naive values; write UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs its zone")
        utc = value.astimezone(UTC)
        # strftime does not pad years below 1000 on Linux, isoformat does
        return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z" if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Always aware, always UTC."""
        if value is None:
            return None
        if isinstance(value, str):
            return datetime.fromisoformat(value).astimezone(UTC)
        return value.astimezone(UTC)  # type: ignore[no-any-return]


class _Now(FunctionElement[datetime]):
    type = Instant()
    inherit_cache = True
    name = "sheaf_now"


class _NowPlus(FunctionElement[datetime]):
    type = Instant()
    inherit_cache = True
    name = "sheaf_now_plus"


def now() -> ColumnElement[datetime]:
    """The database's time when this statement began."""
    return _Now()


def seconds_from_now(seconds: float | ColumnElement[float]) -> ColumnElement[datetime]:
    """The database's time this many seconds from now (negative: ago)."""
    return _NowPlus(seconds if isinstance(seconds, ColumnElement) else float(seconds))


@compiles(_Now, "postgresql")
def _(element: _Now, compiler: SQLCompiler, **_kw: Any) -> str:
    return "statement_timestamp()"


@compiles(_Now, "sqlite")
def _(element: _Now, compiler: SQLCompiler, **_kw: Any) -> str:
    return "(strftime('%Y-%m-%dT%H:%M:%f','now') || '000Z')"


@compiles(_NowPlus, "postgresql")
def _(element: _NowPlus, compiler: SQLCompiler, **kw: Any) -> str:
    return f"(statement_timestamp() + make_interval(secs => {compiler.process(element.clauses, **kw)}))"


@compiles(_NowPlus, "sqlite")
def _(element: _NowPlus, compiler: SQLCompiler, **kw: Any) -> str:
    seconds = compiler.process(element.clauses, **kw)
    return f"(strftime('%Y-%m-%dT%H:%M:%f','now', {seconds} || ' seconds') || '000Z')"
