"""A store's own template under the rules: what it leaves out is added where it can be, else there is no document.

A PDF that says that it is a PDF/UA-1 and is none would be worse than none: who relies on it cannot see what is missing.
"""

from dataclasses import replace
from io import BytesIO

import pikepdf
import pytest
from PIL import Image

from app.documents.contract import DocumentType, RenderedDocument, UnrenderableDocument
from app.documents.render import render_document
from app.domain.codes import ItemCode
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import OwnTemplate
from tests.archive_rules.checking import broken_rules
from tests.archive_rules.documents import VARIANTS, see_through_png
from tests.documents.shop_orders import STORE, order, request_for

TOLERATED = {
    "no title, language or heading": "<p>Hello",
    "levels of headings skipped": "<h3>a</h3><h5>b</h5><h1>c</h1><h4>d</h4>",
    "tables that put things side by side": "<h1>x</h1><table><tr><td>a<td>b<tr><td colspan=2>c</table>",
    "headers that span": "<table><tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td>1<td>2<td>3</table>",
    "lists in lists, and strays": "<ul>x<li>a<ol><li>b</ol></ul><li>c<dl><dt>d<dd>e<dd>f<div><dt>g<dd>h</div></dl>",
    "links over lines": '<p style="width: 2cm">See <a href="https://example.com">our <b>shop</b> and more</a>',
    "links within": '<h1 id="a">x</h1><a href="#a"><img src="{{ logo_url }}" alt="up"></a>',
    "drawings": '<svg width="9" height="9"><title>A dot</title><circle r="5"/></svg><img src="{{ logo_url }}" alt="">',
    "places of their own": '<p style="position: absolute; top: 9cm">a<p style="float: right">b<p style="columns: 2">c',
    "other languages": '<p>Say <i lang="de">Guten Tag</i><div lang="fr">Bonjour</div>',
    "quotes and footnotes": '<blockquote>a<p>b</blockquote><p>c<span style="float: footnote">d</span><pre>e</pre>',
}
REFUSED = {
    "a picture without a text": (PdfVariant.PDF_UA_1, '<img src="{{ logo_url }}">', "“alt”"),
    "a drawing without a text": (PdfVariant.PDF_UA_1, '<svg width="9" height="9"><circle r="5"/></svg>', "“alt”"),
    "rows of other lengths": (PdfVariant.PDF_UA_1, "<table><tr><th>a<th>b<tr><td>1</table>", "different numbers"),
    "text one sees through": (PdfVariant.PDF_UA_1, '<p style="opacity: 0.5">a <b>b</b>', "transparent"),
    "a colour of inks": (PdfVariant.PDF_A_3B, '<p style="color: device-cmyk(0 0 0 1)">a', "device-cmyk"),
}


def made(html, variant):
    store = replace(STORE, logo=see_through_png()).with_template(OwnTemplate(DocumentType.INVOICE, html, ""))
    return render_document(replace(request_for(order(), store=store), pdf=variant))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("html", TOLERATED.values(), ids=TOLERATED)
def test_what_a_template_leaves_open_is_settled_for_it(html, variant):
    document = made(html, variant)

    assert isinstance(document, RenderedDocument), document
    assert broken_rules(document.pdf, variant) == {}
    with pikepdf.open(BytesIO(document.pdf)) as pdf:
        assert (pdf.docinfo["/Title"], pdf.docinfo["/Author"], pdf.Root.Lang) == (
            "Invoice 7001", "Alder & Finch", "en-GB",
        )  # fmt: skip


@pytest.mark.parametrize(("variant", "html", "why"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_settled_fails_the_item_and_says_why(html, variant, why):
    failed = made(html, variant)

    assert isinstance(failed, UnrenderableDocument)
    assert failed.code == ItemCode.TEMPLATE_FAILED
    assert failed.reason.startswith(f"The store's own template makes no {variant.label}: ")
    assert why in failed.reason
    others = [other for other in PdfVariant if other is not variant]
    assert all(isinstance(made(html, other), RenderedDocument) for other in others)


def test_a_logo_in_the_colours_of_inks_is_kept_in_those_of_screens():
    file = BytesIO()
    Image.new("CMYK", (20, 10), (0, 200, 200, 0)).save(file, "JPEG")

    document = render_document(
        replace(request_for(order(), store=replace(STORE, logo=file.getvalue())), pdf=PdfVariant.PDF_A_3B)
    )

    assert isinstance(document, RenderedDocument)
    assert broken_rules(document.pdf, PdfVariant.PDF_A_3B) == {}
