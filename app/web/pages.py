"""From a template and its values to a page, with what every page has."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from app.api.guarding import PERSONAL
from app.web.assets import load_assets
from app.web.formats import Formats
from app.web.texts import Texts

NO_ONE: Final = {"visitor": None}


class Pages:
    """The console's templates. `root_path` begins every address in them."""

    def __init__(self, root_path: str) -> None:
        self.texts = Texts("en")
        self.formats = Formats(self.texts)
        assets = load_assets()
        self.assets = {asset.path: asset for asset in assets.values()}
        self._templates = Environment(
            loader=PackageLoader("app.web"),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(
            t=self.texts,
            root=root_path,
            asset={name: f"{root_path}{asset.path}" for name, asset in assets.items()},
            language=self.texts.language,
            f=self.formats,
        )

    def text(self, template: str, values: Mapping[str, Any]) -> str:
        """What a template makes of its values."""
        return self._templates.get_template(template).render(values)

    def page(
        self, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
    ) -> HTMLResponse:
        """A whole page."""
        return HTMLResponse(self.text(template, {**NO_ONE, **values}), status, {**PERSONAL, **(headers or {})})
