"""What answers look like, for those who read OpenAPI: one story, from an order to a retry."""

from typing import Any, Final

from app.domain.codes import Problem
from app.domain.manifest import Failure, ManifestItem, failures_csv, manifest_csv

EXPORT_ID: Final = "825d15a7-ae9a-539e-a350-c980328bbc55"
_PATH: Final = f"/v1/exports/{EXPORT_ID}"
_SHA256: Final = "bbb93f15c8d679e625b69b937ac58ab2ed6dfe9a81c195e3b0614a4aee5e76c2"

_EXPORT: Final[dict[str, Any]] = {
    "id": EXPORT_ID,
    "state": "completed",
    "phase": None,
    "document_type": "invoice",
    "layout": "separate",
    "pdf": "standard",
    "sort": "created",
    "filename_pattern": "{type}-{number}",
    "selection": {"created": {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"}},
    "counts": {"requested": 25, "rendered": 22, "failed": 1, "skipped": 2},
    "percent": 100,
    "seconds_left": None,
    "queue_position": None,
    "starts_in_seconds": None,
    "waiting_for": None,
    "store_version": 3,
    "undated_orders": 0,
    "failure": None,
    "archive": {
        "bytes": 450_912,
        "sha256": _SHA256,
        "expires_at": "2026-12-07T11:24:09.250000Z",
        "is_expired": False,
    },
    "idempotency_key": "november-invoices",
    "trace_parent": None,
    "retry_of": None,
    "created_at": "2026-11-30T11:24:00.120000Z",
    "started_at": "2026-11-30T11:24:00.180000Z",
    "planned_at": "2026-11-30T11:24:00.230000Z",
    "cancel_requested_at": None,
    "finished_at": "2026-11-30T11:24:09.250000Z",
    "revision": 9,
    "links": {
        "self": _PATH,
        "cancel": f"{_PATH}/cancel",
        "retry": f"{_PATH}/retry",
        "retries": f"/v1/exports?retry_of={EXPORT_ID}",
        "failures": f"{_PATH}/failures",
        "manifest": f"{_PATH}/manifest",
        "archive": f"{_PATH}/archive",
    },
}

_FAILURE: Final[dict[str, Any]] = {
    "ordinal": 7,
    "outcome": "failed",
    "code": "order_not_found",
    "reason": "No order with number 9999 in this store",
    "type": "invoice",
    "number": "9999",
    "order_id": None,
    "refund_id": None,
}

_MANIFEST_ITEM: Final[dict[str, Any]] = {
    "ordinal": 1,
    "outcome": "rendered",
    "code": "",
    "file": "invoice-7102.pdf",
    "type": "invoice",
    "number": "7102",
    "order_id": 7102,
    "refund_id": None,
    "date": "2026-11-01",
    "customer": "Dilani Wickramanayake",
    "country": "LK",
    "currency": "LKR",
    "net": "27111.00",
    "tax": "4880.28",
    "total": "31991.28",
    "pages": 1,
    "bytes": 19_482,
    "sha256": "3c0e4f0b2d6f8e5c1a9d7b3f5e2c4a6b8d0f1e3a5c7b9d1f3e5a7c9b1d3f5e7a",
    "warnings": [],
}

_PREVIEW: Final[dict[str, Any]] = {
    "document_type": "invoice",
    "layout": "separate",
    "pdf": "standard",
    "sort": "created",
    "filename_pattern": "{type}-{number}",
    "selection": {"order_ids": [7102, 9999]},
    "counts": {"requested": 2, "to_render": 1, "skipped": 0, "failed": 1},
    "undated_orders": 0,
    "first": [
        {
            "ordinal": 1,
            "order_id": 7102,
            "refund_id": None,
            "number": "7102",
            "date": "2026-11-01",
            "customer": "Dilani Wickramanayake",
            "currency": "LKR",
            "total": "31991.28",
            "file_name": "invoice-7102.pdf",
            "expected": "rendered",
            "code": None,
            "reason": None,
            "warnings": [],
        }
    ],
    "skipped": [],
    "failed": [
        {
            "code": "order_not_found",
            "count": 1,
            "first": [
                {
                    "ordinal": 2,
                    "order_id": 9999,
                    "refund_id": None,
                    "number": "",
                    "reason": "No order with id 9999 in this store",
                }
            ],
        }
    ],
    "estimate": {"seconds": 1, "documents_per_second": 10.0, "basis": "default"},
    "warnings": [],
    "active_export": None,
}

_ORDER: Final[dict[str, Any]] = {
    "order_id": 7102,
    "number": "7102",
    "status": "completed",
    "created_at": "2026-11-01T09:12:44Z",
    "customer_id": 31,
    "customer": "Dilani Wickramanayake",
    "country": "LK",
    "currency": "LKR",
    "part_of": None,
}

_STORE: Final[dict[str, Any]] = {
    "key": "corner",
    "version": 3,
    "changed_at": "2026-11-30T11:22:07.068000Z",
    "changed_by": "alice",
    "name": "Corner Shop",
    "address": ["12 Mill Lane", "Galway H91 E2K3", "Ireland"],
    "tax_ids": [{"number": "IE1234567FA", "label": "VAT no."}],
    "bank_lines": ["IBAN IE29 AIBK 9311 5212 3456 78"],
    "footer": [],
    "accent": "#1a4d8f",
    "logo": {"media_type": "image/png", "bytes": 8120, "sha256": _SHA256},
    "paper": "A4",
    "locale": "en-IE",
    "time_zone": "Europe/Dublin",
    "number_keys": [],
    "missing_glyphs": "warn",
    "country": "IE",
    "vat_keys": [],
    "unit_keys": [],
    "untaxed": None,
    "templates": [],
    "links": {"self": "/v1/store", "logo": "/v1/store/logo"},
}

EXAMPLES: Final[dict[str, Any]] = {
    "ExportModel": _EXPORT,
    "ExportList": {"items": [_EXPORT], "next": None},
    "ExportPreview": _PREVIEW,
    "FailureList": {"items": [_FAILURE], "next": None},
    "ManifestList": {"items": [_MANIFEST_ITEM], "next": f"{_PATH}/manifest?limit=1&cursor=WyI4YzE0Iiwx"},
    "OrderList": {"items": [_ORDER], "next": None},
    "OrdersSummary": {
        "orders": 71,
        "statuses": [{"status": "completed", "orders": 58}, {"status": "cancelled", "orders": 13}],
        "undated": 0,
        "first_at": "2026-09-02T08:00:10Z",
        "last_at": "2026-11-29T21:47:31Z",
        "refunds": 4,
    },
    "OrdersCheck": {
        "checked": 62,
        "ready": 61,
        "skipped": 13,
        "not_found": [],
        "rules": [
            {
                "rule": "BR-11",
                "terms": "BT-55",
                "severity": "missing",
                "title": "The buyer's country is not known.",
                "remedy": "Add it to the order in the shop, and import it again.",
                "documents": 1,
                "examples": ["7102"],
                "details": ["it has no country"],
            }
        ],
        "documents": [
            {
                "order_id": 7102,
                "number": "7102",
                "document_type": "invoice",
                "refund_id": None,
                "findings": [
                    {
                        "rule": "BR-11",
                        "severity": "missing",
                        "where": "billing address",
                        "detail": "it has no country",
                    }
                ],
            }
        ],
        "next": None,
    },
    "ImportReportModel": {
        "new": 70,
        "changed": 0,
        "unchanged": 0,
        "stale": 0,
        "rejected": 1,
        "errors": [
            {
                "line": 12,
                "id": None,
                "code": "no_order_in_it",
                "reason": "it has no id; is it a request to create an order?",
            }
        ],
        "errors_truncated": False,
        "warnings": [],
    },
    "StoreModel": _STORE,
    "TemplateModel": {
        "document_type": "invoice",
        "template": None,
        "style": "h1 { letter-spacing: 0.05em }",
        "ours": '{% extends "frame/priced.html" %}',
    },
    "Health": {"status": "ok"},
}
"""By the name of the model that an answer is."""

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "list_failures": ("text/csv", "".join(failures_csv([Failure(**_FAILURE)]))),
    "list_manifest": ("text/csv", "".join(manifest_csv([ManifestItem(**_MANIFEST_ITEM)]))),
    "follow_export": (
        "text/event-stream",
        f'retry: 1000\n\nevent: snapshot\ndata: {{"id":"{EXPORT_ID}","state":"processing","percent":39}}\nid: 7\n\n',
    ),
}
"""By operation, where an answer is no JSON and no file: its media type, and what it looks like."""


def problem_example(problem: Problem) -> dict[str, Any]:
    """A problem as it is answered; the detail is often longer, and some codes have members of their own."""
    return {
        "type": "about:blank",
        "code": problem.code,
        "title": problem.title,
        "status": problem.status,
        "detail": f"{problem.title}.",
        "hint": problem.hint,
    }
