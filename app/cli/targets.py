"""Which installation a command works on: an embedded data folder, or the one in the environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.failing import Exit, Refused

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


def read_settings() -> "Settings":
    """The environment's settings; raises `Refused` that names each variable that is wrong."""
    from pydantic import ValidationError

    from app.settings import Settings

    try:
        return Settings()
    except ValidationError as wrong:
        # without the values: some of them are passwords
        lines = [f"SHEAF_{'_'.join(map(str, error['loc'])).upper()}: {error['msg']}" for error in wrong.errors()]
        raise Refused("\n".join(lines), exit_code=Exit.USAGE) from None


def settings_for(data: Path | None) -> "Settings":
    """The settings of the installation that a command means; raises `Refused`."""
    settings = read_settings()
    if data is None and settings.database_url is not None:
        return settings
    if data is None and not (DEFAULT_FOLDER / "sheaf.db").exists():
        raise Refused("Which installation? Name an embedded data folder with --data DIR, or set SHEAF_DATABASE_URL.")
    folder = (data or DEFAULT_FOLDER).absolute()
    return settings.without_servers().for_folder(folder)


@contextmanager
def target_database(data: Path | None) -> Iterator["Database"]:
    """The installation's database; a data folder that is new gets its tables."""
    from app.cli import composing

    settings = settings_for(data)
    composing.keep_private()
    if data is not None and not (data / "sheaf.db").exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        composing.migrate_folder(settings, data.absolute())
    database = composing.open_database(settings)
    try:
        yield database
    finally:
        database.close()
