"""Worker hosts' signs of life, and duties that one process at a time holds."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.elements import ColumnElement

from app.database.clock import now, seconds_from_now
from app.database.tables import FactRow, HostRow, LeaseRow
from app.database.upserting import upsert

HOST_TTL = 15.0
"""Seconds without a sign of life after which a host counts as gone; the length of a lease."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """How many worker hosts live, how many of them can render, and on how many steps at a time these work."""

    alive: int
    able: int
    slots: int


def sign_in(tx: Session, *, host_id: UUID, name: str, can_render: bool, slots: int) -> None:
    """Show that this host lives; the first time makes its row."""
    seen = tx.scalars(
        update(HostRow)
        .where(HostRow.id == host_id)
        .values(seen_at=now(), can_render=can_render)
        .returning(HostRow.id)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if seen is None:
        tx.add(HostRow(id=host_id, name=name, can_render=can_render, slots=slots))
        tx.flush()


def sign_out(tx: Session, host_id: UUID) -> None:
    """A host that ends in order leaves no row behind."""
    tx.execute(delete(HostRow).where(HostRow.id == host_id))


def fleet(tx: Session) -> Fleet:
    """The live hosts."""
    return moment(tx)[1]


def moment(tx: Session) -> tuple[datetime, Fleet]:
    """The database's time and the hosts that live then."""
    at, alive, able, slots = tx.execute(census()).one()
    return at, Fleet(alive, able, slots)


def census() -> Select[datetime, int, int, int]:
    """The one row of `moment`: the time, then what a `Fleet` is made of."""
    able = func.count().filter(HostRow.can_render)
    slots = func.coalesce(func.sum(HostRow.slots).filter(HostRow.can_render), 0)
    return select(now().label("at"), func.count().label("alive"), able.label("able"), slots.label("slots")).where(
        is_live()
    )


def is_live() -> ColumnElement[bool]:
    """Of a host's row: it has shown a sign of life of late."""
    return HostRow.seen_at >= seconds_from_now(-HOST_TTL)


def live_hosts(tx: Session) -> list[HostRow]:
    """The rows of the live hosts, by name."""
    return list(tx.scalars(select(HostRow).where(is_live()).order_by(HostRow.name)))


def is_alive(tx: Session, name: str) -> bool:
    """Whether a worker process on the machine of this name has shown that it lives."""
    return bool(tx.scalar(select(func.count()).where(is_live(), HostRow.name.startswith(f"{name}:", autoescape=True))))


def forget_dead_hosts(tx: Session) -> None:
    """Remove rows of hosts that have been silent for an hour."""
    tx.execute(delete(HostRow).where(HostRow.seen_at < seconds_from_now(-3600)))


def take_lease(tx: Session, name: str, *, holder: UUID, seconds: float) -> bool:
    """Take or keep a named duty by a guarded write; False while another holds it."""
    statement = upsert(tx, LeaseRow).values(name=name, holder=holder, lease_until=seconds_from_now(seconds))
    taken = tx.scalars(
        statement.on_conflict_do_update(
            index_elements=[LeaseRow.name],
            set_={"holder": holder, "lease_until": seconds_from_now(seconds)},
            where=or_(LeaseRow.holder == holder, LeaseRow.lease_until < now()),
        ).returning(LeaseRow.name)
    ).one_or_none()
    return taken is not None


def find_fact(tx: Session, name: str) -> str | None:
    """A fact of the installation, if anybody has set it."""
    return tx.scalars(select(FactRow.value).where(FactRow.name == name)).one_or_none()


def fact(tx: Session, name: str, *, if_new: str) -> str:
    """A fact of the installation; the first one to ask sets it."""
    tx.execute(upsert(tx, FactRow).values(name=name, value=if_new).on_conflict_do_nothing())
    return tx.scalars(select(FactRow.value).where(FactRow.name == name)).one()


def set_fact(tx: Session, name: str, value: str) -> None:
    """Set a fact of the installation, whatever it was."""
    tx.execute(
        upsert(tx, FactRow)
        .values(name=name, value=value)
        .on_conflict_do_update(index_elements=[FactRow.name], set_={"value": value})
    )
