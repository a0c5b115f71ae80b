"""Every stable code that Sheaf answers with: problems, item outcomes, job failures, waits.

One entry is (status, title, hint). OpenAPI and the README are made from and tested against
these enums; a code once published keeps its meaning.
"""

from enum import Enum, StrEnum


class Problem(Enum):
    """What an HTTP answer can say is wrong (RFC 9457 `code`)."""

    MALFORMED_JSON = ("malformed_json", 400, "The body is not JSON", "Look at the line and column in the detail.")
    PARAMETER_INVALID = (
        "parameter_invalid",
        400,
        "A query parameter or header is malformed",
        "The errors name each parameter and what it takes.",
    )
    CURSOR_INVALID = (
        "cursor_invalid",
        400,
        "The cursor belongs to another list",
        "Follow the `next` link as it was given, with the same filters.",
    )
    UPLOAD_BROKEN = (
        "upload_broken",
        400,
        "The upload stops being JSON",
        "Mend the file at the line and column and send it again: repeating is safe.",
    )
    UNAUTHENTICATED = (
        "unauthenticated",
        401,
        "A valid token is needed",
        "Send `Authorization: Bearer …` with a token from `sheaf tokens create`.",
    )
    RIGHT_MISSING = (
        "right_missing",
        403,
        "The token may not do this",
        "The detail names the right; `sheaf tokens create --help` says who gets it.",
    )
    FORM_STALE = (
        "form_stale",
        403,
        "The form is not of this sign-in",
        "Open the page again and send its form from there.",
    )
    NOT_FOUND = ("not_found", 404, "There is no such thing here", "Check the address and whose token you use.")
    METHOD_NOT_ALLOWED = (
        "method_not_allowed",
        405,
        "The address does not take this method",
        "The `Allow` header lists the methods.",
    )
    NOT_ACCEPTABLE = (
        "not_acceptable",
        406,
        "No representation fits the Accept header",
        "Ask for one of the media types that the documentation lists.",
    )
    ACTIVE_EXPORT_EXISTS = (
        "active_export_exists",
        409,
        "This owner has an active export",
        "Wait for it or cancel it; its address is in `export`.",
    )
    ALREADY_FINISHED = (
        "already_finished",
        409,
        "The export has ended",
        "A completed or failed export cannot be cancelled; its state is in `state`.",
    )
    EXPORT_ACTIVE = (
        "export_active",
        409,
        "The export has not ended",
        "Cancel it first, or wait for its end; its state is in `state`.",
    )
    EXPORT_CANCELLED = (
        "export_cancelled",
        409,
        "The export was cancelled",
        "What its owner has stopped is not taken up again; create it anew.",
    )
    NOTHING_TO_RETRY = (
        "nothing_to_retry",
        409,
        "The export has no item to try again",
        "Every item was rendered, or was skipped for good reason.",
    )
    RETRY_UNPLANNED = (
        "retry_unplanned",
        409,
        "A retry still needs this export's items",
        "Try again once the retry is planned, or cancel it; its address is in `export`.",
    )
    EXPORT_DELETED = (
        "export_deleted",
        409,
        "The export of this idempotency key was deleted",
        "Use a new key to create it again.",
    )
    NOT_READY = ("not_ready", 409, "The archive is not ready", "Ask again after `Retry-After` seconds.")
    UPLOAD_STALLED = (
        "upload_stalled",
        408,
        "The upload stopped",
        "Send it again: repeating is safe.",
    )
    NO_ARCHIVE = (
        "no_archive",
        409,
        "The export ended without an archive",
        "Its state and failure code say why; retry it, or create a new export.",
    )
    ARCHIVE_EXPIRED = (
        "archive_expired",
        410,
        "The archive was kept until its expiry",
        "Create the export again; its items are still listed.",
    )
    PRECONDITION_FAILED = (
        "precondition_failed",
        412,
        "The settings have changed meanwhile",
        "Get them again, see what has changed, and send the change with their `ETag`.",
    )
    PAYLOAD_TOO_LARGE = ("payload_too_large", 413, "The body is too large", "Send it in smaller parts.")
    RANGE_NOT_SATISFIABLE = (
        "range_not_satisfiable",
        416,
        "No byte of the range exists",
        "`Content-Range` says how long the archive is.",
    )
    TOO_MANY_SIGN_INS = (
        "too_many_sign_ins",
        429,
        "Too many sign-ins from this address have failed",
        "Wait for `Retry-After` seconds.",
    )
    UNSUPPORTED_MEDIA_TYPE = (
        "unsupported_media_type",
        415,
        "The body's media type is not supported",
        "Send JSON (or NDJSON to the import), plain or gzip.",
    )
    INVALID_REQUEST = (
        "invalid_request",
        422,
        "The request is well-formed but refused",
        "The errors name each field and what it takes.",
    )
    SELECTION_EMPTY = (
        "selection_empty",
        422,
        "The selection matches no order",
        "Widen the selection, or import the orders first.",
    )
    SELECTION_TOO_LARGE = (
        "selection_too_large",
        422,
        "The selection matches too many orders",
        "Split it, for example by date.",
    )
    DOCUMENT_NOT_OWED = (
        "document_not_owed",
        422,
        "The order is owed no such document",
        "`item_code` says why: an export skips it for the same reason.",
    )
    DOCUMENT_FAILED = (
        "document_failed",
        422,
        "The document cannot be made",
        "`item_code` says why: an export's item fails with the same code.",
    )
    IDEMPOTENCY_KEY_REUSED = (
        "idempotency_key_reused",
        422,
        "The idempotency key was used with another body",
        "Use a new key for a new request.",
    )
    INTERNAL_ERROR = (
        "internal_error",
        500,
        "Something went wrong on our side",
        "Try again; if it stays, give the operator the request id.",
    )
    RENDERER_UNAVAILABLE = (
        "renderer_unavailable",
        503,
        "Nothing here can render",
        "An operator has to look at fonts and libraries of the workers, for a document's preview of the API's host; "
        "try again after `Retry-After`.",
    )
    RENDERER_STARTING = (
        "renderer_starting",
        503,
        "The renderer of previews is not ready yet",
        "It starts with the first preview and stays; try again after `Retry-After`.",
    )
    RENDERER_BUSY = (
        "renderer_busy",
        503,
        "The renderer of previews is at work for others",
        "Nothing was begun. Try again after `Retry-After`, or create an export.",
    )
    DATABASE_UNAVAILABLE = (
        "database_unavailable",
        503,
        "The database does not answer",
        "Try again after `Retry-After`; repeating a create with its key is safe.",
    )
    ARTIFACTS_UNAVAILABLE = (
        "artifacts_unavailable",
        503,
        "The archives cannot be reached",
        "Try again after `Retry-After`; nothing is lost.",
    )
    DEADLINE_EXPIRED = (
        "deadline_expired",
        503,
        "Too little time is left to begin this",
        "Nothing was begun. Allow more time: `minimum_ms` is the least that this call needs.",
    )
    CONCURRENCY_LIMIT = (
        "concurrency_limit",
        503,
        "Too many calls are at work",
        "Nothing was begun. Try again after `Retry-After`; spread your calls.",
    )
    DEADLINE_LOCAL = (
        "deadline_local",
        504,
        "The deadline passed before the answer was ready",
        "Nothing was changed. Try again, or allow more time.",
    )
    DEADLINE_DOWNSTREAM = (
        "deadline_downstream",
        504,
        "Something behind this service used up its share of the time",
        "Nothing was changed by the call that was given up; `boundary` says which dependency was late. Try again.",
    )
    OUTCOME_UNKNOWN = (
        "outcome_unknown",
        504,
        "It was asked of the database and not confirmed in time",
        "It may have happened. Repeat the call with the same key: that is safe, and its answer is certain.",
    )
    NOT_READY_TO_SERVE = (
        "not_ready_to_serve",
        503,
        "This process should get no traffic now",
        "The `reason` says why.",
    )

    def __init__(self, code: str, status: int, title: str, hint: str) -> None:
        self.code = code
        self.status = status
        self.title = title
        self.hint = hint


class ItemCode(StrEnum):
    """Why one item has no document."""

    ORDER_NOT_FOUND = "order_not_found"
    ORDER_UNREADABLE = "order_unreadable"
    NUMBER_INVALID = "number_invalid"
    ORDER_ID_INVALID = "order_id_invalid"
    STATUS_NOT_INVOICED = "status_not_invoiced"
    STATUS_NOT_PACKED = "status_not_packed"
    SUB_ORDER = "sub_order"
    ORDER_EMPTY = "order_empty"
    NOTHING_TO_PACK = "nothing_to_pack"
    NOT_PAID = "not_paid"
    NO_REFUND = "no_refund"
    REFUND_NOT_FOUND = "refund_not_found"
    TEMPLATE_FAILED = "template_failed"
    MISSING_GLYPHS = "missing_glyphs"
    RENDER_ERROR = "render_error"
    BROKEN_PDF = "broken_pdf"
    RENDER_CRASHED = "render_crashed"
    RENDER_OUT_OF_MEMORY = "render_out_of_memory"
    RENDER_TIMEOUT = "render_timeout"


class JobFailure(StrEnum):
    """Why a whole job failed."""

    NOTHING_RENDERED = "nothing_rendered"
    SELECTION_EMPTY = "selection_empty"
    SELECTION_TOO_LARGE = "selection_too_large"
    QUEUE_EXPIRED = "queue_expired"
    RUN_EXPIRED = "run_expired"
    WORKERS_LOST = "workers_lost"
    FAILED_BY_OPERATOR = "failed_by_operator"


class PreviewWarning(StrEnum):
    """What a preview warns of: the export could be created, and would not be what its owner expects."""

    NOTHING_RENDERED = "nothing_rendered"
    UNDATED_ORDERS = "undated_orders"
    ACTIVE_EXPORT_EXISTS = "active_export_exists"


class WaitingFor(StrEnum):
    """What an active job waits for, if it does."""

    WORKER = "worker"
    ARTIFACTS = "artifacts"
    DISK = "disk"
    RENDERER = "renderer"


FAILURE_SENTENCES = {
    JobFailure.NOTHING_RENDERED: "No item of this export could be rendered.",
    JobFailure.SELECTION_EMPTY: "The selection matched no order when the export was planned.",
    JobFailure.SELECTION_TOO_LARGE: "The selection matched too many orders when the export was planned.",
    JobFailure.QUEUE_EXPIRED: "No worker began this export within its time in the queue.",
    JobFailure.RUN_EXPIRED: "This export made no progress for its whole running time.",
    JobFailure.WORKERS_LOST: "A step of this export lost its worker too many times.",
    JobFailure.FAILED_BY_OPERATOR: "An operator ended this export.",
}


def failure_sentence(code: str) -> str:
    """Why a job failed; while hosts are changed over, a later release may have written a code that we do not know."""
    known = code in set(JobFailure)
    return FAILURE_SENTENCES[JobFailure(code)] if known else "This export failed."
