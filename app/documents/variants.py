"""What makes a PDF/A-3b or a PDF/UA-1 of a document, beyond what WeasyPrint does when it is asked for one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, Final

import weasyprint.pdf  # type: ignore[import-untyped]
from weasyprint.css import ColorProfile  # type: ignore[import-untyped]

from app.documents import tagging
from app.documents.rules import RuleBroken
from app.domain.pdf_variants import PdfVariant

# it has no way to be given another tagger; documents that are not tagged never meet it
weasyprint.pdf.add_tags = tagging.add_tags

Finisher = Callable[[Any, Any], None]
"""What WeasyPrint calls with a document and its PDF before it writes it."""

OPTIONS: Final[Mapping[PdfVariant, Mapping[str, str]]] = {
    PdfVariant.STANDARD: {},
    # its own way to the profile leaves a file open; ours is the only one that a document has, and so its intent
    PdfVariant.PDF_A_3B: {"pdf_variant": "pdf/a-3b", "output_intent": "ours"},
    PdfVariant.PDF_UA_1: {"pdf_variant": "pdf/ua-1"},
}
"""What is asked of WeasyPrint (`write_pdf`)."""

WORD_JOINER: Final = b"<2060>"


@dataclass(frozen=True, slots=True)
class About:
    """What a document must say of itself, for a store's own template that does not."""

    title: str
    author: str
    lang: str


def prepare(document: Any, variant: PdfVariant, about: About) -> None:
    """Give a document what its variant needs before it is painted."""
    metadata = document.metadata
    metadata.title = metadata.title or about.title
    metadata.authors = metadata.authors or [about.author]
    metadata.lang = metadata.lang or about.lang
    if variant is PdfVariant.PDF_A_3B:
        profile = ColorProfile(BytesIO(_srgb()), "sRGB2014.icc", "relative-colorimetric", (["r"], ["g"], ["b"]))
        document.color_profiles.clear()
        document.color_profiles["srgb"] = profile


@cache
def _srgb() -> bytes:
    return (files(weasyprint.pdf) / "sRGB2014.icc").read_bytes()


def finished(variant: PdfVariant, finisher: Finisher | None) -> Finisher | None:
    """The finisher of a document, with what its variant needs after it; what it gives raises `RuleBroken`."""
    if variant is PdfVariant.STANDARD:
        return finisher

    def finish(document: Any, pdf: Any) -> None:
        if finisher is not None:
            finisher(document, pdf)
        for one in pdf.objects:
            if variant is PdfVariant.PDF_A_3B:
                _keep(one)
            else:
                _name_glyphs(one)

    return finish


def _keep(one: Any) -> None:
    """Make an object of a PDF fit for a PDF/A-3b; raises `RuleBroken`."""
    extra = getattr(one, "extra", {})
    if extra.get("Type") == "/Metadata":
        # ISO 19005-3, 6.6.2.1: whoever searches a disk reads it without knowing PDF
        one.compress = False
    if "Interpolate" in extra:
        # ISO 19005-3, 6.2.8: what a viewer makes up between two dots is its own idea
        extra["Interpolate"] = "false"
    if any(isinstance(line, bytes) and line.startswith(b"/DeviceCMYK") for line in getattr(one, "stream", ())):
        # ISO 19005-3, 6.2.4.3: the profile that says how colours look is one of red, green and blue
        raise RuleBroken("its style has a colour of inks (device-cmyk), and how that looks is not defined")


def _name_glyphs(one: Any) -> None:
    """Give a text to each glyph of a font, also to one whose text is told with another one (ISO 14289-1, 7.21.7)."""
    if b"begincmap" in getattr(one, "stream", ()):
        one.stream[:] = [line.replace(b"<>", WORD_JOINER) if line.endswith(b" <>") else line for line in one.stream]
