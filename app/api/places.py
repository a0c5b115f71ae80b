"""Where the documents of an export stand in its combined PDFs, told page by page of its manifest.

A place follows from all documents before it. So a page's cursor carries what the page behind it needs, and only the
first page, or one asked for while the export was still at work, reads the sizes of all documents.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from app.api.services import Services
from app.database.items import list_sizes
from app.database.tables import ItemRow, JobRow
from app.domain.layouts import Filled, Layout, Placing
from app.domain.lifecycle import JobState
from app.domain.manifest import ManifestItem
from app.domain.placing import placed, unplaced
from app.exports.manifest import manifest_item

_SIZES: Final = 5000
"""Documents whose sizes are read at a time: some ten milliseconds of the event loop."""

CARRIED: Final = 5
"""How many numbers a cursor carries besides the ordinal."""


@dataclass(slots=True)
class Places:
    """Makes manifest items of rows, in ordinal order."""

    job: JobRow
    placing: Placing | None = None
    """None if nothing is to be told: no combined PDFs, or none yet."""
    parts: int = 0

    def items(self, rows: Sequence[ItemRow]) -> list[ManifestItem]:
        """The next items, each with its place if the layout has any."""
        items = [manifest_item(row, self.job.document_type, self.job.layout) for row in rows]
        if not Layout(self.job.layout).has_combined_files:
            return items
        return [*(unplaced(items) if self.placing is None else placed(items, self.placing, parts=self.parts))]

    def carried(self) -> list[int]:
        """What a cursor carries besides the ordinal, for `places_behind`."""
        return [] if self.placing is None else [*astuple(self.placing.filled), self.parts]


async def places_behind(services: Services, job: JobRow, ordinal: int, carried: Sequence[int]) -> Places:
    """Places of the items behind an ordinal; `carried` is from the cursor, or empty."""
    if job.state is not JobState.COMPLETED or not Layout(job.layout).has_combined_files:
        return Places(job)
    if carried:
        *filled, parts = carried
        return Places(job, Placing(at_most=job.combined_part, filled=Filled(*filled)), parts)
    filled_before, placing, after = Filled(), Placing(at_most=job.combined_part), 0
    while True:
        async with services.database.reading() as tx:
            sizes = await tx.run_sync(list_sizes, job.id, after=after, limit=_SIZES)
        if not sizes:
            return Places(job, Placing(at_most=job.combined_part, filled=filled_before), placing.parts)
        for after, size, pages in sizes:
            placing.place(size=size, pages=pages)
            if after <= ordinal:
                filled_before = placing.filled
