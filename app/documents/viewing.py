"""An order put into the words of one document: all that is known of it before anything is laid out.

Nothing here needs the layout engine, so whoever only wants to know does not load it.
"""

import decimal
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from app.documents import preflight
from app.documents.contract import DocumentFacts, RenderRequest, SkippedDocument, UnrenderableDocument
from app.documents.kinds import KINDS, Kind
from app.documents.owed import NotOwed
from app.documents.preflight import GlyphsMissing
from app.documents.view import DocumentView
from app.domain.codes import ItemCode
from app.domain.store_settings import MissingGlyphs
from app.orders.model import Order
from app.orders.payload import read_payload, read_payloads
from app.orders.reading import UnreadableOrder, read_order

T = TypeVar("T")

REASON_LENGTH: Final = 200

DIGITS: Final = 120
"""To calculate with: sums of the longest numbers that an order may hold, with nothing rounded away."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """A document in words, and every warning that its item will have."""

    kind: Kind
    view: DocumentView
    warnings: tuple[str, ...]


def viewed(request: RenderRequest) -> Viewed:
    """Read the order and put it into words that our fonts have.

    Raises `NotOwed`, `UnreadableOrder`, `GlyphsMissing`, or what nobody foresaw.
    """
    order = read_order(
        read_payload(request.payload),
        refunds=read_payloads(request.refunds),
        time_zone=ZoneInfo(request.store.time_zone),
        number_keys=request.store.number_keys,
    )
    kind = KINDS[request.document_type]
    view = _in_glyphs(kind.view(order, request.store, request.refund_id), kind, order, request)
    return Viewed(kind, view, (*order.warnings, *view.warnings))


def _in_glyphs(view: DocumentView, kind: Kind, order: Order, request: RenderRequest) -> DocumentView:
    """The view with codes for characters that no font has, made anew so that their longer texts are measured.

    The manifest keeps the order's own texts. Raises `GlyphsMissing` if the store wants no such document.
    """
    missing = preflight.missing_in(view)
    if missing is None:
        return view
    if request.store.missing_glyphs is MissingGlyphs.FAIL:
        raise GlyphsMissing(missing.reason)
    order = preflight.spelled_throughout(order, missing.places)
    store = preflight.spelled_throughout(request.store, missing.places)
    # our own words and those of CLDR stand in the view alone
    legible = preflight.spelled_throughout(kind.view(order, store, request.refund_id), missing.places)
    return replace(legible, manifest=view.manifest, warnings=(*view.warnings, missing.warning))


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What the manifest will say of a document if it can be laid out."""

    facts: DocumentFacts
    warnings: tuple[str, ...]


def foresee(request: RenderRequest) -> Foreseen | UnrenderableDocument:
    """What rendering would say of the order before it lays it out."""

    def look() -> Foreseen:
        found = viewed(request)
        return Foreseen(found.view.manifest, found.warnings)

    return settled(look)


def settled(make: Callable[[], T]) -> T | UnrenderableDocument:
    """What `make` makes of one order; whatever is wrong with the order comes back as a value."""
    try:
        with decimal.localcontext(prec=DIGITS):
            return make()
    except NotOwed as owed:
        return SkippedDocument(code=owed.code, reason=owed.reason)
    except GlyphsMissing as missing:
        return UnrenderableDocument(code=ItemCode.MISSING_GLYPHS, reason=missing.reason[:REASON_LENGTH])
    except UnreadableOrder as unreadable:
        return UnrenderableDocument(code=str(unreadable.code), reason=unreadable.reason)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 a bad order hurts itself only, whatever we did not foresee
        return UnrenderableDocument(code="render_error", reason=described(error))


def described(error: Exception) -> str:
    """Name an exception in at most `REASON_LENGTH` characters, without quoted values and without paths."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"", "…", str(error))
    message = re.sub(r"\S*[/\\]\S*", "…", message)
    return f"{type(error).__name__}: {' '.join(message.split())}"[:REASON_LENGTH]
