"""Whatever an order, a store or a template says, nothing is fetched, embedded or linked, and all of it is text."""

import io
import re
import tempfile
import threading
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pypdf import PdfReader
from pypdf.generic import StreamObject
from shop_orders import STORE, line, order, request_for

from app.documents import engine
from app.documents.contract import DocumentType, RenderedDocument
from app.documents.ours import LOGO_URL
from app.documents.render import render_document

FIGURE = re.compile("date|total|tax|discount|currency")
SECRET = "CANARY-SINGS-7319"
PICTURE = (Path(__file__).parents[2] / "docs" / "pictures" / "receipt-short.png").read_bytes()


@dataclass
class Canary:
    """A server and a file of which nothing may ever be asked or seen."""

    server: str
    file: Path
    heard: list[str]

    def addresses(self) -> list[str]:
        redirect = f"{self.server}/redirect"
        inline = f"data:text/plain;base64,{b64encode(SECRET.encode()).decode()}"
        return [f"{self.server}/x", redirect, self.file.as_uri(), str(self.file), inline, LOGO_URL]

    def attacks(self) -> list[str]:
        """Markup that would have a renderer fetch an address, if it were markup."""
        shapes = (
            '<img src="{}">', '<link rel=stylesheet href="{}">', '<link rel=attachment href="{}">',
            '<a rel=attachment href="{}">a</a>', '<a href="{}">a</a>', "<style>@import url({});</style>",
            "<style>@font-face {{ font-family: x; src: url({}) }} * {{ background: url({}) }}</style>",
            "<style>p::before {{ content: url({}) }} li {{ list-style-image: url({}) }}</style><li>",
            '<svg><image href="{}"/><use href="{}#a"/></svg>', '<object data="{}"></object>', '<embed src="{}">',
            '<form action="{}"><input type=text name=a><button type=submit>b</button></form>',
            '<iframe src="{}"></iframe>', '<base href="{}">', '<meta http-equiv=refresh content="0; url={}">', "{}",
        )  # fmt: skip
        return [shape.format(*[address] * 3) for shape in shapes for address in self.addresses()]


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Canary]:
    heard: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def answer(self) -> None:
            heard.append(self.path)
            self.send_response(302 if self.path == "/redirect" else 200)
            self.send_header("Location", (tmp_path / "secret.txt").as_uri())
            self.end_headers()
            self.wfile.write(SECRET.encode())

        def log_message(self, *_: object) -> None:
            pass

    for method in ("GET", "HEAD", "POST"):
        setattr(Answering, f"do_{method}", Answering.answer)
    file = tmp_path / "secret.txt"
    file.write_text(SECRET)
    server = HTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Canary(f"http://127.0.0.1:{server.server_port}", file, heard)
    server.shutdown()
    thread.join()
    server.server_close()


def hostile(value: object, attacks: Iterator[str]) -> object:
    """An order whose every free text holds the next attack; what must be a number, a date or a code stays."""
    match value:
        case dict():
            return {
                key: field if FIGURE.search(key) and isinstance(field, str) else hostile(field, attacks)
                for key, field in value.items()
            }
        case list():
            return [hostile(member, attacks) for member in value]
        case str():
            return f"{value}\"'>{next(attacks)}"
        case _:
            return value


def everything() -> dict[str, object]:
    """An order with each kind of text in it once."""
    meta = [{"id": 1, "key": "Engraving", "value": "for", "display_key": "Engraving", "display_value": "for"}]
    address = dict.fromkeys(
        ("first_name", "last_name", "company", "address_1", "address_2", "city", "state", "postcode", "country",
         "email", "phone"), "a"
    )  # fmt: skip
    return order(
        billing=address,
        shipping=address | {"city": "b"},
        customer_note="note",
        date_paid="2024-03-05T10:20:30",
        payment_url="p",
        meta_data=meta,
        line_items=[line(sku="s", meta_data=meta, image={"id": 1, "src": "i"}, parent_name="p")],
        shipping_lines=[{"method_title": "m", "method_id": "m", "total": "0.00", "total_tax": "0.00"}],
        shipping_total="0.00",
        fee_lines=[{"name": "f", "total": "0.00", "total_tax": "0.00"}],
        coupon_lines=[{"code": "c", "discount": "0.00", "discount_tax": "0.00"}],
        refunds=[{"id": 9, "reason": "r", "total": "-1.00"}],
        _links={"self": [{"href": "h"}]},
    )


def assert_holds_no_canary(pdf: bytes) -> None:
    """Neither as bytes of any stream, however compressed, nor as a picture, a link or an attachment."""
    reader = PdfReader(io.BytesIO(pdf))
    found = [reader.get_object(number) for number in range(1, int(reader.trailer["/Size"]))]
    for thing in found:
        if isinstance(thing, StreamObject):
            assert thing.get("/Subtype") != "/Image" or thing.get("/Width") != 1
            assert SECRET.encode() not in thing.get_data()
    assert SECRET not in "".join(page.extract_text() for page in reader.pages)
    assert SECRET.encode() not in pdf
    assert reader.attachments == {}
    texts = repr(found)
    actions = ("/EmbeddedFile", "/FileAttachment", "/Launch", "/JavaScript", "/GoToR", "/AcroForm", "/SubmitForm")
    assert not any(name in texts for name in actions)


def links_of(pdf: bytes) -> set[str]:
    """Where the links of a document lead: an address, or a place in it."""
    annotations = [note.get_object() for page in PdfReader(io.BytesIO(pdf)).pages for note in page.get("/Annots", ())]
    return {str(note["/A"]["/URI"]) if "/A" in note else "#" + str(note["/Dest"]) for note in annotations}


@pytest.mark.parametrize("kind", DocumentType)
def test_no_text_of_an_order_or_a_store_is_fetched_embedded_or_linked(kind, canary):
    attacks = canary.attacks()
    payload = hostile(everything(), cycle(attacks)) | {"customer_note": "\n".join(attacks)}
    store = replace(
        STORE,
        name=attacks[0],
        address=tuple(attacks[1:4]),
        tax_id=attacks[4],
        bank_lines=tuple(attacks[5:7]),
        footer=tuple(attacks[7:9]),
        accent=attacks[9],
    )

    document = render_document(request_for(payload, document_type=kind, store=store, refund_id=9))

    assert isinstance(document, RenderedDocument), document
    assert canary.heard == []
    assert_holds_no_canary(document.pdf)
    assert links_of(document.pdf) == set()
    text = "".join("".join(page.extract_text() for page in PdfReader(io.BytesIO(document.pdf)).pages).split())
    assert "".join(attacks[0].split()) in text


def test_markup_of_a_template_fetches_and_attaches_nothing_and_links_to_no_file(canary, tmp_path, monkeypatch):
    """A shop may write templates of its own; the engine refuses for them too, and its logo is a picture and no more."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    html = "".join(canary.attacks()) + '<a href="secret.txt">here</a><a href="javascript:alert(1)">there</a>'

    pdf = engine.print_pdf(
        html.replace(canary.server, canary.server.upper()) + html.replace("http://", "ftp://"),
        folder="invoice", paper="A4", logo=PICTURE, identifier=b"1", css="input, button { appearance: auto }",
    )  # fmt: skip

    assert canary.heard == []
    assert list(temporary.iterdir()) == []
    assert_holds_no_canary(pdf)
    assert {urlsplit(link).scheme for link in links_of(pdf)} == {"http"}


def test_a_template_may_link_to_the_web(canary):
    page = '<a href="https://shop.example/terms">terms</a> <a href="#end">end</a><p id="end">end</p>'

    pdf = engine.print_pdf(page, folder="invoice", paper="A4", logo=None, identifier=b"1")

    assert links_of(pdf) == {"https://shop.example/terms", "#end"}
