"""`sheaf doctor`: looks at everything that an installation stands on, and says what to do."""

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import typer

from app.cli.answering import JsonLines
from app.cli.failing import Exit
from app.cli.targets import DataOption, settings_for

if TYPE_CHECKING:
    from app.cli.checkup.lines import Check, Line
    from app.settings import Settings

JUMP: Final = 0.5
"""Seconds by which the wall clock may leave the monotonic one while we look."""
QUICK: Final = 5.0
SERVER: Final = 10.0
CHILD: Final = 45.0
"""Seconds for a look at this machine, at a server, and for a renderer child, which loads its libraries first."""
_CREDENTIALS: Final = re.compile(r"://[^/@\s]*@")
_COLORS: Final = {"ok": "green", "warn": "yellow", "bad": "red"}


def doctor(
    as_json: JsonLines = False,
    data: DataOption = None,
) -> None:
    """Check fonts, renderer, database, Redis, artifacts, clocks and permissions; exit 1 if anything is bad."""
    from app.cli.checkup.lines import Verdict

    settings = settings_for(data)
    secrets = secrets_of(settings)
    is_bad = False
    for line in _lines(settings):
        is_bad = is_bad or line.verdict is Verdict.BAD
        found = masked(line.found, secrets)
        if as_json:
            shown = {"check": line.check, "verdict": line.verdict, "found": found, "advice": line.advice}
            typer.echo(json.dumps(shown, ensure_ascii=False))
            continue
        verdict = f"{line.verdict:<4}"
        typer.echo(
            f"{typer.style(verdict, fg=_COLORS[line.verdict]) if sys.stdout.isatty() else verdict}  "
            f"{line.check:<11}  {found}"
        )
        if line.advice:
            typer.echo(f"      {'':<11}  → {line.advice}")
    if is_bad:
        raise typer.Exit(Exit.ERROR)


def _lines(settings: "Settings") -> Iterator["Line"]:
    """Every check's lines as they come, and at the end whether the clock has jumped meanwhile."""
    from app.cli.checkup.lines import Line, Verdict, findings

    wall, monotonic = time.time(), time.monotonic()
    for check in _checks(settings):
        yield from findings(check)
    jumped = (time.time() - wall) - (time.monotonic() - monotonic)
    if abs(jumped) > JUMP:
        yield Line(
            "clock",
            Verdict.WARN,
            f"This machine's clock has jumped by {jumped:.1f} s while we looked.",
            "Let NTP slew it. Deadlines and leases are not harmed: neither is measured by it",
        )


def _checks(settings: "Settings") -> Iterator["Check"]:
    from app.cli.checkup import database, ground, machine
    from app.cli.checkup.lines import Check

    yield Check("fonts", machine.fonts, QUICK)
    yield Check("renderer", lambda: machine.renderer(settings), CHILD)
    yield Check("limits", machine.limits, QUICK)
    folder = _data_folder(settings)
    if folder is not None and not (folder / "sheaf.db").exists():
        yield Check("database", lambda: machine.empty(folder), QUICK)
        return
    yield Check("database", lambda: database.database(settings), SERVER)
    yield Check("redis", lambda: ground.redis(settings), SERVER)
    yield Check("artifacts", lambda: ground.artifacts(settings), SERVER)
    if folder is None:
        yield Check("metrics", lambda: machine.metrics(settings), QUICK)
    else:
        yield Check("permissions", lambda: machine.permissions(folder), QUICK)


def _data_folder(settings: "Settings") -> Path | None:
    """Where an embedded installation has its SQLite file; None for one on a server."""
    url = "" if settings.database_url is None else settings.database_url.get_secret_value()
    return Path(url.removeprefix("sqlite:///")).parent if url.startswith("sqlite:///") else None


def secrets_of(settings: "Settings") -> list[str]:
    """What must not be shown, whatever an error's text repeats. Short ones would hide words of ours."""
    urls = [url.get_secret_value() for url in (settings.database_url, settings.redis_url) if url is not None]
    passwords = [password for url in urls if (password := _password(url))]
    others = [os.environ.get(name, "") for name in ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")]
    if settings.metrics_token is not None:
        others.append(settings.metrics_token.get_secret_value())
    return [secret for secret in (*passwords, *map(unquote, passwords), *others) if len(secret) >= 8]


def _password(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None


def masked(text: str, secrets: list[str]) -> str:
    """The text without these, and without the credentials of any address in it."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return _CREDENTIALS.sub("://***@", text)
