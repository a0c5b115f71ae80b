"""Who downloads slowly, or stops reading, takes nothing from others that is scarce."""

import hashlib
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from app.database.engines import sync_engine
from app.database.transactions import Database
from app.deadline.policy import Priority
from tests.api.finishing import finish
from tests.flow.serving import Api, serving
from tests.migrated import LIMITS

ARCHIVE = bytes(range(256)) * (32 << 10)
"""8 MiB: more than the sockets between two processes keep."""
READERS = 12
SCARCE = 2


@contextmanager
def reader(api: Api, path: str) -> Iterator[socket.socket]:
    """A caller who has read the first byte of the answer and reads no further."""
    address = urlsplit(str(api.http.base_url))
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        made.settimeout(60)
        made.connect((address.hostname, address.port))
        made.sendall(f"GET {path} HTTP/1.0\r\nAuthorization: Bearer {api.token}\r\n\r\n".encode())
        assert made.recv(1) == b"H"
        yield made


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_readers_who_stand_still_hold_no_connection_no_permit_and_no_thread(migrated_url, tmp_path):
    limits = {"api_permits": SCARCE, "api_threads": SCARCE, "database_connections": SCARCE}
    with serving(tmp_path, migrated_url, **limits) as api, ExitStack() as reading:
        export = api.create().json()
        database = Database(sync_engine(migrated_url, LIMITS))
        finish(database, api.api.state.services.artifacts, export["id"], archive=ARCHIVE)
        database.close()

        readers = [reading.enter_context(reader(api, export["links"]["archive"])) for _ in range(READERS)]
        parts, services = api.api.state.deadlines, api.api.state.services
        held = (services.database.pool.in_use, parts.admission.taken(Priority.NORMAL), parts.zombies.count)
        listed, created = api("GET", "/v1/exports"), api.create()
        downloaded = api("GET", export["links"]["archive"])
        rest = read_to_the_end(readers[0])

        assert held == (0, 0, 0)
        assert (listed.status_code, created.status_code) == (200, 202)
        assert hashlib.sha256(downloaded.content).digest() == hashlib.sha256(ARCHIVE).digest()
        # the slow one loses nothing by it
        assert rest.partition(b"\r\n\r\n")[2] == ARCHIVE


def read_to_the_end(made: socket.socket) -> bytes:
    read = bytearray()
    while piece := made.recv(1 << 20):
        read += piece
    return bytes(read)
