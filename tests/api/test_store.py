"""`/v1/store`: what stands on every document, read by every owner of the store, changed by those who may."""

import json
from pathlib import Path

import pytest

from app.database.settings import change_settings
from app.database.stores import find_store
from app.documents.ours import template_of
from app.documents.trial import MAX_TEXT
from app.domain.document_type import DocumentType
from app.domain.principal import Right
from app.domain.store_settings import OwnTemplate
from tests.api.finishing import finish
from tests.shop import orders

STORE, LOGO, TEMPLATE = "/v1/store", "/v1/store/logo", "/v1/store/templates/invoice"
PNG = (Path(__file__).parents[2] / "docs" / "pictures" / "receipt-short.png").read_bytes()
PICTURE = {"Content-Type": "image/png"}
AS_MADE = {
    "key": "demo",
    "version": 1,
    "changed_by": None,
    "name": "demo",
    "address": [],
    "tax_ids": [],
    "bank_lines": [],
    "footer": [],
    "accent": None,
    "logo": None,
    "paper": "A4",
    "locale": "en",
    "time_zone": "UTC",
    "number_keys": [],
    "missing_glyphs": "warn",
    "country": None,
    "vat_keys": [],
    "unit_keys": [],
    "untaxed": None,
    "templates": [],
    "links": {"self": STORE, "logo": LOGO},
}


def shown(answer):
    """The settings in an answer, less the time of their change."""
    assert answer.status_code == 200, answer.text
    settings = answer.json()
    assert settings.pop("changed_at").endswith("Z")
    assert answer.headers["etag"] == f'"{settings["version"]}"'
    return settings


def refused(answer):
    """Status, code and the names of the fields of a problem."""
    problem = answer.json()
    return answer.status_code, problem["code"], [error["field"] for error in problem.get("errors", [])]


def test_settings_are_shown_with_their_version_and_304_while_they_are_known(door, alice):
    reader = door.owner("reader", "demo", Right.EXPORTS)

    first = reader("GET", STORE)
    again = reader("GET", STORE, headers={"If-None-Match": '"7", W/"1"'})
    alice("PATCH", STORE, json={"accent": "#1a4d8f"})
    changed = reader("GET", STORE, headers={"If-None-Match": first.headers["etag"]})

    assert shown(first) == AS_MADE
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", '"1"')
    assert shown(changed)["version"] == 2


def test_a_patch_changes_what_it_names_and_null_takes_away(alice):
    whole = {
        "name": "Alder & Finch",
        "address": ["14 Harbour Row", "Bristol"],
        "tax_ids": [{"label": "VAT no.", "number": "GB 1"}, {"number": "77"}],
        "bank_lines": ["IBAN X"],
        "footer": ["Registered"],
        "accent": "#1A4D8F",
        "paper": "Letter",
        "locale": "de-AT",
        "time_zone": "Europe/Vienna",
        "number_keys": ["_invoice_number"],
        "missing_glyphs": "fail",
        "country": "GB",
        "vat_keys": ["_vat"],
        "unit_keys": ["_unit"],
        "untaxed": "E=VAT exempt",
    }

    second = shown(alice("PATCH", STORE, json=whole))
    third = shown(
        alice(
            "PATCH",
            STORE,
            json={"tax_ids": [{"number": "78", "label": ""}], "footer": None, "accent": None, "locale": None},
            headers={"Content-Type": "application/merge-patch+json"},
        )
    )
    nothing = shown(alice("PATCH", STORE, json={}))

    ids = [{"label": "VAT no.", "number": "GB 1"}, {"label": "", "number": "77"}]
    assert second == AS_MADE | whole | {"version": 2, "changed_by": "alice", "accent": "#1a4d8f", "tax_ids": ids}
    taken = {"tax_ids": [{"label": "", "number": "78"}], "footer": [], "accent": None, "locale": "en"}
    assert third == second | taken | {"version": 3}
    assert nothing == third == shown(alice("GET", STORE))


@pytest.mark.parametrize("header", ['"2"', 'W/"1"', '"x"', "1", '""', '"2", "3"', '"99999999999"'])
def test_a_change_of_another_version_changes_nothing(alice, header):
    headers = {"If-Match": header}

    answers = [
        alice("PATCH", STORE, json={"name": "Lost"}, headers=headers),
        alice("PUT", LOGO, content=PNG, headers=headers | PICTURE),
        alice("DELETE", LOGO, headers=headers),
        alice("DELETE", TEMPLATE, headers=headers),
    ]

    for answer in answers:
        assert refused(answer)[:2] == (412, "precondition_failed")
        assert (answer.headers["etag"], answer.json()["version"]) == ('"1"', 1)
    assert shown(alice("GET", STORE)) == AS_MADE


@pytest.mark.parametrize("header", ['"1"', ' "7" , "1"', "*"])
def test_a_change_of_the_present_version_is_made(alice, header):
    assert shown(alice("PATCH", STORE, json={"name": "New"}, headers={"If-Match": header}))["version"] == 2


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_every_refusal_names_the_field_and_changes_nothing(alice):
    cases = [
        ({"colour": "#1a4d8f"}, "colour"),
        ({"logo": None}, "logo"),
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"address": "Lane 1"}, "address"),
        ({"address": ["x"] * 9}, "address"),
        ({"address": ["two\nlines"]}, "address"),
        ({"address": ["x" * 201]}, "address.0"),
        ({"tax_ids": [{"label": "VAT"}]}, "tax_ids.0.number"),
        ({"tax_ids": [{"number": "1"}] * 6}, "tax_ids"),
        ({"tax_ids": ["1"]}, "tax_ids.0"),
        ({"tax_ids": [{"number": "\t"}]}, "tax_ids"),
        ({"bank_lines": ["x" * 81]}, "bank_lines.0"),
        ({"footer": ["x"] * 5}, "footer"),
        ({"accent": "blue"}, "accent"),
        ({"accent": "#ffcc00"}, "accent"),
        ({"paper": "A5"}, "paper"),
        ({"locale": "xx-nowhere"}, "locale"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"number_keys": [7]}, "number_keys.0"),
        ({"missing_glyphs": "hide"}, "missing_glyphs"),
        ({"country": "ZZ"}, "country"),
        ({"country": "Austria"}, "country"),
        ({"untaxed": "E"}, "untaxed"),
        ([], "body"),
        ("name", "body"),
    ]

    answers = [(alice("PATCH", STORE, json=body), field) for body, field in cases]

    for answer, field in answers:
        assert refused(answer) == (422, "invalid_request", [field])
    assert refused(alice("PATCH", STORE, content=b'{"name": "half \\ud800"}')) == (422, "invalid_request", ["name"])
    contrast = alice("PATCH", STORE, json={"accent": "#ffcc00"}).json()["errors"][0]["reason"]
    assert "1.51 to 1 against white" in contrast
    assert "at least 4.5 to 1" in contrast
    assert refused(alice("PATCH", STORE, content=b"{"))[:2] == (400, "malformed_json")
    assert refused(alice("PATCH", STORE, content=b" " * 70_000))[:2] == (413, "payload_too_large")
    assert refused(alice("PATCH", STORE, content=b"{}", headers={"Content-Type": "text/plain"}))[0] == 415
    assert shown(alice("GET", STORE)) == AS_MADE


def test_only_a_token_with_the_right_changes_and_only_its_own_store(door, alice):
    other = door.owner("alice", "elsewhere")
    without = door.owner("bob", "demo", Right.EXPORTS, Right.ORDERS)

    answers = [
        without("PATCH", STORE, json={"name": "Mine"}),
        without("PUT", LOGO, content=PNG, headers=PICTURE),
        without("DELETE", LOGO),
        without("PUT", TEMPLATE, json={"style": "p { color: red }"}),
        without("POST", f"{TEMPLATE}/preview", json={"style": "p { color: red }"}),
        without("DELETE", TEMPLATE),
    ]
    shown(other("PATCH", STORE, json={"name": "Elsewhere"}))

    assert {refused(answer)[:2] for answer in answers} == {(403, "right_missing")}
    assert "`settings`" in answers[0].json()["detail"]
    assert shown(alice("GET", STORE)) == AS_MADE


def test_a_logo_is_put_shown_and_taken_away(door, alice):
    reader = door.owner("reader", "demo", Right.EXPORTS)
    nothing = reader("GET", LOGO)

    put = shown(alice("PUT", LOGO, content=PNG, headers=PICTURE))
    got = reader("GET", LOGO)
    known = reader("GET", LOGO, headers={"If-None-Match": '"2"'})
    gone = alice("DELETE", LOGO)
    again = alice("DELETE", LOGO, headers={"If-Match": '"3"'})

    assert nothing.status_code == 404
    assert (put["version"], put["changed_by"]) == (2, "alice")
    assert (put["logo"]["media_type"], put["logo"]["bytes"]) == ("image/png", len(PNG))
    assert (got.content, got.headers["content-type"], got.headers["etag"]) == (PNG, "image/png", '"2"')
    assert got.headers["x-content-type-options"] == "nosniff"
    assert (known.status_code, known.content) == (304, b"")
    assert (gone.status_code, gone.headers["etag"]) == (204, '"3"')
    assert (again.status_code, again.headers["etag"]) == (204, '"3"')
    assert reader("GET", LOGO).status_code == 404


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_what_is_no_logo_is_refused(alice):
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'

    answers = [alice("PUT", LOGO, content=data, headers=PICTURE) for data in (b"", svg, PNG[:500])]

    assert [refused(answer) for answer in answers] == [(422, "invalid_request", ["logo"])] * 3
    assert refused(alice("PUT", LOGO, content=svg, headers={"Content-Type": "image/svg+xml"}))[0] == 415
    assert refused(alice("PUT", LOGO, content=bytes((2 << 20) + 1), headers=PICTURE))[0] == 413
    assert shown(alice("GET", STORE)) == AS_MADE


@pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
def test_a_template_is_shown_with_ours_and_what_is_none_is_refused_before_anything_is_laid_out(door, alice):
    reader = door.owner("reader", "demo", Right.EXPORTS)
    own = OwnTemplate(DocumentType.INVOICE, "", "p { color: red }")
    with door.database.transaction() as tx:
        store = find_store(tx, "demo")
        change_settings(tx, store.id, lambda before: before.with_template(own), changed_by=None)

    shown_to_reader = reader("GET", TEMPLATE)
    known = reader("GET", TEMPLATE, headers={"If-None-Match": '"2"'})
    cases = [
        ({}, "template"),
        ({"template": None, "style": ""}, "template"),
        ({"template": 7}, "template"),
        ({"template": "half \ud800"}, "template"),
        ({"style": "x" * (MAX_TEXT + 1)}, "style"),
        ({"html": "x"}, "html"),
        ([], "body"),
    ]
    answers = [(alice("PUT", TEMPLATE, content=json.dumps(body)), field) for body, field in cases]
    reset = alice("DELETE", TEMPLATE, headers={"If-Match": '"2"'})

    assert (shown_to_reader.status_code, shown_to_reader.headers["etag"]) == (200, '"2"')
    assert shown_to_reader.json() == {
        "document_type": "invoice",
        "template": None,
        "style": "p { color: red }",
        "ours": template_of(DocumentType.INVOICE),
    }
    assert (known.status_code, known.content) == (304, b"")
    assert reader("GET", "/v1/store/templates/poem").status_code == 404
    for answer, field in answers:
        assert refused(answer) == (422, "invalid_request", [field])
    assert (reset.status_code, reset.headers["etag"]) == (204, '"3"')
    assert reader("GET", TEMPLATE).json()["style"] is None


def test_an_export_tells_the_version_that_it_froze(door, alice):
    alice.load(orders(2))
    alice("PATCH", STORE, json={"footer": ["x"]})
    queued = alice.create().json()

    finish(door.database, door.artifacts, queued["id"])
    alice("PATCH", STORE, json={"footer": ["y"]})

    assert queued["store_version"] is None
    assert alice("GET", queued["links"]["self"]).json()["store_version"] == 2
