"""What kind of PDF an export makes: the usual one, one to keep for ever, or one that can be read out."""

from enum import StrEnum


class PdfVariant(StrEnum):
    """Which rules the PDFs of an export are made by."""

    STANDARD = "standard"
    # ISO 19005-3, level B: looks the same in decades, on whatever reads it then
    PDF_A_3B = "pdf_a_3b"
    # ISO 14289-1: what it says is found without looking at it
    PDF_UA_1 = "pdf_ua_1"

    @property
    def label(self) -> str:
        """What people call it."""
        return {"standard": "PDF", "pdf_a_3b": "PDF/A-3b", "pdf_ua_1": "PDF/UA-1"}[self]
