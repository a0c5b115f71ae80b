"""A typed client of the HTTP interface, for the command line and for other programs.

For example:

    with SheafClient("http://127.0.0.1:8080", token) as sheaf:
        export = sheaf.create_export(Selection(statuses=("completed",)))
        for export in sheaf.wait(export.id):
            print(export.percent)
        sheaf.download(export.id, Path("invoices.zip"))

`AsyncSheafClient` has the same verbs for programs with an event loop, awaited.
"""

from typing import TYPE_CHECKING

from app.client.answers import Archive, CombinedItem, Export, Failure, ImportReport, ManifestItem
from app.client.checks import CheckedDocument, Finding, OrdersCheck, RuleCount
from app.client.client import SheafClient
from app.client.downloading import Existing
from app.client.errors import (
    ArchiveDamaged,
    DownloadRefused,
    NotUnderstood,
    Problem,
    RequestRefused,
    ServerFault,
    SheafError,
    Unreachable,
)
from app.client.orders import Order, OrdersSummary
from app.client.previews import Document, ExportPreview
from app.client.selection import Selection
from app.client.settings import StoreSettings, Template

if TYPE_CHECKING:
    from app.client.client_async import AsyncSheafClient

__all__ = [
    "Archive",
    "ArchiveDamaged",
    "AsyncSheafClient",
    "CheckedDocument",
    "CombinedItem",
    "Document",
    "DownloadRefused",
    "Existing",
    "Export",
    "ExportPreview",
    "Failure",
    "Finding",
    "ImportReport",
    "ManifestItem",
    "NotUnderstood",
    "Order",
    "OrdersCheck",
    "OrdersSummary",
    "Problem",
    "RequestRefused",
    "RuleCount",
    "Selection",
    "ServerFault",
    "SheafClient",
    "SheafError",
    "StoreSettings",
    "Template",
    "Unreachable",
]


def __getattr__(name: str) -> object:
    """Load asyncio for those who ask for it: a command that does not starts sooner."""
    if name == "AsyncSheafClient":
        from app.client.client_async import AsyncSheafClient  # noqa: PLC0415 - see above

        return AsyncSheafClient
    raise AttributeError(name)
