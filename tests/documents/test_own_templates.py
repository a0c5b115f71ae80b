"""A store's own template: what it may do, what it is told when it is wrong, and that a document comes of it."""

import io
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from pypdf import PdfReader
from shop_orders import STORE, order, request_for

from app.documents.contract import DocumentType, RenderedDocument, UnrenderableDocument
from app.documents.ours import template_of
from app.documents.own import OwnTemplateFailed, check_template, filled
from app.documents.own_style import OwnStyleFailed, check_style
from app.documents.pool import RendererPool
from app.documents.render import render_document
from app.documents.trial import MAX_TEXT, TIME_LIMIT, sample_request, tried
from app.documents.view import DocumentView
from app.documents.viewing import viewed
from app.domain.store_settings import OwnTemplate

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
MINE = """\
{% extends "frame/priced.html" %}
{% block title %}
<h1 class="mine">{{ view.frame.heading }} for {{ view.frame.parties[0].lines[0] }}</h1>
{% endblock %}
"""


def own(html: str = "", css: str = "", kind: DocumentType = DocumentType.INVOICE) -> OwnTemplate:
    return OwnTemplate(kind, html, css)


def here(function: Callable[..., object], *args: object) -> object:
    """Call a function in this process: only what is harmless is tried so."""
    return function(*args)


def text_of(document: object) -> str:
    assert isinstance(document, RenderedDocument), document
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(document.pdf)).pages)


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("\n\n{% if %}", "line 3: Expected an expression"),
        ("\n{{ vew.frame.title }}", "line 2: there is no “vew”"),
        ("{{ view.frame.title | nofilter }}", "line 1: No filter named 'nofilter'"),
        ("{{ view.frame.title | safe }}", "No filter named 'safe'"),
        ("\n{% autoescape false %}{{ view.frame.title }}{% endautoescape %}", "line 2: escaping"),
        ("{% include '/etc/passwd' %}", "line 1: only frame/frame.html"),
        ("{% extends view.frame.title %}", "line 1: only frame/frame.html"),
        ("{% import 'invoice/invoice.html' as x %}", "line 1: only frame/frame.html"),
        ("{{ lipsum() }}", "there is no “lipsum”"),
        ("{{ " + 3000 * "(" + "1" + 3000 * ")" + " }}", "nested too deeply"),
        ("{% for a in 'b' %}" * 30 + "{% endfor %}" * 30, "nested too deeply"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_wrong_with_a_template_is_told_with_its_line(html, told):
    with pytest.raises(OwnTemplateFailed) as failed:
        check_template(html)

    assert told in str(failed.value)


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("\n{{ view.frame.sellr }}", "line 2: 'app.documents.view.Frame object' has no attribute 'sellr'"),
        ("{{ view.frame.__class__.__mro__ }}", "unsafe"),
        ("{{ view.frame.title.format.__globals__ }}", "unsafe"),
        ("{{ 'x' * 10000000000 }}", "`*` takes numbers"),
        ("{{ 10 ** 10000000 }}", "no powers"),
        ("{{ range(1000000) | list }}", "range"),
        ("{{ view.frame.title + 1 }}", "str"),
        ("\n{{ 5 | dictsort }}", "line 2: 'int' object"),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "recursion"),
        ("{% for a in range(99999) %}" + 1000 * "x" + "{% endfor %}", "more than"),
    ],
    ids=lambda value: value[:30],
)
def test_what_a_template_may_not_do_fails_its_document_alone(html, told):
    document = render_document(request_for(order(), store=STORE.with_template(own(html))))

    assert isinstance(document, UnrenderableDocument)
    assert document.code == "template_failed"
    assert told in document.reason


@pytest.mark.parametrize(
    ("css", "told"),
    [
        ("p { color: red }\n@import url(http://127.0.0.1:9/x.css);", "line 2: @import"),
        ("@font-face { font-family: x; src: url(x) }", "@font-face"),
        ("\np { background: url(file:///etc/passwd) }", "line 2: url() takes sheaf-logo:logo only"),
        ('@media print { p::before { content: URL("//x") } }', "url() takes"),
        ("p { background: u\\72l(data:image/png;base64,AA) }", "url() takes"),
        ("}", "line 1"),
        ("@color-profile --x { src: 'x' }", "@color-profile"),
        ("p { color: " + 5000 * "(" + "}", "nested too deeply"),
    ],
    ids=lambda value: value[:30],
)
def test_a_style_that_would_load_something_is_refused_with_its_line(css, told):
    with pytest.raises(OwnStyleFailed) as failed:
        check_style(css)

    assert told in str(failed.value)


def test_the_logo_may_be_a_background():
    check_style("body { background: url('sheaf-logo:logo') } @page { margin: 3cm }")


def test_an_orders_text_is_text_in_an_own_template():
    request = request_for(order(number="<b>&7001</b>"), store=STORE.with_template(own()))

    html = filled("{{ view.frame.title }}{{ view.frame.title | e }}", viewed(request).view)

    assert html == 2 * "Invoice &lt;b&gt;&amp;7001&lt;/b&gt;"


def test_an_own_template_and_style_are_printed_for_their_type_only():
    store = STORE.with_template(own(MINE, ".mine { color: #ff0000 }"))

    mine = render_document(request_for(order(), store=store))
    again = render_document(request_for(order(), store=store))
    slip = render_document(request_for(order(), document_type=DocumentType.PACKING_SLIP, store=store))
    ours = render_document(request_for(order(), store=store.without_template(DocumentType.INVOICE)))

    assert "Invoice for Ada Example" in text_of(mine)
    assert b"1 0 0 rg" in PdfReader(io.BytesIO(mine.pdf)).pages[0].get_contents().get_data()
    assert mine == again
    assert "for Ada Example" not in text_of(slip) + text_of(ours)
    assert ours == render_document(request_for(order(), store=STORE))


@pytest.mark.parametrize("kind", DocumentType)
def test_our_own_templates_pass_the_trial_and_print_what_they_print_as_ours(kind):
    made = tried(STORE, own(template_of(kind), kind=kind), here)

    assert made.pages == 1
    assert made.pdf == render_document(sample_request(kind, STORE)).pdf


def test_a_trial_refuses_what_is_too_long_and_what_no_document_comes_of():
    with pytest.raises(OwnTemplateFailed, match="more than"):
        tried(STORE, own("x" * (MAX_TEXT + 1)), here)
    with pytest.raises(OwnStyleFailed, match="more than"):
        tried(STORE, own(css="x" * (MAX_TEXT + 1)), here)
    with pytest.raises(OwnTemplateFailed, match="no attribute 'table_of_contents'"):
        tried(STORE, own("{{ view.table_of_contents }}"), here)


def test_a_template_that_takes_all_memory_ends_its_child_while_it_is_looked_at():
    """What is constant is worked out by whoever only reads the template: that is done in the child too."""
    pool = RendererPool(workers=1, time_limit=TIME_LIMIT, memory_limit=512 << 20, documents_per_child=9)
    try:
        with pytest.raises(OwnTemplateFailed, match="more memory than one document may take"):
            tried(STORE, own("{{ 'x' | center(3000000000) }}"), partial(pool.call, time_limit=TIME_LIMIT))
    finally:
        pool.close()


def documented(kind: type, prefix: str = "view") -> set[str]:
    """Every field that a template can reach from a view, as `view.frame.parties[].heading`."""
    found: set[str] = set()
    hints = get_type_hints(kind)
    for field in fields(kind):
        name = f"{prefix}.{field.name}"
        found.add(name)
        hint = hints[field.name]
        inner = [part for part in (hint, *get_args(hint)) if is_dataclass(part)]
        repeats = "[]" if "Sequence" in str(hint) else ""
        for part in inner:
            found |= documented(part, name + repeats)
    return found


def test_every_field_that_a_template_can_use_is_documented_and_no_other():
    told = {line.split("`")[1] for line in DOCUMENTED.splitlines() if line.startswith("| `view")}

    assert told == documented(DocumentView)
    assert replace(STORE).template_of(DocumentType.INVOICE) is None
