"""Status polls beside the least that a framework can do: a bare FastAPI route with one SELECT, while an export runs.

    chrt -f 5 .venv/bin/python -m bench.polling

An API process on PostgreSQL, a worker that renders, and a second process with the bare route on the same database and
the same library for it. Eight callers on connections that stay ask again as soon as they are answered, for a few
seconds each turn; the routes take turns. On loopback, from a process of its own.
"""

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from bench.mixed import mixed_orders
from tests.installation import ROOT, distributed
from tests.servers import DURABLE, running_postgres, running_redis

CALLERS: Final = 8


def run(*, quick: bool) -> str:
    """The table, in some half a minute or two."""
    return table(turns=2 if quick else 5, seconds=2.0 if quick else 4.0)


def table(*, turns: int, seconds: float) -> str:
    """Requests a second and the 99th percentile of each route."""
    seen: dict[str, list[tuple[float, float]]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running_postgres(DURABLE) as postgres,
        running_redis() as redis,
        distributed(
            Path(folder), url := postgres.url(postgres.create_database()), redis.url, workers=1, SHEAF_API_PERMITS="64"
        ) as installation,
        installation.owner() as owner,
        bare_server(url) as bare,
    ):
        owner.load(mixed_orders(2000))
        export = owner.until_rendered(owner.create(), 1)
        path = export["links"]["self"]
        ours, token = installation.url, {"Authorization": f"Bearer {owner.secret}"}
        ways = {
            "bare route, one SELECT": (f"{bare}/bare/{export['id']}", {}),
            "poll, 200 with its body": (f"{ours}{path}", token),
            "poll, 304": (f"{ours}{path}", {**token, "If-None-Match": ", ".join(f'"{n}"' for n in range(1, 400))}),
            "bare route once more": (f"{bare}/bare/{export['id']}", {}),
        }
        for _ in range(turns):
            for name, (url, headers) in ways.items():
                seen.setdefault(name, []).append(measured(url, headers, seconds))
        assert owner.look(export)["state"] == "processing", "the export ended meanwhile: give it more orders"
        owner.post(export["links"]["cancel"])
    base = statistics.median(rate for rate, _p99 in seen["bare route, one SELECT"])
    lines = [f"status polls, {CALLERS} callers, an export at work     requests/s (least – most)   p99 ms   × the bare route"]  # fmt: skip  # noqa: E501
    for name, found in seen.items():
        rates = sorted(rate for rate, _p99 in found)
        rate, p99 = statistics.median(rates), statistics.median(p99 for _rate, p99 in found)
        lines.append(
            f"  {name:36} {rate:12.0f} ({rates[0]:.0f} – {rates[-1]:.0f}) {1000 * p99:10.1f} {rate / base:10.2f}"
        )
    return "\n".join(lines)


@contextmanager
def bare_server(url: str) -> Iterator[str]:
    """The address of a process with the bare route."""
    command = [sys.executable, "-m", "bench.polling", "--bare", url]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def serve_bare(url: str) -> None:
    """A route that asks for a row by its id and gives three of its columns."""
    engine, app = create_async_engine(url.replace("postgresql://", "postgresql+psycopg://"), pool_size=10), FastAPI()

    @app.get("/bare/{job_id}")
    async def bare(job_id: str) -> dict[str, object]:
        async with engine.connect() as connection:
            asked = text("SELECT id, state, revision FROM jobs WHERE id = CAST(:id AS uuid)")
            row = (await connection.execute(asked, {"id": job_id})).one()
            return {"id": str(row.id), "state": row.state, "revision": row.revision}

    config = uvicorn.Config(app, log_level="error", access_log=False)
    # as asyncio makes one: of one that is not named as TCP, such as uvicorn's, each answer waits 40 ms for an ACK
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listening])


def measured(url: str, headers: dict[str, str], seconds: float) -> tuple[float, float]:
    """Answers a second and the 99th percentile in seconds, asked from a process of its own."""
    with get_context("spawn").Pool(1) as process:
        rate, p99 = process.apply(ask, (url, headers, seconds))
        return rate, p99


def ask(url: str, headers: dict[str, str], seconds: float) -> tuple[float, float]:
    """In the callers' process: plain sockets, for a client library takes longer than what is measured."""
    took = asyncio.run(_ask_all(url, headers, seconds))
    return len(took) / seconds, sorted(took)[int(len(took) * 0.99)]


async def _ask_all(url: str, headers: dict[str, str], seconds: float) -> list[float]:
    host, _, path = url.removeprefix("http://").partition("/")
    fields = "".join(f"{name}: {value}\r\n" for name, value in {"Host": host, **headers}.items())
    request = f"GET /{path} HTTP/1.1\r\n{fields}\r\n".encode()
    give_up_at, took = time.monotonic() + seconds, list[float]()

    async def call() -> None:
        reader, writer = await asyncio.open_connection(*host.split(":"))
        while time.monotonic() < give_up_at:
            began = time.monotonic()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            status = int(head.split(b" ", 2)[1])
            assert status in {200, 304}, head
            if status == 200:
                await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]))
            took.append(time.monotonic() - began)
        writer.close()

    await asyncio.gather(*(call() for _ in range(CALLERS)))
    return took


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--bare", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        serve_bare(options.bare)
        return
    print(table(turns=options.turns, seconds=options.seconds))


if __name__ == "__main__":
    main()
