"""Documents by way of HTML: our templates or a store's own, filled with a view and set by WeasyPrint."""

from hashlib import sha256
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from app.documents import engine
from app.documents.contract import RenderRequest, StoreSettings
from app.documents.dress import Dress
from app.documents.engines import Printed, Unprintable
from app.documents.kinds import KINDS, Kind
from app.documents.logo import in_rgb
from app.documents.ours import LOGO_URL, TEMPLATES
from app.documents.own import OwnTemplateFailed, filled
from app.documents.preflight import GlyphsMissing, missing_in_template, spelled_in_markup, spelled_out
from app.documents.rules import RuleBroken
from app.documents.variants import About
from app.documents.view import DocumentView, Frame
from app.documents.viewing import Viewed
from app.domain.codes import ItemCode
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import MissingGlyphs, OwnTemplate

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class Pages:
    """The engine that sets pages of HTML."""

    def prepare(self) -> None:
        """Load fonts, styles and templates."""
        for kind in KINDS.values():
            engine.prepare(kind.folder)
            _template(kind)

    def print(self, found: Viewed, request: RenderRequest) -> Printed:
        """Fill the template and set it; raises `GlyphsMissing` and `Unprintable`."""
        own = request.store.template_of(request.document_type)
        try:
            html = html_of(own, found.kind, found.view)
        except OwnTemplateFailed as failed:
            reason = f"The store's own template failed: {failed}"
            raise Unprintable(ItemCode.TEMPLATE_FAILED, reason) from None
        css = ""
        warnings: tuple[str, ...] = ()
        if own is not None:
            html, css, warnings = _in_glyphs(html, own.css, request.store)
        try:
            return Printed(_set(request, found.kind.folder, html=html, css=css, frame=found.view.frame), warnings)
        except RuleBroken as broken:
            # by ours none is
            reason = f"The store's own template makes no {request.pdf.label}: {broken}"
            raise Unprintable(ItemCode.TEMPLATE_FAILED, reason) from None


def _set(request: RenderRequest, folder: str, *, html: str, css: str, frame: Frame) -> bytes:
    """The PDF; raises `RuleBroken`."""
    is_standard = request.pdf is PdfVariant.STANDARD
    return engine.print_pdf(
        html,
        folder=folder,
        paper=request.store.paper,
        dress=Dress(accent=request.store.accent, foot_rows=frame.foot_rows),
        logo=in_rgb(request.store.logo) if request.pdf is PdfVariant.PDF_A_3B else request.store.logo,
        css=css,
        identifier=_identifier(f"{html}{css}", request.store),
        pdf=request.pdf,
        about=None if is_standard else About(title=frame.title, author=frame.seller, lang=frame.lang),
    )


def _in_glyphs(html: str, css: str, store: StoreSettings) -> tuple[str, str, tuple[str, ...]]:
    """A store's own template and style with codes for characters that no font has, and the warning of that.

    Raises `GlyphsMissing` if the store wants no such document.
    """
    missing = missing_in_template(f"{html}{css}")
    if missing is None:
        return html, css, ()
    if store.missing_glyphs is MissingGlyphs.FAIL:
        raise GlyphsMissing(missing.reason)
    return spelled_in_markup(html, missing.places), spelled_out(css, missing.places), (missing.warning,)


def html_of(own: OwnTemplate | None, kind: Kind, view: DocumentView) -> str:
    """The page of a view, by the store's own template if it has one; raises `OwnTemplateFailed`."""
    if own is not None and own.html:
        return filled(own.html, view)
    return _template(kind).render(view=view, logo_url=LOGO_URL)


def _template(kind: Kind) -> Template:
    return _TEMPLATES.get_template(f"{kind.folder}/{kind.folder}.html")


def _identifier(text: str, store: StoreSettings) -> bytes:
    """The PDF's own id, which would be random otherwise: a digest of everything that is printed."""
    digest = sha256(f"{store.paper} {store.accent}".encode())
    digest.update(store.logo or b"")
    digest.update(text.encode())
    return digest.hexdigest()[:32].encode()
