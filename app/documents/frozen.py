"""The store's settings as a job froze them, back as what the renderer takes."""

import base64
import json

from app.documents.contract import StoreSettings


def store_settings(frozen: str) -> StoreSettings:
    """Read the text that `app.database.stores.settings_json` wrote."""
    stored = json.loads(frozen)
    return StoreSettings(
        name=stored["name"],
        address=tuple(line for line in stored["address"].splitlines() if line.strip()),
        tax_id=stored["tax_id"],
        locale=stored["locale"],
        time_zone=stored["time_zone"],
        paper=stored["paper"],
        logo=None if stored["logo"] is None else base64.b64decode(stored["logo"]),
    )
