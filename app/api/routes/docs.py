"""The documentation page, from assets of a locked package: nothing is loaded from elsewhere."""

from importlib.resources import files

from fastapi import APIRouter, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

router = APIRouter(include_in_schema=False)


def assets() -> StaticFiles:
    """Swagger UI's script and style."""
    return StaticFiles(directory=str(files("fastapi_offline").joinpath("static")))


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Swagger UI over our OpenAPI text."""
    root = request.app.state.services.limits.root_path
    return get_swagger_ui_html(
        openapi_url=f"{root}/openapi.json",
        title="Sheaf API",
        swagger_js_url=f"{root}/docs/assets/swagger-ui-bundle.js",
        swagger_css_url=f"{root}/docs/assets/swagger-ui.css",
        swagger_favicon_url=f"{root}/docs/assets/favicon.png",
    )
