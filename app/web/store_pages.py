"""The page of the store's settings, put together: the form, its history, and what can be previewed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from fastapi import Response
from sqlalchemy.orm import Session

from app.api.services import Services
from app.database.holdings import newest_orders
from app.database.settings import Version, VersionNote, current_version, list_versions
from app.database.tables import OrderRow, StoreRow
from app.documents.settings import MAX_TAX_IDS
from app.documents.wording import languages
from app.domain.contrast import is_colour, on_white
from app.domain.principal import Right
from app.domain.store_settings import PAPERS, MissingGlyphs
from app.web.console import Console
from app.web.store_forms import form_of
from app.web.store_previews import NOTHING, Preview
from app.web.store_visits import Typed
from app.web.visitors import Visitor

_VERSIONS: Final = 10
_ORDERS: Final = 10
_TAX_IDS: Final = 2
"""Empty rows that are offered behind those that are filled."""
_ZONES: Final = ["UTC", *sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))]


@dataclass(frozen=True)
class Meanwhile:
    """What somebody else has changed since the form was opened."""

    version: Version
    theirs: Mapping[str, object]
    """What they have set in fields that were changed here too."""
    taken: Sequence[str]
    """Fields in which their change stands now."""


@dataclass(frozen=True)
class Said:
    """What a page of the store tells beside its settings."""

    refusals: Sequence[tuple[str, str]] = ()
    meanwhile: Meanwhile | None = None
    saved: int | None = None
    """The version that was just made."""
    preview: Preview = NOTHING
    status: int = 200


@dataclass(frozen=True)
class _Held:
    version: Version
    versions: Sequence[VersionNote]
    orders: Sequence[OrderRow]
    zone: ZoneInfo


async def store_page(
    console: Console, services: Services, visitor: Visitor, typed: Typed | None = None, said: Said = Said()
) -> Response:
    """The page, with what was typed or with the settings as they are."""
    owner = visitor.owner

    def read(tx: Session) -> _Held:
        store = tx.get_one(StoreRow, owner.store_id)
        version = current_version(tx, store)
        return _Held(
            version,
            list_versions(tx, store, limit=_VERSIONS),
            newest_orders(tx, owner.store_id, limit=_ORDERS),
            ZoneInfo(version.settings.time_zone),
        )

    async with services.database.reading() as tx:
        held = await tx.run_sync(read)
    shown = typed or Typed(form_of(held.version.settings), held.version.number)
    return console.pages.page(
        "store.html",
        status=said.status,
        headers=said.preview.headers,
        visitor=visitor,
        place="store",
        may_change=visitor.principal.may(Right.SETTINGS),
        said=said,
        errors=_errors(console, said.refusals),
        form=shown.form,
        typed=shown,
        tax_ids=_rows(shown),
        contrast=on_white(shown.form.accent.lower()) if is_colour(shown.form.accent.lower()) else None,
        papers=PAPERS,
        missing_glyphs=tuple(MissingGlyphs),
        owned={own.document_type for own in held.version.settings.templates},
        time_zones=_ZONES,
        languages=languages(),
        **vars(held),
    )


@dataclass(frozen=True, slots=True)
class _Error:
    text: str
    field: str
    href: str = ""


def _errors(console: Console, refusals: Sequence[tuple[str, str]]) -> list[_Error]:
    t = console.pages.texts
    return [_Error(t("errors.one", field=t(f"store.{name}"), reason=reason), name) for name, reason in refusals]


def _rows(typed: Typed) -> list[tuple[str, str]]:
    """Tax ids with room for more, as far as there is any."""
    filled: list[Any] = list(typed.form.tax_ids)
    return filled + [("", "")] * max(0, min(_TAX_IDS, MAX_TAX_IDS - len(filled)))
