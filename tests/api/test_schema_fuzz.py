"""Whatever is sent, the API answers as OpenAPI says: no 500, and no status, header or body that is not told there."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PIL import Image
from pydantic import SecretStr
from schemathesis.python import asgi
from starlette.types import ASGIApp

from app.api.application import served
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.database.engines import sync_engine
from app.database.stores import create_store, create_token
from app.database.transactions import Database
from app.domain.principal import Right
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.api.finishing import finish
from tests.api.fuzzing import Findings, fuzz
from tests.migrated import LIMITS
from tests.shop import orders

READS = (
    "",
    "/{export_id}",
    "/{export_id}/archive",
    "/{export_id}/events",
    "/{export_id}/failures",
    "/{export_id}/manifest",
)
SUCCESSES = {
    "GET /livez": 200,
    "GET /readyz": 200,
    "GET /v1/orders": 200,
    "GET /v1/orders/summary": 200,
    "POST /v1/orders/import": 200,
    "POST /v1/orders/check": 200,
    "POST /v1/exports": 202,
    "POST /v1/exports/{export_id}/cancel": 202,
    "POST /v1/exports/{export_id}/retry": 202,
    "DELETE /v1/exports/{export_id}": 204,
    "HEAD /v1/exports/{export_id}/archive": 200,
    "GET /v1/store": 200,
    "PATCH /v1/store": 200,
    "PUT /v1/store/logo": 200,
    "GET /v1/store/logo": 200,
    "DELETE /v1/store/logo": 204,
    "GET /v1/store/templates/{document_type}": 200,
    "DELETE /v1/store/templates/{document_type}": 204,
    **{f"GET /v1/exports{rest}": 200 for rest in READS},
}


@dataclass
class Stand:
    """The application on a database of its own, and an owner with a few orders."""

    app: ASGIApp
    openapi: dict
    token: str
    database: Database
    artifacts: FolderStore

    def fuzz(self, *, examples: int, ended: int, has_deadlines: Callable[[str], bool]) -> Findings:
        """Send it everything, after that many exports have ended: some are deleted before others are looked at."""
        with asgi.get_client(self.app) as http:
            http.headers["Authorization"] = f"Bearer {self.token}"
            assert http.post("/v1/orders/import", json=orders(3)).status_code == 200
            picture = io.BytesIO()
            Image.new("L", (2, 2)).save(picture, "PNG")
            logo = {"data": picture.getvalue(), "headers": {"Content-Type": "image/png"}}
            assert http.put("/v1/store/logo", **logo).status_code == 200
            for _ in range(ended):
                # one of its orders does not exist, so that there is something to retry
                body = {"document_type": "invoice", "selection": {"order_ids": [5001, 1]}}
                created = http.post("/v1/exports", json=body)
                finish(self.database, self.artifacts, created.json()["id"])
        return fuzz(self.app, self.openapi, token=self.token, examples=examples, has_deadlines=has_deadlines)


@pytest.fixture
def stand(migrated_url, tmp_path) -> Iterator[Stand]:
    database = Database(sync_engine(migrated_url, LIMITS))
    artifacts = FolderStore(tmp_path / "artifacts")
    artifacts.prepare()
    artifacts.identify()
    settings = Settings(
        database_url=SecretStr(migrated_url),
        import_max_mib=1,
        body_max_kib=64,
        import_idle_seconds=2,
        # a stream of an export that nobody works on would last its whole time
        stream_seconds=0.01,
    )
    api = composing.build_api(settings, broker=memory_broker(), artifacts=artifacts)
    with database.transaction() as tx:
        store = create_store(tx, key="demo")
        minted = create_token(tx, store_id=store.id, owner="alice", rights=frozenset(Right), expires_at=None)
    yield Stand(served(api), api.openapi(), minted.text, database, artifacts)
    asgi.shutdown_lifespans()
    database.close()


def assert_true(findings: Findings) -> None:
    assert not findings.failures, "\n\n".join(findings.failures[:10])
    # what was never reached was not tested
    missed = {name: status for name, status in SUCCESSES.items() if status not in findings.statuses[name]}
    assert missed == {}
    assert "GET /v1/exports/{export_id}" in findings.hurried


@pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)
def test_the_api_answers_as_openapi_says(stand):
    # what any request may carry is tried on one route: every route is a matter of minutes
    findings = stand.fuzz(examples=2, ended=8, has_deadlines=lambda name: name == "get_export")

    assert_true(findings)


@pytest.mark.long
def test_the_api_answers_as_openapi_says_to_very_many_requests(stand):
    findings = stand.fuzz(examples=150, ended=40, has_deadlines=lambda _: True)

    assert_true(findings)
    assert findings.statuses["GET /v1/exports/{export_id}"] & {503, 504}, "no deadline was ever too short"
