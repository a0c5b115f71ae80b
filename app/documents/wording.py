"""The fixed words of a document, in the store's language where we have it and else in English.

A catalogue is one file per language: `signed_by` names the speaker who read its texts and stands
for them; null marks them as machine-made.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale

from app.documents.language import script_of

TEXTS: Final = Path(__file__).with_name("texts")
FALLBACK: Final = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's texts by key, with `{placeholders}`."""

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: str) -> str:
        """The text of a key, filled in. Values are put in as they are: braces in them mean nothing."""
        return self.texts[key].format(**values) if values else self.texts[key]


def wording_for(locale: Locale) -> Wording:
    """The most specific catalogue there is: `pt_BR`, else `pt`, else English; `zh_Hant` for Taiwan and Hong Kong."""
    for name in (str(locale), f"{locale.language}_{script_of(locale)}", locale.language):
        if (TEXTS / f"{name}.json").is_file():
            return _load(name)
    return _load(FALLBACK)


def languages() -> list[str]:
    """The languages that have a catalogue, as BCP 47 tags."""
    return sorted(file.stem.replace("_", "-") for file in TEXTS.glob("*.json"))


@cache
def _load(name: str) -> Wording:
    catalogue = json.loads((TEXTS / f"{name}.json").read_text(encoding="utf-8"))
    return Wording(language=name.partition("_")[0], texts=catalogue["texts"])
