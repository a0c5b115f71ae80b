"""What a store may say of itself: each setting is checked here, whoever sets it and by whichever way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError

from app.documents.einvoices.codes import is_country
from app.documents.einvoices.draft import Category
from app.documents.logo import LogoRefused, checked_logo
from app.domain.contrast import READABLE, is_colour, on_white
from app.domain.store_settings import PAPERS, MissingGlyphs, StoreSettings, TaxId, tax_id_text

MAX_LINE: Final = 200
MAX_ADDRESS_LINES: Final = 8
MAX_TAX_IDS: Final = 5
MAX_LABEL: Final = 40
MAX_FOOT_LINES: Final = 4
"""Of the bank, and of the footer: they stand at the foot of each page and take its room from what was bought."""
MAX_FOOT_LINE: Final = 80
MAX_NUMBER_KEYS: Final = 5
"""Of numbers, and of VAT numbers and units."""
MAX_LOCALE: Final = 35
"""Characters, as the database keeps them; so long is the longest tag that RFC 5646 foresees without extensions."""

_PRINTED_TOO: Final = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""What Python calls unprintable and people write: the spaces inside an IBAN, and what joins letters of Persian."""


class SettingRefused(ValueError):
    """A setting that no document can show; `field` names it, `reason` says what it takes."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


def changed(settings: StoreSettings, changes: Mapping[str, Any]) -> StoreSettings:
    """The settings with those that are named in `changes` set anew; raises `SettingRefused`.

    None stands for the default, as in a JSON merge patch.
    """
    new: dict[str, Any] = dict(_checked(field, value) for field, value in changes.items())
    return replace(settings, **new)


def refusals(changes: Mapping[str, Any]) -> list[SettingRefused]:
    """Everything that is wrong with these changes, for whoever mends all of it at once."""
    found = []
    for field, value in changes.items():
        try:
            _checked(field, value)
        except SettingRefused as refused:
            found.append(refused)
    return found


def _checked(field: str, value: Any) -> tuple[str, object]:
    """The attribute in which a setting is kept, and what is kept there; raises `SettingRefused`."""
    attribute, check = _CHECKS[field]
    try:
        return attribute, check(value)
    except _Refused as refused:
        raise SettingRefused(field, str(refused)) from None


class _Refused(ValueError):
    """The reason alone; its field is known where it is caught."""


def _name(value: str | None) -> str:
    name = "" if value is None else _line(value, MAX_LINE)
    if not name:
        raise _Refused("it stands on every document and cannot be empty")
    return name


def _address(value: Sequence[str] | None) -> tuple[str, ...]:
    return _lines(value, at_most=MAX_ADDRESS_LINES, length=MAX_LINE)


def _foot(value: Sequence[str] | None) -> tuple[str, ...]:
    return _lines(value, at_most=MAX_FOOT_LINES, length=MAX_FOOT_LINE)


def _number_keys(value: Sequence[str] | None) -> tuple[str, ...]:
    return _lines(value, at_most=MAX_NUMBER_KEYS, length=MAX_LINE)


def _country(value: str | None) -> str:
    code = (value or "").upper()
    if code and not is_country(code):
        raise _Refused(f"“{code[:20]}” is no country code; examples: DE, GB, US")
    return code


_UNTAXED: Final = (Category.ZERO, Category.EXEMPT, Category.OUT_OF_SCOPE)


def _untaxed(value: str | None) -> str:
    """A category, and the reason that exempt sales must have on an e-invoice (BR-E-10)."""
    code, _, reason = (part.strip() for part in _line(value or "", MAX_LINE).partition("="))
    if not code:
        return ""
    if code.upper() not in _UNTAXED:
        raise _Refused(f"“{code[:20]}” is none of Z (zero rated), E (exempt) and O (not subject to VAT)")
    if code.upper() == Category.EXEMPT and not reason:
        raise _Refused("what is exempt needs its reason: E=VAT exempt under …")
    return f"{code.upper()}={reason}" if reason else code.upper()


def _tax_ids(value: Sequence[TaxId] | None) -> str:
    ids = value or ()
    if len(ids) > MAX_TAX_IDS:
        raise _Refused(f"there is room for {MAX_TAX_IDS}")
    checked = tuple(TaxId(_line(one.number, MAX_LINE), _line(one.label, MAX_LABEL)) for one in ids)
    if any(not one.number for one in checked):
        raise _Refused("each needs its number")
    return tax_id_text(checked)


def _accent(value: str | None) -> str:
    colour = (value or "").lower()
    if not colour:
        return ""
    if not is_colour(colour):
        raise _Refused("it takes a colour such as #1a4d8f")
    ratio = on_white(colour)
    if ratio < READABLE:
        # rounded down, so that what is refused never reads like what is enough
        raise _Refused(
            f"{colour} has a contrast of {int(ratio * 100) / 100:.2f} to 1 against white, "
            f"and text needs at least {READABLE:g} to 1 (WCAG 2.2): take a darker one"
        )
    return colour


def _locale(value: str | None) -> str:
    tag = "en" if value is None else value
    if len(tag) > MAX_LOCALE or not _is_known(tag):
        raise _Refused(f"“{tag[:40]}” is no locale that is known; examples: en, en-GB, de-AT")
    return tag


def _is_known(tag: str) -> bool:
    try:
        Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return False
    return True


def _time_zone(value: str | None) -> str:
    name = "UTC" if value is None else value
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _Refused(f"“{name[:40]}” is no IANA time zone; examples: UTC, Europe/Vienna") from None


def _paper(value: str | None) -> str:
    if value is None:
        return PAPERS[0]
    for paper in PAPERS:
        if value.lower() == paper.lower():
            return paper
    raise _Refused(f"“{value[:40]}” is no paper that we print on: {' or '.join(PAPERS)}")


def _missing_glyphs(value: str | None) -> MissingGlyphs:
    try:
        return MissingGlyphs(value or MissingGlyphs.WARN)
    except ValueError:
        raise _Refused(f"“{str(value)[:40]}” is neither of {' and '.join(MissingGlyphs)}") from None


def _logo(value: bytes | None) -> bytes | None:
    if value is None:
        return None
    try:
        return checked_logo(value)
    except LogoRefused as refused:
        raise _Refused(str(refused)) from None


_CHECKS: Final[Mapping[str, tuple[str, Callable[[Any], object]]]] = {
    "name": ("name", _name),
    "address": ("address", _address),
    "tax_ids": ("tax_id", _tax_ids),
    "bank_lines": ("bank_lines", _foot),
    "footer": ("footer", _foot),
    "accent": ("accent", _accent),
    "logo": ("logo", _logo),
    "paper": ("paper", _paper),
    "locale": ("locale", _locale),
    "time_zone": ("time_zone", _time_zone),
    "number_keys": ("number_keys", _number_keys),
    "missing_glyphs": ("missing_glyphs", _missing_glyphs),
    "country": ("country", _country),
    "vat_keys": ("vat_keys", _number_keys),
    "unit_keys": ("unit_keys", _number_keys),
    "untaxed": ("untaxed", _untaxed),
}
"""Each setting by the name that people know, with the attribute it is kept in and its check."""

NAMES: Final = tuple(_CHECKS)


def _lines(value: Sequence[str] | None, *, at_most: int, length: int) -> tuple[str, ...]:
    checked = tuple(line for line in (_line(line, length) for line in value or ()) if line)
    if len(checked) > at_most:
        raise _Refused(f"there is room for {at_most} lines")
    return checked


def _line(text: str, length: int) -> str:
    if len(text) > length or not all(char.isprintable() or char in _PRINTED_TOO for char in text):
        raise _Refused(f"it takes one line of at most {length} printable characters")
    return text.strip()
