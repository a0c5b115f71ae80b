"""The store's page: everything that stands on documents, changed as one version, and nothing of anybody's lost."""

import base64
import io
import re

import pytest
from PIL import Image

from app.domain.principal import Right
from app.web.texts import Texts
from tests.shop import order
from tests.web.conftest import Browser


def picture() -> bytes:
    file = io.BytesIO()
    # noise, so that half of it is half of a picture
    Image.effect_noise((120, 60), 80).save(file, "PNG")
    return file.getvalue()


TEXTS = Texts("en")
PNG = picture()
pytestmark = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)
PLAIN = {
    "name": "demo",
    "address": "",
    "bank_lines": "",
    "footer": "",
    "accent": "",
    "paper": "A4",
    "missing_glyphs": "warn",
    "country": "",
    "vat_keys": "",
    "unit_keys": "",
    "untaxed": "",
    "locale": "en",
    "time_zone": "UTC",
    "number_keys": "",
}


def send(browser, path="/store", *, logo=None, tax=(), token=None, **fields):
    """Send the form as it is, or with other values in these fields."""
    hidden = browser.hidden("/store")
    data = {**PLAIN, "form_token": token or hidden["form_token"], "version": hidden["version"], **fields}
    data |= {"tax_label": [label for label, _ in tax], "tax_number": [number for _, number in tax]}
    files = {"logo": ("logo.png", logo or b"", "image/png")}
    return browser("POST", path, data=data, files=files)


def settings(caller):
    return caller("GET", "/v1/store").json()


def test_all_of_it_is_saved_as_one_version(alice, hers):
    whole = {
        "name": "Alder & Finch",
        "address": "14 Harbour Row\r\n\r\nBristol",
        "bank_lines": "IBAN X",
        "footer": "Registered",
        "accent": "#1A4D8F",
        "paper": "Letter",
        "missing_glyphs": "fail",
        "country": "gb",
        "vat_keys": "_vat",
        "unit_keys": "_unit\r\nunit",
        "untaxed": "E=VAT exempt",
        "locale": "de-AT",
        "time_zone": "Europe/Vienna",
        "number_keys": "_invoice_number",
    }

    answer = send(hers, logo=PNG, tax=[("VAT no.", "GB 1"), ("", "77"), ("", "")], **whole)

    assert (answer.status_code, answer.headers["location"]) == (303, "/store?saved=2")
    saved = settings(alice)
    assert (saved["version"], saved["changed_by"]) == (2, "alice")
    assert saved["address"] == ["14 Harbour Row", "Bristol"]
    assert saved["tax_ids"] == [{"label": "VAT no.", "number": "GB 1"}, {"label": "", "number": "77"}]
    assert (saved["accent"], saved["paper"], saved["logo"]["bytes"]) == ("#1a4d8f", "Letter", len(PNG))
    assert saved["missing_glyphs"] == "fail"
    e_invoices = [saved[name] for name in ("country", "vat_keys", "unit_keys", "untaxed")]
    assert e_invoices == ["GB", ["_vat"], ["_unit", "unit"], "E=VAT exempt"]
    page = hers.look("/store?saved=2")
    assert TEXTS("store.saved", number=2) in page
    assert "Alder &amp; Finch" in page
    assert re.search("contrast against white is 8\\.[0-9]{2} to 1", page)
    assert hers("GET", "/store/logo").content == PNG
    assert send(hers, remove_logo="1", **whole).status_code == 303
    assert (settings(alice)["logo"], settings(alice)["tax_ids"]) == (None, [])


def test_every_error_stands_at_its_field_and_nothing_typed_is_lost(alice, hers):
    answer = send(
        hers, logo=PNG, tax=[("<VAT>", "")], name=" ", accent="#ffcc00", locale="xx", time_zone="Mars", footer="x" * 81
    )

    assert answer.status_code == 422
    for field in ("name", "tax_ids", "footer", "accent", "locale", "time_zone"):
        assert f'id="{field}-error"' in answer.text
        assert f'href="#{field}"' in answer.text
    assert "1.51 to 1 against white" in answer.text
    assert 'value="&lt;VAT&gt;"' in answer.text
    assert "x" * 81 in answer.text
    kept = re.search('name="logo_kept" value="([^"]+)"', answer.text)[1]
    assert base64.b64decode(kept) == PNG
    assert settings(alice)["version"] == 1

    assert send(hers, logo_kept=kept, name="demo").status_code == 303
    assert settings(alice)["logo"]["bytes"] == len(PNG)
    broken = send(hers, logo=PNG[:500])
    assert (broken.status_code, 'id="logo-error"' in broken.text) == (422, True)


def test_a_stale_form_is_told_what_changed_and_keeps_what_was_typed(door, alice, hers):
    bob = door.owner("bob")
    bob("PATCH", "/v1/store", json={"name": "Theirs", "footer": ["by bob"], "paper": "Letter"})

    late = send(hers, version="1", name="Mine", bank_lines="IBAN of mine")

    assert late.status_code == 412
    assert TEXTS("store.late", who="bob", number=2) in late.text
    assert TEXTS("store.late_taken", list="Footer, Paper") in late.text
    assert TEXTS("store.late_yours", list="Name") in late.text
    assert "<pre>Theirs</pre>" in late.text
    assert 'value="Mine"' in late.text
    assert "IBAN of mine" in late.text
    assert "by bob" in late.text
    assert "<option selected>Letter</option>" in late.text
    assert 'name="version" value="2"' in late.text
    assert settings(alice)["name"] == "Theirs"

    again = send(hers, version="2", name="Mine", bank_lines="IBAN of mine", footer="by bob", paper="Letter")

    assert again.status_code == 303
    assert (settings(alice)["name"], settings(alice)["footer"]) == ("Mine", ["by bob"])
    page = hers.look("/store")
    assert re.findall('<td data-label="By"><p>([^<]+)', page) == ["alice", "bob", "an operator"]


def test_a_form_that_is_sent_twice_is_saved_once(alice, hers):
    first, second = (send(hers, version="1", name="Once") for _ in range(2))

    assert first.headers["location"] == second.headers["location"] == "/store?saved=2"
    assert settings(alice)["version"] == 2


def test_who_may_not_change_it_sees_it_and_why(door, alice):
    reader = Browser(door)
    reader.sign_in(door.owner("carol", "demo", Right.EXPORTS, Right.ORDERS).token)

    page = reader.look("/store")
    answer = send(reader, name="Mine")

    assert TEXTS("store.not_yours") in page
    assert "<fieldset disabled>" in page
    assert TEXTS("store.save") + "</button>" not in page
    assert (answer.status_code, "right_missing" in answer.text) == (403, True)
    assert settings(alice)["name"] == "demo"


@pytest.mark.parametrize("path", ["/store", "/store/preview", "/store/preview.pdf"])
def test_a_form_of_another_site_changes_and_makes_nothing(alice, hers, path):
    torn = hers("POST", path, content=b"--b\r\n", headers={"Content-Type": "multipart/form-data; boundary=b"})

    assert send(hers, path, token="f" * 64, name="Theirs").status_code == 403
    assert hers.post(path, {"name": "Theirs"}).status_code == 415
    assert torn.status_code in (400, 403)
    assert settings(alice)["version"] == 1


def test_what_cannot_be_previewed_is_said_beside_the_form(alice, hers):
    alice.load([order(1)])

    wrong = send(hers, "/store/preview", accent="#ffcc00")
    without_refund = send(hers, "/store/preview", preview_type="credit_note", preview_order="5001", name="Typed")
    unpaid = send(hers, "/store/preview", preview_order="77")

    assert (wrong.status_code, TEXTS("store.preview_mend") in wrong.text) == (422, True)
    assert (without_refund.status_code, "no refund" in without_refund.text) == (422, True)
    assert 'value="Typed"' in without_refund.text
    assert (unpaid.status_code, "There is no such thing here" in unpaid.text) == (404, True)
    assert settings(alice)["version"] == 1


def test_the_page_tells_which_layouts_are_the_stores_own(door, hers):
    from app.database.settings import change_settings
    from app.domain.document_type import DocumentType
    from app.domain.store_settings import OwnTemplate

    own = OwnTemplate(DocumentType.RECEIPT, "", "h1 { color: red }")
    with door.database.transaction() as tx:
        change_settings(tx, 1, lambda before: before.with_template(own), changed_by=None)

    page = hers.look("/store")

    assert re.findall('<td data-label="Layout"><p>([^<]+)', page) == [
        "ours",
        "ours",
        "ours",
        TEXTS("store.template_own"),
    ]
    assert "sheaf stores template set demo receipt" in page
