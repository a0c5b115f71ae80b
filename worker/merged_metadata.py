"""What a combined PDF/A-3b or PDF/UA-1 says of itself: from its documents, never from a clock."""

from collections.abc import Mapping, Sequence
from typing import Final

from pikepdf import Array, Dictionary, Object, Pdf
from pikepdf.models.metadata import decode_pdf_date

from app.domain.pdf_variants import PdfVariant

_CLAIMS: Final[Mapping[PdfVariant, Mapping[str, str]]] = {
    PdfVariant.PDF_A_3B: {"pdfaid:part": "3", "pdfaid:conformance": "B"},
    PdfVariant.PDF_UA_1: {"pdfuaid:part": "1"},
}
"""What is said in XMP (ISO 19005-3, 6.6.4; ISO 14289-1, 5)."""

_DATES: Final = {"/CreationDate": "xmp:CreateDate", "/ModDate": "xmp:ModifyDate"}


def describe(pdf: Pdf, variant: PdfVariant, documents: Sequence[Pdf]) -> None:
    """Give a PDF that has its title, author and language the rest of what its variant needs."""
    info = pdf.docinfo
    for name in _DATES:
        dates = [str(document.docinfo[name]) for document in documents if name in document.docinfo]
        if dates:
            info[name] = max(dates)
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        xmp["dc:title"] = str(info["/Title"])
        if "/Author" in info:
            xmp["dc:creator"] = [str(info["/Author"])]
        if "/Producer" in info:
            xmp["pdf:Producer"] = str(info["/Producer"])
        for name, said in _DATES.items():
            if name in info:
                xmp[said] = decode_pdf_date(str(info[name])).isoformat()
        for claim, value in _CLAIMS[variant].items():
            xmp[claim] = value
    intents = documents[0].Root.get("/OutputIntents")
    if intents is not None:
        pdf.Root.OutputIntents = Array([_copied(pdf, intent) for intent in intents])


def _copied(pdf: Pdf, intent: Object) -> Object:
    """The colours that a document was made for; their profile is the one that its pages have."""
    entries = intent.as_dict().items()
    return Dictionary({name: pdf.copy_foreign(value) if value.is_indirect else value for name, value in entries})
