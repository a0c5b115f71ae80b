"""The documentation page, from assets of a locked package: nothing is loaded from elsewhere."""

import base64
import re
from hashlib import sha256
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from app.api.guarding import GUARDED, content_policy

router = APIRouter(include_in_schema=False)

_INLINE: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def assets() -> StaticFiles:
    """Swagger UI's script and style."""
    return StaticFiles(directory=str(files("fastapi_offline").joinpath("static")))


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Swagger UI over our OpenAPI text."""
    root = request.app.state.services.limits.root_path
    page = get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="Sheaf API",
        swagger_js_url=f"{root}/docs/assets/swagger-ui-bundle.js",
        swagger_css_url=f"{root}/docs/assets/swagger-ui.css",
        swagger_favicon_url=f"{root}/docs/assets/favicon.png",
    )
    page.headers.update(GUARDED | {"Content-Security-Policy": _policy(bytes(page.body))})
    return page


def _policy(page: bytes) -> str:
    """What the console's pages are held to, but for the one script that begins Swagger UI, and the styles it sets."""
    digests = (base64.b64encode(sha256(script).digest()).decode() for script in _INLINE.findall(page))
    return content_policy(scripts=" ".join(f"'sha256-{digest}'" for digest in digests), styles="'unsafe-inline'")
