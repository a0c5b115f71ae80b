"""Which installation a command works on: an embedded data folder, or the one in the environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli import composing

if TYPE_CHECKING:
    from app.database.transactions import Database
    from app.settings import Settings

DEFAULT_FOLDER = Path("data")

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Embedded data folder. Without it: SHEAF_DATABASE_URL, else ./data.",
        show_default=False,
    ),
]


def settings_for(data: Path | None) -> "Settings":
    """The settings of the installation that a command means; raises `Misconfigured`."""
    from app.settings import Settings

    settings = Settings()
    if data is None and settings.database_url is not None:
        return settings
    if data is None and not (DEFAULT_FOLDER / "sheaf.db").exists():
        raise composing.Misconfigured(
            "Which installation? Name an embedded data folder with --data DIR, or set SHEAF_DATABASE_URL."
        )
    folder = (data or DEFAULT_FOLDER).absolute()
    return settings.without_servers().for_folder(folder)


@contextmanager
def target_database(data: Path | None) -> Iterator["Database"]:
    """The installation's database; a data folder that is new gets its tables."""
    settings = settings_for(data)
    if data is not None and not (data / "sheaf.db").exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        composing.migrate_folder(settings, data.absolute())
    database = composing.open_database(settings)
    try:
        yield database
    finally:
        database.close()
