"""PDFs held to ISO 19005-3 and ISO 14289-1 by `page`, an independent checker of both.

It is no certificate: docs/archive-rules.md says what it looks at, and what nobody's program can.
"""

import re

from page import ValidationProfile, validate_pdf_bytes

from app.domain.pdf_variants import PdfVariant

PROFILES = {
    PdfVariant.PDF_A_3B: ValidationProfile.PDF_A_3B,
    PdfVariant.PDF_UA_1: ValidationProfile.PDF_UA_1,
}

_LENGTH = "PDFA3B-STREAM-LENGTH-001"
_STREAM = re.compile(rb"/Length (\d+)(?=[^0-9])(?:(?!stream).)*?>>\s*stream\r?\n", re.DOTALL)


def broken_rules(pdf: bytes, variant: PdfVariant) -> dict[str, str]:
    """The rules that a PDF of this variant breaks, by their names, each with the first thing that breaks it."""
    found: dict[str, str] = {}
    for failure in validate_pdf_bytes(pdf, profile=PROFILES[variant]).failures:
        found.setdefault(failure.rule_id, failure.message)
    if _LENGTH in found and lengths_are_right(pdf):
        # it takes a stream's last byte for the end of a line if that is a carriage return, which veraPDF does not
        del found[_LENGTH]
    return found


def lengths_are_right(pdf: bytes) -> bool:
    """Whether each stream has as many bytes as it says, and then the end of a line (ISO 19005-3, 6.1.7.1)."""
    streams = list(_STREAM.finditer(pdf))
    ends = (pdf[one.end() + int(one[1]) :] for one in streams)
    return len(streams) == len(re.findall(rb"endstream\b", pdf)) and all(
        re.match(rb"\r?\nendstream\b", end) for end in ends
    )
