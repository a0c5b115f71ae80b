"""What stands in the form of a store's settings: from the settings to it, and from it to their change."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from app.domain.store_settings import StoreSettings, TaxId
from app.web.forms import Form


@dataclass(frozen=True)
class StoreForm:
    """The settings as they are typed: lists are texts with a line for each."""

    name: str
    address: str
    tax_ids: tuple[tuple[str, str], ...]
    """Label and number of each."""
    bank_lines: str
    footer: str
    accent: str
    paper: str
    locale: str
    time_zone: str
    number_keys: str
    missing_glyphs: str
    country: str
    vat_keys: str
    unit_keys: str
    untaxed: str

    def changes(self) -> dict[str, Any]:
        """What a change of the settings is given: all of them but the logo."""
        return {
            "name": self.name,
            "address": _lines(self.address),
            "tax_ids": tuple(TaxId(number, label) for label, number in self.tax_ids),
            "bank_lines": _lines(self.bank_lines),
            "footer": _lines(self.footer),
            "accent": self.accent,
            "paper": self.paper,
            "locale": self.locale or None,
            "time_zone": self.time_zone or None,
            "number_keys": _lines(self.number_keys),
            "missing_glyphs": self.missing_glyphs or None,
            "country": self.country,
            "vat_keys": _lines(self.vat_keys),
            "unit_keys": _lines(self.unit_keys),
            "untaxed": self.untaxed,
        }


FIELDS: Final = tuple(field.name for field in fields(StoreForm))


def form_of(settings: StoreSettings) -> StoreForm:
    """The form as it is opened."""
    return StoreForm(
        name=settings.name,
        address="\n".join(settings.address),
        tax_ids=tuple((one.label, one.number) for one in settings.tax_ids),
        bank_lines="\n".join(settings.bank_lines),
        footer="\n".join(settings.footer),
        accent=settings.accent,
        paper=settings.paper,
        locale=settings.locale,
        time_zone=settings.time_zone,
        number_keys="\n".join(settings.number_keys),
        missing_glyphs=settings.missing_glyphs,
        country=settings.country,
        vat_keys="\n".join(settings.vat_keys),
        unit_keys="\n".join(settings.unit_keys),
        untaxed=settings.untaxed,
    )


def typed_in(form: Form) -> StoreForm:
    """The form as it was sent; browsers send lines with carriage returns."""
    rows = zip(form.all("tax_label"), form.all("tax_number"), strict=False)
    ids = tuple((label.strip(), number.strip()) for label, number in rows if label.strip() or number.strip())
    texts = {name: form.get(name).replace("\r\n", "\n").strip() for name in FIELDS if name != "tax_ids"}
    return StoreForm(tax_ids=ids, **texts)


@dataclass(frozen=True, slots=True)
class Merged:
    """What was typed over settings that somebody else has changed meanwhile."""

    form: StoreForm
    """Their changes, and what was typed where both have changed something."""
    theirs: Mapping[str, object]
    """What they have set in the fields that were changed here too."""
    taken: tuple[str, ...]
    """The fields in which their change stands now."""


def merged(typed: StoreForm, *, base: StoreForm | None, current: StoreForm) -> Merged:
    """Carry what was typed over to the settings as they are now; `base` is what the form was opened with, if known."""
    theirs, taken = {}, []
    for name, mine, now in _differences(typed, current):
        if base is not None and mine == getattr(base, name):
            taken.append(name)
        elif base is None or now != getattr(base, name):
            theirs[name] = now
    form = replace(typed, **{name: getattr(current, name) for name in taken})
    return Merged(form, theirs, tuple(taken))


def _differences(one: StoreForm, other: StoreForm) -> Iterator[tuple[str, Any, Any]]:
    for name in FIELDS:
        if getattr(one, name) != getattr(other, name):
            yield name, getattr(one, name), getattr(other, name)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
