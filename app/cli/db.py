"""`sheaf db …`: the schema."""

import typer

from app.cli.answering import Json, put
from app.cli.failing import Refused
from app.cli.targets import DataOption, settings_for

app = typer.Typer()


@app.command()
def upgrade(as_json: Json = False, data: DataOption = None) -> None:
    """Bring the schema to this release. Safe while the previous release runs."""
    from app.cli import composing
    from app.database.engines import sync_engine
    from app.database.migrating import upgrade as migrate
    from app.database.revisions import current, head

    settings = settings_for(data)
    engine = sync_engine(composing.database_url(settings), composing.engine_limits(settings))
    before = current(engine)
    migrate(engine)
    engine.dispose()
    if as_json:
        put({"before": before, "now": head()})
        return
    typer.echo(f"Schema {before or 'nothing'} → {head()}" if before != head() else f"Schema {head()}: nothing to do.")


@app.command()
def check(as_json: Json = False) -> None:
    """Compare the migrations with the tables in the code, on an empty SQLite database; for `make check`."""
    import tempfile
    from pathlib import Path

    from app.database.engines import EngineLimits, sync_engine
    from app.database.migrating import differences
    from app.database.migrating import upgrade as migrate

    with tempfile.TemporaryDirectory() as folder:
        limits = EngineLimits(connections=2, connect=5, statement=30, lock=5)
        engine = sync_engine(f"sqlite:///{Path(folder) / 'check.db'}", limits)
        migrate(engine)
        found = differences(engine)
        engine.dispose()
    if found:
        raise Refused("\n".join(["The migrations and the tables in the code differ.", *map(str, found)]))
    if as_json:
        put({"agree": True})
    else:
        typer.echo("Migrations and tables agree.")
