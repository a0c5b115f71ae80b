"""The store's language: what its tag means, and where it is at home."""

from typing import Final

from babel import Locale, UnknownLocaleError
from babel.core import get_global

_WRITTEN_AS: Final = {"no": "nb", "nn": "nb"}
"""Norwegian has two written forms, which every reader of one reads; we have the words of the more common one."""


def locale_of(tag: str) -> Locale | None:
    """The locale of a BCP 47 tag such as `de-AT`, or of its language alone; None if unknown."""
    language, hyphen, rest = tag.partition("-")
    language = _WRITTEN_AS.get(language.lower(), language)
    for name in (f"{language}{hyphen}{rest}", language):
        try:
            return Locale.parse(name, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return None


def territory_of(locale: Locale) -> str:
    """The locale's country, or the one CLDR thinks likely: `en` in the US, `sv` in Sweden."""
    return locale.territory or _likely(locale).rpartition("_")[2]


def script_of(locale: Locale) -> str:
    """The locale's script, or the one CLDR thinks likely: `Hant` in Taiwan, `Hans` for Chinese alone."""
    return locale.script or "".join(_likely(locale).split("_")[1:2])


def _likely(locale: Locale) -> str:
    """Language, script and country, such as `zh_Hans_CN`; empty where CLDR knows none."""
    subtags: str = get_global("likely_subtags").get(str(locale), "")
    return subtags
