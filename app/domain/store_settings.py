"""What a store says of itself on its documents, and the text in which a job freezes it."""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Final

from app.domain.document_type import DocumentType

PAPERS: Final = ("A4", "Letter")

_LABEL_ENDS: Final = "\t"
"""Between the label of a tax id and its number; printed as a space by releases that know one id only."""


class MissingGlyphs(StrEnum):
    """What becomes of a document with a character that no font has."""

    WARN = "warn"
    """It is printed with the character's code in its place, and its item has a warning."""
    FAIL = "fail"
    """Its item fails."""


@dataclass(frozen=True, slots=True)
class TaxId:
    """A number under which a tax office knows the store; without a label documents call it tax id."""

    number: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """A store's own way of laying out one type of document."""

    document_type: DocumentType
    html: str
    """A Jinja template; empty: ours."""
    css: str
    """Rules that come after ours."""


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The seller's side of a document, frozen into a job at planning."""

    name: str
    address: tuple[str, ...]
    tax_id: str
    """The text of `tax_ids`, as `tax_id_text` writes it."""
    locale: str
    """BCP 47, such as `en` or `de-AT`."""
    time_zone: str
    """IANA, such as `Europe/Vienna`."""
    paper: str
    """One of `PAPERS`."""
    logo: bytes | None = None
    """A checked PNG or JPEG, or nothing."""
    bank_lines: tuple[str, ...] = ()
    """How to pay by transfer."""
    footer: tuple[str, ...] = ()
    """What stands at the foot of each page."""
    accent: str = ""
    """The colour of headings, `#rrggbb`; empty for black."""
    number_keys: tuple[str, ...] = ()
    """Keys of an order's metadata that hold its invoice number, the first that is there counts; none: its own."""
    missing_glyphs: MissingGlyphs = MissingGlyphs.WARN
    country: str = ""
    """ISO 3166-1 alpha-2, for e-invoices; documents print the address alone."""
    vat_keys: tuple[str, ...] = ()
    """Keys of an order's metadata that hold the customer's VAT number, before those of the plugins that are known."""
    unit_keys: tuple[str, ...] = ()
    """Keys of a line's metadata that hold the unit of its quantity."""
    untaxed: str = ""
    """The VAT category of what is sold at home without tax, with its reason behind `=`; empty: nobody knows."""

    templates: tuple[OwnTemplate, ...] = ()
    """In the order of their types, one of each at most."""

    def template_of(self, document_type: DocumentType) -> OwnTemplate | None:
        """The store's own template of a type, None where it has ours."""
        return next((own for own in self.templates if own.document_type is document_type), None)

    def with_template(self, own: OwnTemplate) -> "StoreSettings":
        """The same settings with this template in place of the one that its type had."""
        others = self.without_template(own.document_type).templates
        return replace(self, templates=tuple(sorted((*others, own), key=lambda one: one.document_type)))

    def without_template(self, document_type: DocumentType) -> "StoreSettings":
        """The same settings with our template for this type."""
        return replace(self, templates=tuple(own for own in self.templates if own.document_type is not document_type))

    @property
    def tax_ids(self) -> tuple[TaxId, ...]:
        """The tax ids in the order in which they are printed."""
        return tuple(_tax_id(line) for line in self.tax_id.splitlines() if line.strip())


def tax_id_text(ids: tuple[TaxId, ...]) -> str:
    """Tax ids as text: a line each, its label before a tab."""
    return "\n".join(f"{one.label}{_LABEL_ENDS}{one.number}" if one.label else one.number for one in ids)


def _tax_id(line: str) -> TaxId:
    label, has_label, number = line.partition(_LABEL_ENDS)
    return TaxId(number, label) if has_label else TaxId(line)


def frozen(settings: StoreSettings) -> str:
    """The settings as JSON text, equal for equal settings; the release before this one reads it too.

    What came after the first release stands in it only if it is set, so that a new kind of setting makes no new
    version of stores that do not have it.
    """
    later = {
        "bank_lines": settings.bank_lines,
        "footer": settings.footer,
        "accent": settings.accent,
        "number_keys": settings.number_keys,
        "missing_glyphs": "" if settings.missing_glyphs is MissingGlyphs.WARN else settings.missing_glyphs,
        "country": settings.country,
        "vat_keys": settings.vat_keys,
        "unit_keys": settings.unit_keys,
        "untaxed": settings.untaxed,
        "templates": [asdict(own) for own in settings.templates],
    }
    return json.dumps(
        {
            "name": settings.name,
            "address": "\n".join(settings.address),
            "tax_id": settings.tax_id,
            "locale": settings.locale,
            "time_zone": settings.time_zone,
            "paper": settings.paper,
            "logo": None if settings.logo is None else base64.b64encode(settings.logo).decode(),
            **{name: value for name, value in later.items() if value},
        },
        sort_keys=True,
    )


def thawed(text: str) -> StoreSettings:
    """The settings in a text that this release or an earlier one froze."""
    stored: dict[str, Any] = json.loads(text)
    return StoreSettings(
        name=stored["name"],
        address=lines_of(stored["address"]),
        tax_id=stored["tax_id"],
        locale=stored["locale"],
        time_zone=stored["time_zone"],
        paper=stored["paper"],
        logo=None if stored["logo"] is None else base64.b64decode(stored["logo"]),
        # what follows did not exist in the first release
        bank_lines=tuple(stored.get("bank_lines", ())),
        footer=tuple(stored.get("footer", ())),
        accent=stored.get("accent", ""),
        number_keys=tuple(stored.get("number_keys", ())),
        missing_glyphs=MissingGlyphs(stored.get("missing_glyphs", MissingGlyphs.WARN)),
        country=stored.get("country", ""),
        vat_keys=tuple(stored.get("vat_keys", ())),
        unit_keys=tuple(stored.get("unit_keys", ())),
        untaxed=stored.get("untaxed", ""),
        templates=read_templates(stored.get("templates", ())),
    )


def templates_text(templates: tuple[OwnTemplate, ...]) -> str:
    """Own templates as JSON text; empty if there are none."""
    return json.dumps([asdict(own) for own in templates]) if templates else ""


def read_templates(stored: Iterable[Mapping[str, str]]) -> tuple[OwnTemplate, ...]:
    """Own templates from what JSON made of them."""
    return tuple(OwnTemplate(DocumentType(one["document_type"]), one["html"], one["css"]) for one in stored)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a stored text, without those that are empty."""
    return tuple(line for line in text.splitlines() if line.strip())
