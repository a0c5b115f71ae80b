"""Every type of document in four languages, poor and rich, alone and combined: none breaks a rule."""

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.documents.contract import DocumentType
from tests.archive_rules.checking import broken_rules
from tests.archive_rules.documents import RICH_STORE, VARIANTS, combined, document, rich_order
from tests.documents.shop_orders import STORE, order

ROOT = Path(__file__).parents[2]
LOCALES = ("en-GB", "de-DE", "ar-AE", "ja-JP")
POOR = order(date_paid="2024-03-05T10:20:30")
AGAIN = """
import hashlib, sys
from app.domain.pdf_variants import PdfVariant
from tests.archive_rules.documents import combined, document
pdf = document(PdfVariant(sys.argv[1]))
print(*(hashlib.sha256(one).hexdigest() for one in (pdf, combined(PdfVariant(sys.argv[1]), [pdf, pdf]))))
"""


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("locale", LOCALES)
def test_every_document_keeps_the_rules_alone_and_combined(locale, variant):
    documents = [
        document(variant, kind, payload=payload, store=replace(store, locale=locale))
        for kind in DocumentType
        for payload, store in ((POOR, STORE), (rich_order(), RICH_STORE), (rich_order(5), STORE))
    ]

    assert [broken_rules(pdf, variant) for pdf in documents] == [{}] * len(documents)
    assert broken_rules(combined(variant, documents), variant) == {}


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_another_process_makes_the_same_bytes(variant):
    pdf = document(variant)

    again = subprocess.run(
        [sys.executable, "-c", AGAIN, variant],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    alone, together = (hashlib.sha256(one).hexdigest() for one in (pdf, combined(variant, [pdf, pdf])))
    assert again.stdout.split() == [alone, together]
