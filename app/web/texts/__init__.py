"""What the console says, in a catalogue for each language."""

import json
from collections.abc import Mapping
from importlib.resources import files


class Texts:
    """The sentences of one language, by key. Those that count have a form for one and a form for others."""

    def __init__(self, language: str) -> None:
        found = files(__package__).joinpath(f"{language}.json").read_text("utf-8")
        self._sentences: Mapping[str, str] = json.loads(found)
        self.language = language

    def __contains__(self, key: str) -> bool:
        """Whether there is a sentence with this key."""
        return key in self._sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence with its places filled; raises `KeyError` for one that is not in the catalogue."""
        if values.get("count") == 1 and f"{key}.one" in self._sentences:
            key = f"{key}.one"
        return self._sentences[key].format(**values)
