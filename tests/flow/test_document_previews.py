"""Documents made while a caller waits: the API answers whatever its renderer does, and nothing is left at work."""

import io
import os
import shutil
import signal
from multiprocessing import forkserver
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.api import rendering
from app.documents import fonts
from tests import faulty
from tests.deadline.sockets import HANG_UPS, Line
from tests.flow.serving import Api, serving
from tests.installation import embedded, renderers_of
from tests.servers import children_of, is_gone
from tests.shop import order
from tests.waiting import until

PREVIEW = ("POST", "/v1/documents/preview")


def wanted(number, document_type="invoice"):
    return {"document_type": document_type, "order_id": 5000 + number}


def preview(api: Api, number: int, **options):
    return api(*PREVIEW, json=wanted(number), **options)


def marked(number, note):
    return order(number, customer_note=note)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("previews")


@pytest.fixture(scope="module")
def api(migrated_sqlite, folder):
    """An API whose renderer meets its end at marked orders; its first child is there."""
    file = shutil.copy(migrated_sqlite, folder / "sheaf.db")
    with serving(folder, f"sqlite:///{file}", render=faulty.render, render_memory_mib=400) as running:
        until(lambda: preview(running, 1).status_code == 200, within=120)
        yield running


@pytest.fixture
def gate(api, tmp_path):
    """An order whose renderer waits for a file: its number, the file, and who waits."""
    file = tmp_path / "gate"
    assert api("POST", "/v1/orders/import", json=[marked(2, f"note-gate:{file}")]).status_code == 200
    return file


def held_by(gate: Path) -> int:
    """The id of the child that waits at the gate."""
    return int(until(lambda: Path(f"{gate}.held").exists() and Path(f"{gate}.held").read_text()))


def assert_idle(api: Api) -> None:
    """No thread waits for a child, no turn is taken, and the next document is made."""
    renderer = api.api.state.services.renderer
    until(lambda: renderer.in_use == 0)
    # on a busy machine a new child takes longer than one call may
    until(lambda: preview(api, 1).status_code == 200, within=60)
    api.assert_whole()


def test_a_deadline_ends_the_document_and_its_child_and_nobody_else(api, gate):
    call = api.begin(*PREVIEW, ms=2000, json=wanted(2))
    child = held_by(gate)

    answer = call.result()

    assert (answer.status_code, answer.json()["code"]) == (504, "deadline_downstream")
    assert answer.json()["boundary"] == "renderer"
    until(lambda: is_gone(child))
    assert_idle(api)
    assert 'sheaf_preview_children_ended_total{why="killed"}' in api.http.get("/metrics").text


def test_a_child_that_hears_nothing_holds_no_thread_beyond_the_deadline(api):
    api("POST", "/v1/orders/import", json=[marked(3, "note-asleep")])

    answer = api.begin(*PREVIEW, ms=1000, json=wanted(3)).result()

    assert answer.status_code == 504
    # its own end would come after a minute
    assert_idle(api)


@pytest.mark.parametrize("leave", HANG_UPS.values(), ids=HANG_UPS)
def test_who_hangs_up_ends_the_document(api, gate, leave):
    with Line(api.http.base_url.port) as line:
        line.ask(*PREVIEW, wanted(2), Authorization=f"Bearer {api.token}")
        child = held_by(gate)

        leave(line)

        until(lambda: is_gone(child))
    assert_idle(api)


def test_while_every_child_is_at_work_others_are_told_when_to_come_again(api, gate, monkeypatch):
    monkeypatch.setattr(rendering, "PATIENCE", 0.1)
    first = api.begin(*PREVIEW, json=wanted(2))
    child = held_by(gate)

    api.assert_probes_answer()
    meanwhile = api("GET", "/v1/exports")
    metrics = api.http.get("/metrics").text
    refused = preview(api, 1)
    in_a_hurry = api.begin(*PREVIEW, ms=150, json=wanted(1)).result()
    gate.touch()

    assert meanwhile.status_code == 200
    assert 'sheaf_pool_in_use{pool="renderer"} 1.0' in metrics
    assert (refused.status_code, refused.json()["code"]) == (503, "renderer_busy")
    assert refused.headers["retry-after"] == "1"
    assert in_a_hurry.status_code in {503, 504}
    assert first.result().status_code == 200
    assert not is_gone(child)
    assert_idle(api)


@pytest.mark.parametrize(
    ("note", "code", "reason"),
    [
        ("note-kill", "render_crashed", "The process that rendered this document was ended by SIGKILL."),
        ("note-eat", "render_out_of_memory", "Rendering needed more memory than one document may take."),
    ],
)
def test_a_document_that_ends_its_child_says_so_as_an_export_would(api, note, code, reason):
    api("POST", "/v1/orders/import", json=[marked(4, note)])

    answer = preview(api, 4)

    assert (answer.status_code, answer.json()["code"], answer.json()["item_code"]) == (422, "document_failed", code)
    assert answer.json()["detail"] == reason
    assert_idle(api)


def test_a_template_is_kept_once_a_document_came_of_it_inside_the_deadline(api):
    path = "/v1/store/templates/invoice"
    mine = {"template": """{% extends "frame/priced.html" %}{% block title %}<h1>Mine</h1>{% endblock %}"""}
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    before = api("GET", "/v1/store").json()

    late = api.begin("PUT", path, ms=1500, json={"template": endless}).result()
    assert_idle(api)
    refused = [
        api("PUT", path, json={"template": "\n{{ view.frame.sellr }}"}),
        api("PUT", path, json={"template": "{% include '/etc/passwd' %}"}),
        api("PUT", path, json={**mine, "style": "\np { background: url(file:///etc/passwd) }"}),
        api("POST", f"{path}/preview", json={"style": "@import 'x'"}),
    ]
    looked = api("POST", f"{path}/preview", json=mine)
    untouched = api("GET", "/v1/store").json()
    kept = api("PUT", path, json=mine)
    printed = preview(api, 1)
    gone = api("DELETE", path)

    assert (late.status_code, late.json()["boundary"]) == (504, "renderer")
    assert [(answer.status_code, [one["field"] for one in answer.json()["errors"]]) for answer in refused] == [
        (422, ["template"]), (422, ["template"]), (422, ["style"]), (422, ["style"]),
    ]  # fmt: skip
    assert "line 2: 'app.documents.view.Frame object' has no attribute 'sellr'" in refused[0].text
    assert untouched == before
    for pdf in (looked, printed):
        assert pdf.headers["content-type"] == "application/pdf", pdf.text
        assert "Mine" in PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    assert (kept.json()["version"], kept.json()["templates"]) == (before["version"] + 1, ["invoice"])
    assert (gone.status_code, gone.headers["etag"]) == (204, f'"{before["version"] + 2}"')
    assert "Mine" not in PdfReader(io.BytesIO(preview(api, 1).content)).pages[0].extract_text()


def test_a_renderer_that_is_not_ready_says_so_and_gets_ready_meanwhile(api, migrated_sqlite, tmp_path, monkeypatch):
    """It stands still while it starts: the server that forks children does. `api` sees to it that there is one."""
    server = forkserver._forkserver._forkserver_pid
    others = set(children_of(server))
    file = shutil.copy(migrated_sqlite, tmp_path / "sheaf.db")
    with serving(tmp_path, f"sqlite:///{file}") as other:
        monkeypatch.setitem(fonts.FILES, "Noto Sans Thai", Path("/nowhere/NotoSansThai-Regular.ttf"))
        unable = preview(other, 1)
        monkeypatch.undo()
        os.kill(server, signal.SIGSTOP)
        try:
            starting = other.begin(*PREVIEW, ms=400, json=wanted(1)).result()
            other.assert_probes_answer()
        finally:
            os.kill(server, signal.SIGCONT)
        ready = until(lambda: (answer := preview(other, 1)).status_code == 200 and answer, within=60)
        children = set(children_of(server)) - others

        assert (unable.status_code, unable.json()["code"]) == (503, "renderer_unavailable")
        assert "Noto Sans Thai" in unable.json()["detail"]
        assert unable.headers["retry-after"] == "30"
        assert (starting.status_code, starting.json()["code"]) == (503, "renderer_starting")
        assert starting.headers["retry-after"] == "2"
        assert "Greta Muster-1" in PdfReader(io.BytesIO(ready.content)).pages[0].extract_text()
    # the API has ended in order
    assert children
    assert all(map(is_gone, children))


def test_settings_are_looked_at_before_they_are_changed(api):
    before = api("GET", "/v1/store").json()
    typed = {"name": "Alder & Finch", "footer": ["Registered 0123"], "paper": "Letter"}

    of_an_order = api(*PREVIEW, json={**wanted(1), "settings": typed})
    of_a_sample = api(*PREVIEW, json={"document_type": "credit_note", "order_id": None, "settings": typed})

    for answer, told in ((of_an_order, "Greta Muster-1"), (of_a_sample, "Ada Sample")):
        (page,) = PdfReader(io.BytesIO(answer.content)).pages
        text = page.extract_text()
        assert all(one in text for one in ("Alder & Finch", "Registered 0123", told))
        assert page.mediabox.width == pytest.approx(612, abs=1)
    assert of_a_sample.headers["content-disposition"] == "inline; filename*=UTF-8''credit-note-sample.pdf"
    assert api("GET", "/v1/store").json() == before


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_child_outlives_the_server(tmp_path, number):
    with embedded(tmp_path, SHEAF_WORKER_SLOTS="1") as installation, installation.owner() as client:
        client.load([order(1)])
        until(lambda: client.post(PREVIEW[1], json=wanted(1)).status_code == 200, within=120)
        # the worker's and the API's own
        children = until(lambda: len(found := renderers_of(installation.server)) == 2 and found)

        installation.server.send_signal(number)

        installation.server.wait(60)
        until(lambda: all(map(is_gone, children)))
