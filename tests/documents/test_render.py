"""Rendering is a pure function of its request, and nothing in an order makes it do anything."""

import os
import subprocess
import sys
import threading
from base64 import b64encode
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from shop_orders import BUYER, STORE, line, order, rendered
from test_invoice import pages_of

from app.documents import engine, render

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


def digests() -> list[str]:
    """Digests of documents that use every kind of font file and both directions."""
    payload = order(line_items=[line("Mug 🎁"), line("قميص"), line("骨")])
    documents = [rendered(payload), rendered(payload, store=replace(STORE, locale="ar", logo=PNG))]
    return [document.sha256 for document in documents]


def test_another_process_at_another_time_makes_the_same_bytes():
    printed = subprocess.run(
        [sys.executable, "-c", "import test_render; print(*test_render.digests())"],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path), "TZ": "Asia/Tokyo"},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    ).stdout

    assert printed.split() == digests()


def test_what_was_rendered_before_leaves_no_trace():
    first = rendered(order())
    rendered(order(line_items=[line("🎁 骨 قميص สวัสดี") for _ in range(30)], number="8"))

    assert rendered(order()).pdf == first.pdf


def test_what_is_printed_decides_the_file_and_its_identity():
    assert rendered(order(number="1")).sha256 != rendered(order(number="2")).sha256


def test_logo_is_printed_and_a_broken_one_is_left_out():
    plain = rendered(order())
    with_logo = rendered(order(), store=replace(STORE, logo=PNG))
    with_noise = rendered(order(), store=replace(STORE, logo=b"no picture"))

    assert b"/Image" in with_logo.pdf
    assert b"/Image" not in plain.pdf
    assert b"/Image" not in with_noise.pdf


class Canary(BaseHTTPRequestHandler):
    """Sings when somebody comes."""

    heard: list[str]

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def canary():
    handler = type("OneCanary", (Canary,), {"heard": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.server_port, handler.heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_markup_of_a_customer_is_text_and_fetches_nothing(canary, tmp_path):
    port, heard = canary
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP-SECRET")
    attacks = [
        f'<img src="http://127.0.0.1:{port}/image">',
        f'<link rel=stylesheet href="http://127.0.0.1:{port}/style">',
        f'<link rel=attachment href="file://{secret}">',
        f"<style>@import url(http://127.0.0.1:{port}/import); * {{ display: none }}</style>",
        f'<object data="http://127.0.0.1:{port}/object"></object>',
        f'"><svg><image href="http://127.0.0.1:{port}/svg"/></svg>',
        '<base href="http://127.0.0.1/"><meta http-equiv="refresh" content="0">',
        "</td></tr></table><h1>gone</h1>",
        "{{ 7 * 7 }} {% for x in y %} ${7*7} <%= 7*7 %>",
        "<img src='sheaf-logo:logo'>",
    ]
    payload = order(
        number=attacks[0],
        customer_note="\n".join(attacks),
        payment_method_title=attacks[5],
        line_items=[line(attack, sku=attack) for attack in attacks],
        coupon_lines=[{"code": attacks[3], "discount": "0.00"}],
        billing={**BUYER, "first_name": attacks[1], "company": attacks[7]},
    )

    document = rendered(payload, store=replace(STORE, name="<b>Shop</b>", address=(attacks[0],)))

    text = "".join("".join(pages_of(document.pdf)).split())
    for attack in attacks:
        assert "".join(attack.split()) in text
    assert "<b>Shop</b>" in text
    assert b"TOP-SECRET" not in document.pdf
    assert b"/EmbeddedFile" not in document.pdf
    assert heard == []


def test_engine_fetches_nothing_even_for_markup_of_our_own(canary, tmp_path):
    """Escaping keeps customers from writing markup; should it ever fail, the fetcher still refuses."""
    port, heard = canary
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    here = f"http://127.0.0.1:{port}"
    inline = f"data:image/png;base64,{b64encode(PNG).decode()}"
    html = f"""<base href="{here}/"><link rel=stylesheet href="{here}/style"><link rel=attachment href="file://{secret}">
    <style>@import url({here}/import); @font-face {{ font-family: x; src: url({here}/font) }}
    body {{ background: url({here}/back); font-family: x }}</style>
    <img src="{here}/image"><img src="relative"><img src="file://{secret}"><img src="{inline}">
    <object data="{here}/object"></object><svg><image href="{here}/svg"/><image href="file://{secret}"/></svg>
    <p>text</p>"""

    pdf = engine.print_pdf(html, folder="invoice", paper="A4", logo=PNG, identifier=b"1")

    assert heard == []
    assert b"/Image" not in pdf
    assert b"/EmbeddedFile" not in pdf


def test_a_pdf_that_would_need_mending_has_no_pages():
    pdf = rendered(order()).pdf
    stream = pdf.index(b"stream\n") + 20
    damaged = [
        b"",
        pdf[:-200],
        pdf[: len(pdf) // 2],
        pdf[:stream] + b"?" * 40 + pdf[stream + 40 :],
        pdf.replace(b"startxref\n", b"startxref\n9"),
    ]

    assert render._pages_read_back(pdf) == 1
    assert list(map(render._pages_read_back, damaged)) == [0] * len(damaged)
