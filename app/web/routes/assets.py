"""The console's style and script. Their addresses change with them, so browsers may keep them for ever."""

from fastapi import APIRouter, Response

from app.api.guarding import GUARDED
from app.api.problems import not_found
from app.web.console import ConsoleDependency

router = APIRouter(include_in_schema=False)


@router.get("/assets/{digest}/{name}")
async def get_asset(digest: str, name: str, console: ConsoleDependency) -> Response:
    """One of them, from memory."""
    asset = console.pages.assets.get(f"/assets/{digest}/{name}")
    if asset is None:
        raise not_found()
    headers = {**GUARDED, "Cache-Control": "public, max-age=31536000, immutable"}
    return Response(asset.content, headers=headers, media_type=asset.media_type)
