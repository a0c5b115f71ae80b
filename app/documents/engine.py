"""The one place that knows WeasyPrint: HTML in, PDF bytes out, the same bytes for the same input."""

import os
from functools import cache, lru_cache
from typing import Final

from app.documents import fonts
from app.documents.dress import PLAIN, Dress
from app.documents.ours import LOGO_URL, TEMPLATES, text_of
from app.domain.pdf_variants import PdfVariant
from app.domain.store_settings import PAPERS

# Before the imports below: WeasyPrint loads fontconfig while it is imported.
fonts.use_declared_fonts()

# fontTools stamps the emoji that it embeds with the current time, unless this is set.
os.environ["SOURCE_DATE_EPOCH"] = "0"

from weasyprint import CSS  # type: ignore[import-untyped]  # noqa: E402
from weasyprint.text.fonts import FontConfiguration  # type: ignore[import-untyped]  # noqa: E402
from weasyprint.urls import URLFetcher, URLFetcherResponse  # type: ignore[import-untyped]  # noqa: E402

from app.documents import variants  # noqa: E402
from app.documents.extraction import finisher_of  # noqa: E402
from app.documents.kept_images import images_of  # noqa: E402
from app.documents.lean import page_of  # noqa: E402
from app.documents.variants import About  # noqa: E402

FRAME: Final = "frame"
"""The folder of what all types share."""

LINKS: Final = ("https://", "http://", "mailto:", "tel:")
"""What a link may begin with. Our own templates have none; a shop's own may."""


class RefusedAddressError(ValueError):
    """A document asked for something other than its logo. WeasyPrint leaves the thing out."""


class _LogoOnly(URLFetcher):  # type: ignore[misc]
    """Answers `LOGO_URL` from memory and refuses everything else: no file, no network, no data URL."""

    def __init__(self, logo: bytes | None) -> None:
        super().__init__(allowed_protocols=())
        self._logo = logo

    def fetch(self, url: str, headers: object = None) -> URLFetcherResponse:
        """Answer with the logo, or raise `RefusedAddressError`."""
        if url != LOGO_URL or self._logo is None:
            raise RefusedAddressError
        return URLFetcherResponse(LOGO_URL, self._logo)


class _DeclaredFonts(FontConfiguration):  # type: ignore[misc]
    """The fonts of `fonts.conf` and no others: what one document added would stay for all that follow."""

    def add_font_face(self, rule_descriptors: object, url_fetcher: object) -> None:
        """Add nothing, and write no file, whatever a `@font-face` asks for."""


def print_pdf(
    html: str,
    *,
    folder: str,
    paper: str,
    logo: bytes | None,
    identifier: bytes,
    dress: Dress = PLAIN,
    css: str = "",
    pdf: PdfVariant = PdfVariant.STANDARD,
    about: About | None = None,
) -> bytes:
    """Lay out one document with the frame's style sheet, the one of its folder and what is its store's own.

    Raises `RuleBroken` for what cannot be of this variant. `about` is for variants other than the standard one.
    """
    document = page_of(html, css)(string=html, url_fetcher=_LogoOnly(logo)).render(
        font_config=_font_configuration(),
        stylesheets=[
            *map(_of_ours, sheets_of(folder=folder, paper=paper, dress=dress)),
            *([_of_store(css)] if css else ()),
        ],
        cache=images_of(logo, html, css),
    )
    for page in document.pages:
        page.links[:] = [link for link in page.links if _is_harmless(link_type=link[0], target=link[1])]
        page.forms.clear()  # a button of a form sends what was typed to an address
    document.metadata.attachments.clear()
    if about is not None:
        variants.prepare(document, pdf, about)
    finisher = variants.finished(pdf, finisher_of(html))
    return bytes(document.write_pdf(pdf_identifier=identifier, finisher=finisher, **variants.OPTIONS[pdf]))


def _is_harmless(*, link_type: str, target: str) -> bool:
    """Whether a reader may click a link: it opens no file of theirs, and nothing is attached for it."""
    return link_type == "internal" or (link_type == "external" and target.startswith(LINKS))


def sheets_of(*, folder: str, paper: str, dress: Dress = PLAIN) -> tuple[str, ...]:
    """The text of our style sheets for a document, the later above the earlier; a store's own comes above them."""
    return (_base(paper), text_of(f"{FRAME}/{FRAME}.css"), *_own_style(folder), dress.css())


def prepare(folder: str) -> None:
    """Load fonts and styles now instead of with the first document."""
    for paper in PAPERS:
        for text in sheets_of(folder=folder, paper=paper):
            _of_ours(text)


@cache
def _font_configuration() -> _DeclaredFonts:
    """One per process: each new one leaks 0.2 MB."""
    return _DeclaredFonts()


@cache
def _own_style(folder: str) -> tuple[str, ...]:
    """The sheet of a type that differs from the frame in anything."""
    return (text_of(f"{folder}/{folder}.css"),) if (TEMPLATES / folder / f"{folder}.css").is_file() else ()


@cache
def _base(paper: str) -> str:
    """What all documents have in common: the paper and the fonts."""
    stacks = [f'html.han-{han.lower()} {{ font-family: "Sheaf {han}" }}' for han in fonts.HAN]
    return "\n".join([f"@page {{ size: {paper} }}", *stacks])


@lru_cache(maxsize=64)
def _of_ours(text: str) -> CSS:
    """Ours are a dozen, and some for every colour and foot of a store."""
    return _parsed(text)


@lru_cache(maxsize=8)
def _of_store(text: str) -> CSS:
    """Asked for by its text, whosever it is; parsed, the longest takes megabytes."""
    return _parsed(text)


def _parsed(text: str) -> CSS:
    return CSS(string=text, font_config=_font_configuration(), url_fetcher=_LogoOnly(None))
