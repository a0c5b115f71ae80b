"""A store's settings as the server answers them, as frozen values."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter

from app.client.answers import read


@dataclass(frozen=True, slots=True)
class TaxNumber:
    """A number under which a tax office knows the store."""

    number: str
    label: str


@dataclass(frozen=True, slots=True)
class LogoFacts:
    """The picture at the top of every document."""

    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What stands on every document of the store."""

    key: str
    version: int
    changed_at: datetime
    changed_by: str | None
    name: str
    address: tuple[str, ...]
    tax_ids: tuple[TaxNumber, ...]
    bank_lines: tuple[str, ...]
    footer: tuple[str, ...]
    accent: str | None
    logo: LogoFacts | None
    paper: str
    locale: str
    time_zone: str
    number_keys: tuple[str, ...]
    templates: tuple[str, ...] = ()
    missing_glyphs: str = "warn"
    """What becomes of an item with a character that no font has."""
    country: str | None = None
    vat_keys: tuple[str, ...] = ()
    unit_keys: tuple[str, ...] = ()
    untaxed: str | None = None
    document: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON as it was sent."""


@dataclass(frozen=True, slots=True)
class Template:
    """A store's own layout of one type of document, and ours."""

    document_type: str
    template: str | None
    """The store's own Jinja text; None where it is ours."""
    style: str | None
    """The store's own CSS, which comes after ours; None where it has none."""
    ours: str


def read_template(document: dict[str, Any]) -> Template:
    """The layout of one type."""
    return read(_TEMPLATE, document)


def read_store(document: dict[str, Any]) -> StoreSettings:
    """The settings, with the JSON they came as."""
    return read(_STORE, {**document, "document": document})


_STORE: Final = TypeAdapter(StoreSettings)
_TEMPLATE: Final = TypeAdapter(Template)
