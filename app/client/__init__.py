"""A typed client of the HTTP interface, for the command line and for other programs.

For example:

    with SheafClient("http://127.0.0.1:8080", token) as sheaf:
        export = sheaf.create_export(Selection(statuses=("completed",)))
        for export in sheaf.wait(export.id):
            print(export.percent)
        sheaf.download(export.id, Path("invoices.zip"))
"""

from app.client.answers import Archive, CombinedItem, Export, Failure, ImportReport, ManifestItem
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
from app.client.previews import Document, ExportPreview
from app.client.selection import Selection

__all__ = [
    "Archive",
    "ArchiveDamaged",
    "CombinedItem",
    "Document",
    "DownloadRefused",
    "Existing",
    "Export",
    "ExportPreview",
    "Failure",
    "ImportReport",
    "ManifestItem",
    "NotUnderstood",
    "Problem",
    "RequestRefused",
    "Selection",
    "ServerFault",
    "SheafClient",
    "SheafError",
    "Unreachable",
]
