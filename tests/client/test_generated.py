"""A client that a generator makes of our OpenAPI does the main job: nothing of it is lost on the way."""

import hashlib
import importlib.util
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from tests.cli.running import Owner, Running, long_export, small_order

FILES = ("application/zip", "application/pdf", "image/png", "image/jpeg")
"""Media types of which the generator has to be told that they are files; the README says how."""
NAME = "generated_sheaf"


@pytest.fixture(scope="module")
def openapi(server: Running) -> dict:
    return httpx.get(f"{server.url}/openapi.json").json()


@pytest.fixture(scope="module")
def generated(openapi, tmp_path_factory) -> Iterator[ModuleType]:
    """The generated package, imported. A warning is an operation or an answer that the generator left out."""
    folder = tmp_path_factory.mktemp("generated")
    document, package = folder / "openapi.json", folder / NAME
    document.write_text(json.dumps(openapi))
    options = ConfigFile(post_hooks=[], content_type_overrides=dict.fromkeys(FILES, "application/octet-stream"))
    found = generate(config=Config.from_sources(options, MetaType.NONE, document, "utf-8", True, package))
    assert [(one.header, one.detail) for one in found] == []
    spec = importlib.util.spec_from_file_location(
        NAME, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    yield module
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def api(name: str) -> ModuleType:
    return importlib.import_module(f"{NAME}.api.{name}")


def models(name: str):
    return getattr(importlib.import_module(f"{NAME}.models"), name)


def client_of(generated: ModuleType, owner: Owner):
    return generated.AuthenticatedClient(base_url=owner.url, token=owner.token, raise_on_unexpected_status=True)


def test_every_operation_is_generated(openapi, generated):
    wanted = {f"{one['tags'][0]}.{one['operationId']}" for path in openapi["paths"].values() for one in path.values()}

    folder = Path(str(generated.__file__)).parent / "api"
    made = {f"{file.parent.name}.{file.stem}" for file in folder.glob("*/*.py") if file.stem != "__init__"}

    assert made == wanted


def test_a_generated_client_imports_creates_polls_lists_and_downloads(server: Running, generated):
    with client_of(generated, server.owner("generated")) as client:
        orders = [small_order(number) for number in (1, 2)]
        report = api("orders.import_orders").sync(client=client, body=orders)
        body = models("ExportBody").from_dict({"document_type": "invoice", "selection": {"order_ids": [1, 2, 999]}})
        foreseen = api("exports.preview_export").sync(client=client, body=body)
        created = api("exports.create_export").sync(client=client, body=body, idempotency_key="generated")
        again = api("exports.create_export").sync(client=client, body=body, idempotency_key="generated")
        export = ended(client, created.id)
        listed = api("exports.list_exports").sync(client=client, state=[models("JobState").COMPLETED])
        failures = api("exports.list_failures").sync(client=client, export_id=export.id)
        manifest = api("exports.list_manifest").sync(client=client, export_id=export.id)
        archive = api("exports.get_archive").sync(client=client, export_id=export.id)
        part = api("exports.get_archive").sync_detailed(client=client, export_id=export.id, range_="bytes=0-9")
        known = api("orders.list_orders").sync(client=client)
        store = api("store.get_store").sync(client=client)

    assert (report.new, report.rejected) == (2, 0)
    assert (foreseen.counts.to_render, foreseen.counts.failed) == (2, 1)
    assert again.id == created.id
    assert (export.state, export.counts.rendered, export.counts.failed) == ("completed", 2, 1)
    assert [one.id for one in listed.items] == [export.id]
    assert [(one.order_id, one.code) for one in failures.items] == [(999, "order_not_found")]
    assert [one.file for one in manifest.items] == ["invoice-N-1.pdf", "invoice-N-2.pdf", ""]
    assert hashlib.sha256(archive.payload.read()).hexdigest() == export.archive.sha256
    assert (part.status_code, len(part.content)) == (206, 10)
    assert [one.order_id for one in known.items] == [2, 1]
    assert store.key == "generated"


def test_a_generated_client_cancels_deletes_and_reads_problems(server: Running, generated):
    with long_export(server) as (owner, export_id), client_of(generated, owner) as client:
        early = api("exports.get_archive").sync(client=client, export_id=export_id)
        cancelled = api("exports.cancel_export").sync(client=client, export_id=export_id)
        export = ended(client, export_id)
    with client_of(generated, owner) as client:
        gone = api("exports.delete_export").sync_detailed(client=client, export_id=export_id)
        unknown = api("exports.get_export").sync(client=client, export_id=export_id)

    assert (early.status, early.code) == (409, "not_ready")
    assert cancelled.state in ("cancelling", "cancelled")
    assert export.state == "cancelled"
    assert gone.status_code == 204
    assert (unknown.status, unknown.code) == (404, "not_found")


def ended(client, export_id):
    give_up_at = time.monotonic() + 60
    etag = '""'
    while time.monotonic() < give_up_at:
        answer = api("exports.get_export").sync_detailed(
            client=client, export_id=export_id, if_none_match=etag, prefer="wait=5"
        )
        if answer.status_code == 200:
            if answer.parsed.finished_at is not None:
                return answer.parsed
            etag = answer.headers["etag"]
    raise AssertionError(f"export {export_id} has not ended")
