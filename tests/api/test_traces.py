"""The trace of a request is in its log and stays on the export that it created; nothing else of it does."""

import structlog
from structlog.testing import capture_logs

from tests.shop import orders

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACE = f"00-{TRACE_ID}-b7ad6b7169203331-01"
OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"


def create(caller, headers, **body):
    return caller("POST", "/v1/exports", json={"document_type": "invoice", **body}, headers=headers)


def test_an_export_keeps_the_trace_of_its_create(alice):
    alice.load(orders(1))

    answer = create(alice, {"traceparent": TRACE})
    export = alice("GET", answer.json()["links"]["self"], headers={"traceparent": OTHER}).json()
    (listed,) = alice("GET", "/v1/exports").json()["items"]

    assert [shown["trace_parent"] for shown in (answer.json(), export, listed)] == [TRACE, TRACE, TRACE]


def test_a_replayed_create_keeps_the_first_trace(alice):
    alice.load(orders(1))

    first = create(alice, {"traceparent": TRACE, "Idempotency-Key": "k"})
    again = create(alice, {"traceparent": OTHER, "Idempotency-Key": "k"})

    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    assert first.json()["trace_parent"] == TRACE


def test_a_trace_of_a_later_version_is_kept_in_the_form_that_we_know(alice):
    alice.load(orders(1))

    answer = create(alice, {"traceparent": f"cc{TRACE[2:]}-more"})

    assert answer.json()["trace_parent"] == TRACE


def test_without_a_valid_trace_an_export_has_none(door, alice):
    alice.load(orders(1))

    answers = [
        create(door.owner(f"owner-{number}"), {} if header is None else {"traceparent": header})
        for number, header in enumerate([None, "", "nonsense", TRACE.upper(), f"ff{TRACE[2:]}"])
    ]

    assert [(answer.status_code, answer.json()["trace_parent"]) for answer in answers] == [(202, None)] * 5


def test_two_traces_are_as_good_as_none(door, alice):
    alice.load(orders(1))

    answer = door.http.post(
        "/v1/exports",
        json={"document_type": "invoice"},
        headers=[("authorization", f"Bearer {alice.token}"), ("traceparent", TRACE), ("traceparent", TRACE)],
    )

    assert (answer.status_code, answer.json()["trace_parent"]) == (202, None)


def test_the_log_of_a_request_tells_its_trace_and_that_of_the_next_does_not(door):
    with capture_logs([structlog.contextvars.merge_contextvars]) as logged:
        door.http.get("/livez", headers={"traceparent": TRACE, "x-request-id": "first"})
        door.http.get("/livez", headers={"traceparent": "nonsense", "x-request-id": "second"})

    lines = [line for line in logged if line["event"] == "request.done"]
    assert [(line["request_id"], line.get("trace_id")) for line in lines] == [("first", TRACE_ID), ("second", None)]
