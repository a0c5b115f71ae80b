"""The argument that names an export."""

from typing import Annotated
from uuid import UUID

import typer

from app.cli.completing import active_export_ids, export_ids


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter(f"`{text}` is no export's id. See: sheaf export list") from None


Id = Annotated[UUID, typer.Argument(parser=_id, metavar="ID", help="The export's id.", autocompletion=export_ids)]
ActiveId = Annotated[
    UUID, typer.Argument(parser=_id, metavar="ID", help="The export's id.", autocompletion=active_export_ids)
]
