"""Each rule is seen broken once: a check that finds nothing in our documents must find this."""

from collections.abc import Callable, Iterator
from io import BytesIO

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Object, Pdf, StreamDecodeLevel

from app.documents.contract import DocumentType
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import OwnTemplate
from tests.archive_rules.checking import broken_rules
from tests.archive_rules.documents import RICH_STORE, VARIANTS, document, rich_order

LINKED = OwnTemplate(
    DocumentType.INVOICE,
    '{% extends "frame/priced.html" %}{% block note %}<p><a href="https://example.com">Our shop</a></p>{% endblock %}',
    "",
)


@pytest.fixture(scope="module")
def good():
    """A document of each variant that has everything, with nothing wrong."""
    payload, store = rich_order(3), RICH_STORE.with_template(LINKED)
    made = {variant: document(variant, payload=payload, store=store) for variant in VARIANTS}
    assert [broken_rules(pdf, variant) for variant, pdf in made.items()] == [{}, {}]
    return made


def fonts(pdf: Pdf) -> Iterator[Object]:
    return (font for font in pdf.pages[0].Resources.Font.values() if "/DescendantFonts" in font)


def elements(pdf: Pdf, role: str) -> Iterator[Object]:
    """Structure elements of this role, in their order."""

    def below(element: Object) -> Iterator[Object]:
        for kid in element.K:
            if isinstance(kid, Dictionary) and "/S" in kid:
                yield kid
                yield from below(kid)

    return (one for one in below(pdf.Root.StructTreeRoot.K[0]) if role == one.S)


def link(pdf: Pdf) -> Object:
    return next(annotation for page in pdf.pages for annotation in page.get("/Annots", ()))


def without(name: str) -> Callable[[Pdf], None]:
    return lambda pdf: pdf.Root.__delitem__(name)


def change_xmp(pdf: Pdf, old: bytes, new: bytes) -> None:
    stream = pdf.Root.Metadata
    assert old in stream.read_bytes()
    stream.write(stream.read_bytes().replace(old, new))


def change_content(pdf: Pdf, old: bytes, new: bytes, *, count: int = 1) -> None:
    content = pdf.pages[0].Contents
    assert old in content.read_bytes()
    content.write(content.read_bytes().replace(old, new, count))


def unembed(pdf: Pdf) -> None:
    for font in fonts(pdf):
        descriptor = font.DescendantFonts[0].FontDescriptor
        for name in ("/FontFile2", "/FontFile3"):
            if name in descriptor:
                del descriptor[name]


def interpolate(pdf: Pdf) -> None:
    for image in pdf.pages[0].Resources.XObject.values():
        image.Interpolate = True


def attach(pdf: Pdf) -> None:
    pdf.attachments["x.txt"] = pikepdf.AttachedFileSpec(pdf, b"x", filename="x.txt")
    del pdf.Root.Names.EmbeddedFiles.Names[1]["/AFRelationship"]


def run_script(pdf: Pdf) -> None:
    pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS="1")


def point_outside(pdf: Pdf) -> None:
    pdf.pages[0].Contents.stream_dict["/F"] = "elsewhere"


def delete(element: Object, name: str) -> None:
    del element[name]


def skip_a_level(pdf: Pdf) -> None:
    next(elements(pdf, "/H2")).S = Name.H4


def item_without_a_list(pdf: Pdf) -> None:
    next(elements(pdf, "/L")).S = Name.Div


def shorten_a_row(pdf: Pdf) -> None:
    row = next(elements(pdf, "/TR"))
    row.K = Array(list(row.K)[:-1])


def unknown_role(pdf: Pdf) -> None:
    next(elements(pdf, "/H1")).S = Name.Headline


def untag_link(pdf: Pdf) -> None:
    next(elements(pdf, "/Link")).S = Name.Span


def no_unicode(pdf: Pdf) -> None:
    for font in fonts(pdf):
        del font.ToUnicode


A_3B = {
    "the colours of the output": (without("/OutputIntents"), "PDFA3B-DEVICE-RGB-001"),
    "metadata": (without("/Metadata"), "PDFA3B-METADATA-STRUCTURE-001"),
    "which part of the standard": (lambda pdf: change_xmp(pdf, b'part="3"', b'part="2"'), "PDFA3B-ID-PART-001"),
    "which level of it": (
        lambda pdf: change_xmp(pdf, b'conformance="B"', b'conformance="X"'),
        "PDFA3B-ID-CONFORMANCE-001",
    ),
    "embedded fonts": (unembed, "PDFA3B-FONT-EMBEDDING-001"),
    "pictures without made-up dots": (interpolate, "PDFA3B-IMAGE-INTERPOLATE-001"),
    "no colours of inks": (lambda pdf: change_content(pdf, b"BT\n", b"0 0 0 1 k\nBT\n"), "PDFA3B-DEVICE-CMYK-001"),
    "no scripts": (run_script, "PDFA3B-ACTION-TYPE-001"),
    "nothing outside of the file": (point_outside, "PDFA3B-STREAM-EXTERNAL-DATA-001"),
    "attachments that say what they are": (attach, "PDFA3B-FILE-SPEC-AF-RELATIONSHIP-001"),
    "links that are printed": (lambda pdf: link(pdf).__setitem__("/F", 2), "PDFA3B-ANNOTATION-FLAGS-001"),
    "states that are restored": (
        lambda pdf: change_content(pdf, b"q\n", b"q\n" * 40),
        "PDFA3B-GRAPHICS-STATE-NESTING-001",
    ),
    "operators that exist": (lambda pdf: change_content(pdf, b"BT\n", b"xyz\nBT\n"), "PDFA3B-CONTENT-OPERATOR-001"),
}

UA_1 = {
    "which part of the standard": (lambda pdf: change_xmp(pdf, b'part="1"', b'part="9"'), "PDFUA1-ID-PART-001"),
    "metadata": (without("/Metadata"), "PDFUA1-METADATA-STRUCTURE-001"),
    "a title": (lambda pdf: change_xmp(pdf, b"dc:title", b"dc:source"), "PDFUA1-METADATA-TITLE-001"),
    "a title that is shown": (without("/ViewerPreferences"), "PDFUA1-VIEWER-PREFERENCES-001"),
    "a language": (without("/Lang"), "PDFUA1-TEXT-LANGUAGE-001"),
    "that it is tagged": (without("/MarkInfo"), "PDFUA1-TAGGED-DOCUMENT-001"),
    "no doubt of its tags": (lambda pdf: pdf.Root.MarkInfo.__setitem__("/Suspects", True), "PDFUA1-SUSPECTS-001"),
    "a structure": (without("/StructTreeRoot"), "PDFUA1-STRUCT-TREE-ROOT-001"),
    "tags on all content": (
        lambda pdf: change_content(pdf, b"/Span\n<</MCID 1>>\nBDC", b"/Span BMC"),
        "PDFUA1-CONTENT-TAGGING-001",
    ),
    "decoration that is no content": (
        lambda pdf: change_content(pdf, b"/Artifact\nBMC", b"/Artifact BMC /Span <</MCID 0>> BDC EMC"),
        "PDFUA1-TAGGED-CONTENT-INSIDE-ARTIFACT-001",
    ),
    "content that is no decoration": (
        lambda pdf: change_content(pdf, b"/Span\n<</MCID 1>>\nBDC", b"/Span <</MCID 1>> BDC /Artifact BMC EMC"),
        "PDFUA1-ARTIFACT-NESTED-001",
    ),
    "pictures with a text": (
        lambda pdf: delete(next(elements(pdf, "/Figure")), "/Alt"),
        "PDFUA1-FIGURE-ALTERNATIVE-TEXT-001",
    ),
    "no level of headings skipped": (skip_a_level, "PDFUA1-HEADING-NESTING-001"),
    "items in lists": (item_without_a_list, "PDFUA1-LI-PARENT-001"),
    "headers that say what they head": (
        lambda pdf: delete(next(elements(pdf, "/TH")), "/A"),
        "PDFUA1-TABLE-HEADERS-SCOPE-001",
    ),
    "rows of the same length": (shorten_a_row, "PDFUA1-TABLE-ROW-COLUMNSPAN-001"),
    "roles that are known": (unknown_role, "PDFUA1-STRUCT-TREE-ROLE-MAP-001"),
    "links in links": (untag_link, "PDFUA1-LINK-LINK-TAG-001"),
    "links that tell where they lead": (lambda pdf: delete(link(pdf), "/Contents"), "PDFUA1-LINK-CONTENTS-001"),
    "a way from the link to its tag": (lambda pdf: delete(link(pdf), "/StructParent"), "PDFUA1-LINK-LINK-TAG-001"),
    "an order for the tab key": (lambda pdf: [delete(page.obj, "/Tabs") for page in pdf.pages], "PDFUA1-PAGE-TABS-001"),
    "embedded fonts": (unembed, "PDFUA1-FONT-EMBEDDING-001"),
    "what each glyph means": (no_unicode, "PDFUA1-FONT-UNICODE-MAPPING-001"),
}
CASES = [
    pytest.param(variant, *case, id=f"{variant}: {name}")
    for variant, cases in ((PdfVariant.PDF_A_3B, A_3B), (PdfVariant.PDF_UA_1, UA_1))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("variant", "spoil", "rule"), CASES)
def test_a_document_that_lacks_this_is_caught(good, variant, spoil, rule):
    with Pdf.open(BytesIO(good[variant])) as pdf:
        spoil(pdf)
        file = BytesIO()
        pdf.save(file, fix_metadata_version=False, stream_decode_level=StreamDecodeLevel.none)

    assert rule in broken_rules(file.getvalue(), variant)
