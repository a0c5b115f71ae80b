"""Uploads over a real socket: standing still, cut off, and larger than memory should be."""

import json
import socket
import time
from pathlib import Path

import httpx
import pytest

from tests.installation import embedded
from tests.shop import order, orders


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    with embedded(tmp_path_factory.mktemp("uploads"), SHEAF_IMPORT_IDLE_SECONDS="1") as running:
        yield running


def begin(client, body: bytes, *, length: int) -> socket.socket:
    """An upload that promises `length` bytes and has sent `body`."""
    address = httpx.URL(client.installation.url)
    connection = socket.create_connection((address.host, address.port), timeout=20)
    head = (
        f"POST /v1/orders/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {client.secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    return connection


def whole_answer(connection: socket.socket) -> str:
    """Head and body of an answer; they may come in several pieces."""
    answer = b""
    while b"\r\n\r\n" not in answer or len(answer.partition(b"\r\n\r\n")[2]) < content_length(answer):
        piece = connection.recv(65_536)
        assert piece, answer
        answer += piece
    return answer.decode()


def content_length(answer: bytes) -> int:
    head = answer.partition(b"\r\n\r\n")[0].decode().lower()
    return int(next(line.partition(":")[2] for line in head.splitlines() if line.startswith("content-length:")))


def imported(client) -> int:
    answer = client.post("/v1/exports", json={"document_type": "invoice"})
    if answer.status_code != 202:
        return 0
    export = answer.json()
    client.until(export, lambda found: found["counts"]["requested"] or found["state"] == "failed")
    found = client.look(export)
    client.post(export["links"]["cancel"])
    client.until_over(export, within=30)
    return found["counts"]["requested"]


def test_an_upload_that_stands_still_is_ended_and_keeps_what_it_brought(installation):
    with installation.owner(store="still") as client:
        body = json.dumps(orders(3)).encode()[:-1] + b","
        with begin(client, body, length=10_000) as connection:
            answer = whole_answer(connection)

        assert answer.startswith("HTTP/1.1 408 ")
        assert '"code":"upload_stalled"' in answer
        assert '"new":3' in answer
        assert imported(client) == 3


def test_an_upload_whose_sender_leaves_keeps_what_it_brought(installation):
    with installation.owner(store="gone") as client:
        body = json.dumps(orders(3)).encode()[:-1] + b","
        connection = begin(client, body, length=10_000)
        time.sleep(0.5)  # a server that learns of the end first does not look at what came before it
        connection.close()

        give_up_at = time.monotonic() + 20
        while (count := imported(client)) == 0 and time.monotonic() < give_up_at:
            time.sleep(0.2)

        assert count == 3


@pytest.mark.long
def test_a_large_upload_leaves_the_server_as_small_as_it_was(installation):
    def resident() -> int:
        status = Path(f"/proc/{installation.server.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    def lines(count):
        for number in range(count):
            yield json.dumps(order(number, customer_note="x" * 2000)).encode() + b"\n"

    with installation.owner(store="large") as client:
        client.load(orders(600))  # whatever grows once has grown
        before = resident()
        answer = client.post(
            "/v1/orders/import", content=lines(12_000), headers={"Content-Type": "application/x-ndjson"}, timeout=120
        )

        assert (answer.status_code, answer.json()["rejected"]) == (200, 0)
        # 33 MB went through; what stays is a batch or two
        assert resident() - before < 25_000
