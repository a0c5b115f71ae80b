"""What a store says of itself on its documents, and the text in which a job freezes it."""

import base64
import json
from dataclasses import dataclass
from typing import Any, Final

_LABEL_ENDS: Final = "\t"
"""Between the label of a tax id and its number; printed as a space by releases that know one id only."""


@dataclass(frozen=True, slots=True)
class TaxId:
    """A number under which a tax office knows the store; without a label documents call it tax id."""

    number: str
    label: str = ""


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
    """`A4` or `Letter`."""
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
    )


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a stored text, without those that are empty."""
    return tuple(line for line in text.splitlines() if line.strip())
