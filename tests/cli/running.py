"""A real `sheaf serve`, real `sheaf` commands, and small orders to feed them."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest

from app.cli.main import main
from app.cli.ownserver import own_server
from app.client import SheafClient
from tests.lasting import lasting
from tests.minting import mint

SHEAF = (sys.executable, "-m", "app.cli")
ABSENT = 999
"""The id of an order that no store has."""

FOLDERS = tuple(Path(__file__).parents[1] / name for name in ("cli", "client"))
"""Whose tests share a server."""

_names = count(1)


@dataclass(frozen=True)
class Running:
    """A server and its data folder."""

    url: str
    folder: Path

    def owner(self, store: str) -> "Owner":
        """Somebody new in this store, so that no test finds another's exports."""
        name = f"owner-{next(_names)}"
        return Owner(self.url, mint(f"sqlite:///{self.folder / 'sheaf.db'}", name, store))


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Owner:
    """An owner with a token, on the command line or in a program."""

    url: str
    token: str

    @property
    def environment(self) -> dict[str, str]:
        """What its commands need."""
        return {"SHEAF_URL": self.url, "SHEAF_TOKEN": self.token}

    def export(self, *arguments: str, **environment: str) -> Done:
        """Run `sheaf export …`; the token must not show, whatever happens."""
        done = sheaf("export", *arguments, environment={**self.environment, **environment})
        assert self.token not in done.out + done.err
        return done

    def client(self, **options: Any) -> SheafClient:
        """A client of the server."""
        return SheafClient(options.pop("url", self.url), self.token, **options)


@contextmanager
def long_export(server: Running) -> Iterator[tuple[Owner, str]]:
    """An export that goes on for a while, cancelled afterwards."""
    owner = server.owner("many")
    with owner.client() as client:
        created = client.create_export()
        try:
            yield owner, str(created.id)
        finally:
            client.cancel(created.id)
            list(client.wait(created.id))


def sheaf(*arguments: str, environment: Mapping[str, str] | None = None) -> Done:
    """Run a short command in this process: starting one takes longer than most commands do."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, clean_environment(environment or {}), clear=True),
        patch.object(sys, "argv", ["sheaf", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def sheaf_process(*arguments: str, environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> Done:
    """Run a command as a process of its own."""
    done = subprocess.run(
        [*SHEAF, *arguments],
        env=clean_environment(environment or {}),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Our environment without SHEAF_… variables, and wide enough that no text is folded."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SHEAF_")}
    return {**inherited, "COLUMNS": "200", "TERM": "dumb", **more}


def shared(request: pytest.FixtureRequest) -> Running:
    """The one server of two folders of tests, which come with a fixture each."""
    return lasting(request, _started, folders=FOLDERS)


@contextmanager
def _started() -> Iterator[Running]:
    with TemporaryDirectory(prefix="sheaf-served-") as folder, running(Path(folder)) as server:
        yield server


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """A server with two stores: `few` with five orders, `many` with more than renders in a moment."""
    with own_server(folder) as url:
        server = Running(url, folder)
        for store, last in (("few", 5), ("many", 150)):
            file = folder / f"{store}.json"
            file.write_text(json.dumps([small_order(number) for number in range(1, last + 1)]))
            with server.owner(store).client() as client:
                assert client.import_orders(file).new == last
        yield server


def small_order(number: int, **changes: Any) -> dict[str, Any]:
    """An order as WooCommerce sends it, with one line."""
    line = {
        "id": number * 10,
        "name": "Lantern",
        "quantity": 2,
        "subtotal": "20.00",
        "subtotal_tax": "4.00",
        "total": "20.00",
        "total_tax": "4.00",
        "taxes": [],
        "sku": "LAN-1",
    }
    order: dict[str, Any] = {
        "id": number,
        "number": f"N-{number}",
        "status": "completed",
        "currency": "EUR",
        "date_created_gmt": f"2026-07-{number % 28 + 1:02}T10:30:00",
        "date_modified_gmt": "2026-08-01T07:00:00",
        "total": "24.00",
        "total_tax": "4.00",
        "customer_id": number % 3,
        "billing": {"first_name": "Ada", "last_name": "Vogel", "city": "Kiel", "country": "DE"},
        "line_items": [line],
        "tax_lines": [{"id": 1, "label": "VAT", "rate_percent": 20, "tax_total": "4.00", "shipping_tax_total": "0.00"}],
    }
    return {**order, **changes}
