"""The routes of version 1 and the probes."""

import app.api.ids  # noqa: F401 - what `{export_id:export}` means
