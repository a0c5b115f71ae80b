"""Our templates and styles as text, and the address by which a document refers to its store's logo."""

from functools import cache
from pathlib import Path
from typing import Final

from app.documents.contract import DocumentType
from app.documents.kinds import KINDS

TEMPLATES: Final = Path(__file__).with_name("templates")

LOGO_URL: Final = "sheaf-logo:logo"
"""The only address a document may refer to; it is answered from memory."""


@cache
def text_of(name: str) -> str:
    """The text of one of our files, such as `frame/frame.html`."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def template_of(document_type: DocumentType) -> str:
    """Our template of a type."""
    folder = KINDS[document_type].folder
    return text_of(f"{folder}/{folder}.html")
