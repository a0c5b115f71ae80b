"""The store's language: what its tag means, and where it is at home."""

from babel import Locale, UnknownLocaleError
from babel.core import get_global


def locale_of(tag: str) -> Locale | None:
    """The locale of a BCP 47 tag such as `de-AT`, or of its language alone; None if unknown."""
    for name in (tag, tag.partition("-")[0]):
        try:
            return Locale.parse(name, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return None


def territory_of(locale: Locale) -> str:
    """The locale's country, or the one CLDR thinks likely: `en` in the US, `sv` in Sweden."""
    if locale.territory:
        return locale.territory
    subtags: str = get_global("likely_subtags").get(str(locale), "")
    return subtags.rpartition("_")[2]
