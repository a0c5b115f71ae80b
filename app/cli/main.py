"""The command `sheaf`."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from app import __version__
from app.cli import doctor
from app.cli.answering import put, wants_json
from app.cli.failing import Exit, Refused
from app.cli.later import later
from app.cli.targets import read_settings

# plain help and errors: to load what draws boxes around them takes longer than all the rest
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(later("app.cli.stores"), name="stores", help="The shops of an installation.")
app.add_typer(
    later("app.cli.store"),
    name="store",
    short_help="Your store's settings on a running server.",
    help=(
        "Your store's settings on a running server, with the token in SHEAF_TOKEN; to change them it needs the right "
        "`settings`. Operators have `sheaf stores`, which works on the database itself."
    ),
)
app.add_typer(later("app.cli.tokens"), name="tokens", help="Bearer tokens of owners.")
app.add_typer(
    later("app.cli.orders"),
    name="orders",
    short_help="The orders of a store.",
    help=(
        "The orders of a store: `import` and `erase` work on an installation's database, for operators; `upload`, "
        "`list` and `summary` on a running server, with the token in SHEAF_TOKEN; `check` on any of both, or on a file."
    ),
)
app.add_typer(
    later("app.cli.export"),
    name="export",
    short_help="Exports on a running server.",
    help=(
        "Exports on a running server, with the token in SHEAF_TOKEN. Exit codes: 0 all rendered, 1 error, 2 usage, "
        "3 completed with failures or skips, 4 failed, 5 cancelled, 6 still running, 7 refused by the server, "
        "130 interrupted: the export goes on."
    ),
)
app.add_typer(
    later("app.cli.documents"),
    name="documents",
    short_help="Single documents, to look at.",
    help="Single documents of a running server, with the token in SHEAF_TOKEN.",
)
app.add_typer(
    later("app.cli.jobs"),
    name="jobs",
    short_help="Everybody's exports, for operators.",
    help="Everybody's exports, for operators: what is stuck, why, and a way on.",
)
app.add_typer(later("app.cli.db"), name="db", help="The database's schema.")
app.command("doctor")(doctor.doctor)

Verbose = Annotated[bool, typer.Option("--verbose", help="Log every step.")]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sheaf {__version__}")
        raise typer.Exit


@app.callback()
def sheaf(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Thousands of shop order documents as one durable export job with an owner."""


@app.command()
def demo(
    data: Annotated[Path, typer.Option(help="Folder for everything that the demo makes.")] = Path("demo"),
    all_: Annotated[bool, typer.Option("--all", help="Take all sample orders, not the first 20.")] = False,
) -> None:
    """See it work: a sample store, one export of invoices, its archive. Running it again makes a new export."""
    from app.cli.demo import show

    show(data, few=not all_)


@app.command()
def serve(
    data: Annotated[Path, typer.Option(help="Folder for the database and the archives.")] = Path("data"),
    host: Annotated[str | None, typer.Option(help="Address to listen on; SHEAF_HOST, else 127.0.0.1.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one; SHEAF_PORT, else 8080.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """API and worker in one process, with nothing else to install."""
    from app.cli import serving
    from app.cli.logs import configure_logs

    configure_logs(verbose=verbose)
    changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    serving.serve(read_settings().model_copy(update=changes), data.absolute())


@app.command()
def api(verbose: Verbose = False) -> None:
    """An API process on PostgreSQL, Redis and shared artifacts, all set by SHEAF_… variables."""
    from app.cli import serving
    from app.cli.logs import configure_logs

    configure_logs(verbose=verbose)
    serving.api(read_settings())


@app.command()
def worker(
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="Worker processes; any that dies is started again.")
    ] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Start nothing: exit 0 if a worker on this machine lives, for probes.")
    ] = False,
    verbose: Verbose = False,
    lifeline: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """A worker host. It needs SHEAF_DATABASE_URL, SHEAF_ARTIFACTS and, for prompt starts, SHEAF_REDIS_URL."""
    from app.cli import serving, supervising
    from app.cli.logs import configure_logs

    configure_logs(verbose=verbose)
    if check:
        serving.check_worker(read_settings())
    elif processes > 1:
        supervising.supervise(read_settings(), processes=processes, verbose=verbose)
    else:
        serving.worker(read_settings(), lifeline=lifeline)


def main() -> None:
    """Run the command line; errors that a user can mend are a few lines, or with --json one problem."""
    as_json = wants_json(sys.argv[1:])
    try:
        # otherwise it tells by itself, in colours, what is wrong with the arguments
        sys.exit(app(prog_name="sheaf", standalone_mode=not as_json))
    except Refused as refused:
        _fail(refused, as_json=as_json)
    except BrokenPipeError:
        # the reader of our output has gone: that is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.ERROR)
    except typer.Abort:
        _fail(Refused("Nobody answered."), as_json=as_json)
    except Exception as error:
        from app.cli.faults import sentence

        text = _usage(error) or sentence(error)
        if text is None:
            raise
        _fail(Refused(text, exit_code=Exit(getattr(error, "exit_code", Exit.ERROR))), as_json=as_json)


def _fail(refused: Refused, *, as_json: bool) -> NoReturn:
    if as_json:
        put(refused.document, err=True)
    else:
        typer.echo(str(refused), err=True)
    sys.exit(refused.exit_code)


def _usage(error: Exception) -> str | None:
    """What is wrong with the arguments; the library's own class for it is private."""
    tell = getattr(error, "format_message", None)
    return None if tell is None else str(tell())


if __name__ == "__main__":
    main()
