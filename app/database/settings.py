"""The settings of stores and their versions: one for each change, with its number, its author and its time.

The columns of a store's row are its settings; a version is a copy of them that stays. A release that knows no
versions changes the columns alone; whoever comes next finds that and writes the version down.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session, aliased, undefer

from app.database.clock import seconds_from_now
from app.database.lifetimes import database_time
from app.database.tables import JobRow, StoreRow, StoreVersionRow
from app.domain.lifecycle import ACTIVE
from app.domain.store_settings import (
    MissingGlyphs,
    StoreSettings,
    frozen,
    lines_of,
    read_templates,
    templates_text,
    thawed,
)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a store's settings."""

    number: int
    settings: StoreSettings
    changed_by: str | None
    """An owner's name; None for an operator on the command line."""
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class VersionNote:
    """Who made a version, and when; as in `Version`."""

    number: int
    changed_by: str | None
    changed_at: datetime


class SettingsChanged(Exception):
    """The settings are at another version than the one that was to be changed."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def settings_of(store: StoreRow) -> StoreSettings:
    """The settings in a store's columns."""
    return StoreSettings(
        name=store.name,
        address=lines_of(store.address),
        tax_id=store.tax_id,
        locale=store.locale,
        time_zone=store.time_zone,
        paper=store.paper,
        logo=store.logo,
        bank_lines=lines_of(store.bank_lines),
        footer=lines_of(store.footer),
        accent=store.accent,
        number_keys=lines_of(store.number_keys),
        missing_glyphs=MissingGlyphs(store.missing_glyphs),
        country=store.country,
        vat_keys=lines_of(store.vat_keys),
        unit_keys=lines_of(store.unit_keys),
        untaxed=store.untaxed,
        templates=read_templates(json.loads(store.templates or "[]")),
    )


def columns_of(settings: StoreSettings) -> dict[str, Any]:
    """The columns of a store with these settings."""
    return {
        "name": settings.name,
        "address": "\n".join(settings.address),
        "tax_id": settings.tax_id,
        "locale": settings.locale,
        "time_zone": settings.time_zone,
        "paper": settings.paper,
        "logo": settings.logo,
        "bank_lines": "\n".join(settings.bank_lines),
        "footer": "\n".join(settings.footer),
        "accent": settings.accent,
        "number_keys": "\n".join(settings.number_keys),
        "missing_glyphs": settings.missing_glyphs.value,
        "country": settings.country,
        "vat_keys": "\n".join(settings.vat_keys),
        "unit_keys": "\n".join(settings.unit_keys),
        "untaxed": settings.untaxed,
        "templates": templates_text(settings.templates),
    }


def current_version(tx: Session, store: StoreRow) -> Version:
    """The settings as they are, with the number that they have, or will have once somebody writes them down."""
    newest, settings = _newest(tx, store), settings_of(store)
    if newest is None:
        return Version(1, settings, None, store.created_at)
    if newest.digest == _digest(frozen(settings)):
        return Version(newest.number, settings, newest.changed_by, newest.changed_at)
    return Version(newest.number + 1, settings, None, database_time(tx))


def list_versions(tx: Session, store: StoreRow, *, limit: int) -> list[VersionNote]:
    """The newest versions that are kept, the present one first."""
    now = current_version(tx, store)
    earlier = tx.execute(
        select(StoreVersionRow.number, StoreVersionRow.changed_by, StoreVersionRow.changed_at)
        .where(StoreVersionRow.store_id == store.id, StoreVersionRow.number < now.number)
        .order_by(StoreVersionRow.number.desc())
        .limit(limit - 1)
    )
    return [VersionNote(now.number, now.changed_by, now.changed_at), *(VersionNote(*row) for row in earlier)]


def find_version(tx: Session, store: StoreRow, number: int) -> Version | None:
    """A version that is still kept."""
    current = current_version(tx, store)
    if number == current.number:
        return current
    key = (store.id, number)
    row = tx.get(StoreVersionRow, key, options=[undefer(StoreVersionRow.settings)])
    return None if row is None else Version(number, thawed(row.settings), row.changed_by, row.changed_at)


def keep_version(tx: Session, store: StoreRow, *, changed_by: str | None = None) -> int:
    """The number of the store's settings as they are, written down if they are not; reads the row anew for that."""
    newest = _newest(tx, store)
    if newest is not None and newest.digest == _digest(frozen(settings_of(store))):
        return newest.number
    lock_store(tx, store.id)
    newest, text = _newest(tx, store), frozen(settings_of(store))
    digest = _digest(text)
    if newest is not None and newest.digest == digest:
        return newest.number
    number = 1 if newest is None else newest.number + 1
    tx.add(StoreVersionRow(store_id=store.id, number=number, settings=text, digest=digest, changed_by=changed_by))
    tx.flush()
    return number


def change_settings(
    tx: Session,
    store_id: int,
    change: Callable[[StoreSettings], StoreSettings],
    *,
    changed_by: str | None,
    expected: Collection[int] | None = None,
) -> Version:
    """Change a store's settings; what changes nothing makes no version. Planned exports keep what they froze.

    Raises `SettingsChanged` if `expected` is given and has not the present number, and whatever `change` raises.
    """
    store = lock_store(tx, store_id)
    before = keep_version(tx, store)
    if expected is not None and before not in expected:
        raise SettingsChanged(before)
    for column, value in columns_of(change(settings_of(store))).items():
        setattr(store, column, value)
    tx.flush()
    keep_version(tx, store, changed_by=changed_by)
    return current_version(tx, store)


def lock_store(tx: Session, store_id: int) -> StoreRow:
    """The store's row as it is now, which nobody else changes before this transaction ends. Behind a job's lock."""
    locked = select(StoreRow).where(StoreRow.id == store_id).with_for_update(key_share=True)
    return tx.scalars(locked, execution_options={"populate_existing": True}).one()


def forget_old_settings(tx: Session, *, record_ttl: float) -> int:
    """Delete versions that no job refers to, made longer than `record_ttl` seconds ago; never a store's newest.

    Somebody may be planning with the version that was the newest until now: that job was there before the next
    version was, so a store with a job that is not planned yet is left alone.
    """
    later = aliased(StoreVersionRow)
    is_followed = exists().where(later.store_id == StoreVersionRow.store_id, later.number > StoreVersionRow.number)
    of_store = JobRow.store_id == StoreVersionRow.store_id
    is_needed = exists().where(of_store, JobRow.store_version == StoreVersionRow.number)
    is_planned_with = exists().where(of_store, JobRow.state.in_(ACTIVE), JobRow.planned_at.is_(None))
    gone = tx.scalars(
        delete(StoreVersionRow)
        .where(StoreVersionRow.changed_at < seconds_from_now(-record_ttl), is_followed, ~is_needed, ~is_planned_with)
        .returning(StoreVersionRow.number)
        .execution_options(synchronize_session=False)
    )
    return len(gone.all())


def _newest(tx: Session, store: StoreRow) -> StoreVersionRow | None:
    of_store = StoreVersionRow.store_id == store.id
    newest = select(func.max(StoreVersionRow.number)).where(of_store).scalar_subquery()
    return tx.scalars(select(StoreVersionRow).where(of_store, StoreVersionRow.number == newest)).one_or_none()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
