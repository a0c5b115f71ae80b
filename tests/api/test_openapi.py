"""OpenAPI tells what callers may send and what they can get, on every route."""

import json
import re

import jsonschema_rs
import pytest
from pydantic import SecretStr

from app.api.deadlines import Policies
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.domain.codes import Problem
from app.domain.document_type import DocumentType
from app.domain.layouts import Layout
from app.domain.pdf_variants import PdfVariant
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.shop import orders

FILES = {"application/zip", "application/pdf", "image/png", "image/jpeg"}
PROBES = {"/livez", "/readyz"}
EVERYWHERE = {"parameter_invalid", "internal_error", "concurrency_limit", "deadline_local"}
BEHIND = {"unauthenticated", "database_unavailable", "deadline_expired", "deadline_downstream"}


@pytest.fixture(scope="module")
def openapi(tmp_path_factory):
    """The text of an application that never runs."""
    folder = tmp_path_factory.mktemp("openapi")
    settings = Settings(database_url=SecretStr(f"sqlite:///{folder / 'none.db'}"))
    return composing.build_api(settings, broker=memory_broker(), artifacts=FolderStore(folder)).openapi()


def operations(openapi):
    return [(path, method, one) for path, methods in openapi["paths"].items() for method, one in methods.items()]


def test_every_route_documents_its_problems_by_code_and_status(openapi):
    known = {problem.code: problem for problem in Problem}

    for path, method, operation in operations(openapi):
        told = "".join(answer["description"] for answer in operation["responses"].values())
        codes = set(re.findall(r"`(\w+)`: ", told))
        assert (EVERYWHERE if path in PROBES else EVERYWHERE | BEHIND) <= codes <= set(known), (method, path)
        for code in codes:
            answer = operation["responses"][str(known[code].status)]
            assert list(answer["content"]) == ["application/problem+json"], (method, path, code)


def test_what_can_be_unknown_is_documented_where_something_is_written(openapi):
    unknown = {
        f"{method} {path}"
        for path, method, operation in operations(openapi)
        if "`outcome_unknown`" in operation["responses"].get("504", {}).get("description", "")
    }

    assert unknown == {
        "post /v1/exports",
        "post /v1/exports/{export_id}/cancel",
        "post /v1/exports/{export_id}/retry",
        "delete /v1/exports/{export_id}",
        "patch /v1/store",
        "put /v1/store/logo",
        "delete /v1/store/logo",
        "put /v1/store/templates/{document_type}",
        "delete /v1/store/templates/{document_type}",
    }


def test_every_route_takes_a_deadline_and_tells_how_it_was_used(openapi):
    for path, method, operation in operations(openapi):
        taken = {one.get("$ref", "").rpartition("/")[2] for one in operation["parameters"]}
        assert {"Grpc-Timeout", "Connect-Timeout-Ms", "X-Envoy-Expected-Rq-Timeout-Ms"} <= taken, (method, path)
        for answer in operation["responses"].values():
            assert {"Server-Timing", "X-Request-Id"} <= set(answer["headers"]), (method, path)


def test_every_documented_route_has_a_row_in_the_table_of_deadlines(openapi):
    policies = Policies(request_seconds=10)

    for path, method, _ in operations(openapi):
        scope = {"method": method.upper(), "path": path.format(export_id="0", document_type="invoice"), "headers": []}
        assert policies.of(scope).route != "other", (method, path)


def test_a_stranger_finds_words_and_an_example_for_everything(openapi):
    components = openapi["components"]

    for path, method, operation in operations(openapi):
        place = (method, path)
        assert operation["summary"], place
        assert operation["description"], place
        for parameter in operation["parameters"]:
            told = components["parameters"][parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter
            assert told.get("description"), (*place, told["name"])
        if "requestBody" in operation:
            assert operation["requestBody"]["content"], place
        for status, answer in operation["responses"].items():
            assert answer["description"], (*place, status)
            for media_type, content in answer.get("content", {}).items():
                assert has_example(components, media_type, content), (*place, status, media_type)


def has_example(components, media_type, content):
    """Files need none."""
    if media_type in FILES:
        return True
    if media_type == "application/problem+json":
        return content["examples"].keys() <= components["examples"].keys()
    if media_type == "application/json":
        return bool(components["schemas"][content["schema"]["$ref"].rpartition("/")[2]]["examples"])
    return bool(content["example"])


def test_the_examples_are_what_could_be_answered(openapi):
    components = {"components": {**openapi["components"], "examples": {}}}
    shown = {name: one["examples"] for name, one in openapi["components"]["schemas"].items() if "examples" in one}
    shown["ProblemModel"] = [one["value"] for one in openapi["components"]["examples"].values()]

    for name, examples in shown.items():
        schema = jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/components/schemas/{name}", **components}, validate_formats=True
        )
        for example in examples:
            schema.validate(example)
            required = openapi["components"]["schemas"][name]["required"]
            assert set(required) <= set(example), name


def test_every_reference_leads_somewhere(openapi):
    for reference in set(re.findall(r'"#/components/(\w+)/([\w.-]+)"', json.dumps(openapi))):
        kind, name = reference
        assert name in openapi["components"][kind], reference
    assert "ValidationError" not in json.dumps(openapi)


def test_what_an_export_takes_is_offered(openapi):
    body = openapi["components"]["schemas"]["ExportBody"]["properties"]

    assert body["document_type"]["$ref"].endswith("/DocumentType")
    assert openapi["components"]["schemas"]["DocumentType"]["enum"] == list(DocumentType)
    assert body["layout"] | {"description": ""} == {
        "$ref": "#/components/schemas/Layout",
        "default": "separate",
        "description": "",
    }
    assert openapi["components"]["schemas"]["Layout"]["enum"] == list(Layout)
    previewed = openapi["components"]["schemas"]["DocumentBody"]["properties"]
    for offered in (body["pdf"], previewed["pdf"]):
        assert (offered["$ref"], offered["default"]) == ("#/components/schemas/PdfVariant", "standard")
    assert openapi["components"]["schemas"]["PdfVariant"]["enum"] == list(PdfVariant)


def test_a_wrong_method_is_told_all_the_right_ones(alice):
    right = {
        "/v1/exports": "GET, POST",
        "/v1/exports/0": "GET, DELETE",
        "/v1/exports/0/archive": "GET, HEAD",
        "/v1/exports/preview": "POST",
        "/v1/orders/import": "POST",
        "/docs/assets/favicon.png": "GET, HEAD",
        "/livez": "GET",
    }

    answers = {path: alice("PATCH", path) for path in right}

    assert {answer.status_code for answer in answers.values()} == {405}
    assert {path: answer.headers["allow"] for path, answer in answers.items()} == right


def test_a_whole_number_may_be_written_with_a_point(alice):
    alice.load(orders(2))

    export = alice.create(selection={"order_ids": [5001.0], "customer_id": 1.0}).json()
    too_fine = alice.create(selection={"order_ids": [2.0**60]})

    assert export["selection"]["order_ids"] == [5001]
    # it may have been another number before it was written so
    assert (too_fine.status_code, too_fine.json()["code"]) == (422, "invalid_request")


def test_the_ends_of_a_range_have_no_second_names(alice):
    alice.load(orders(1))

    answer = alice.create(selection={"created": {"since": "2026-10-01", "until": "2026-10-31"}})

    assert answer.json()["code"] == "invalid_request"
