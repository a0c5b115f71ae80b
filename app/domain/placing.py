"""Where each item stands in the combined PDFs of its export: told alike by the archive's manifest and the API's."""

from collections.abc import Iterable, Iterator

from app.domain.layouts import Placing, combined_name
from app.domain.lifecycle import Outcome
from app.domain.manifest import CombinedItem, ManifestItem, fields_of


def count_parts(items: Iterable[ManifestItem], *, at_most: int) -> int:
    """How many combined PDFs the rendered items make."""
    placing = Placing(at_most=at_most)
    for item in items:
        if item.outcome is Outcome.RENDERED:
            placing.place(size=item.bytes or 0, pages=item.pages or 0)
    return placing.parts


def placed(items: Iterable[ManifestItem], placing: Placing, *, parts: int) -> Iterator[CombinedItem]:
    """Each item with the combined PDF that it is in, one of so many, and the page on which it begins."""
    return (placed_next(item, placing, parts=parts) for item in items)


def placed_next(item: ManifestItem, placing: Placing, *, parts: int) -> CombinedItem:
    """The next item with the combined PDF that it is in, one of so many, and the page on which it begins."""
    file, page = "", None
    if item.outcome is Outcome.RENDERED:
        place = placing.place(size=item.bytes or 0, pages=item.pages or 0)
        file, page = combined_name(item.type, part=place.part, parts=parts), place.page
    return CombinedItem(**fields_of(item), combined_file=file, combined_page=page)


def unplaced(items: Iterable[ManifestItem]) -> Iterator[CombinedItem]:
    """Each item as one whose place is not settled."""
    return (CombinedItem(**fields_of(item)) for item in items)
