"""The API in this process on a migrated database of each kind; no worker runs."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.testclient import TestClient

from app.api.application import served
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.database.stores import create_store, create_token, find_store
from app.database.transactions import Database
from app.domain.principal import Right
from app.messaging.broker import memory_broker
from app.settings import Settings
from tests.waiting import until


@dataclass
class Door:
    """The API and the database behind it."""

    http: TestClient
    database: Database
    artifacts: FolderStore
    api: FastAPI

    def owner(self, name: str = "alice", store: str = "demo", *rights: Right) -> "Caller":
        with self.database.transaction() as tx:
            row = find_store(tx, store) or create_store(tx, key=store)
            minted = create_token(tx, store_id=row.id, owner=name, rights=frozenset(rights or Right), expires_at=None)
        return Caller(self.http, minted.text)


@dataclass
class Caller:
    """Somebody with a token."""

    http: TestClient
    token: str

    def __call__(self, method: str, path: str, **options):
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        return self.http.request(method, path, headers=headers, **options)

    def load(self, orders):
        answer = self("POST", "/v1/orders/import", json=orders)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def create(self, **body):
        return self("POST", "/v1/exports", json={"document_type": "invoice", **body})


@pytest.fixture(params=["postgresql", pytest.param("sqlite", marks=pytest.mark.long)])
def migrated_url(request, migrated_url) -> str:
    """PostgreSQL's address; the long suite asks an API on SQLite the same, and every short one of the pages does."""
    return migrated_url


@pytest.fixture
def door(migrated_engine, migrated_url, tmp_path) -> Iterator[Door]:
    database = Database(migrated_engine)
    artifacts = FolderStore(tmp_path / "artifacts")
    artifacts.prepare()
    artifacts.identify()
    settings = Settings(
        database_url=SecretStr(migrated_url),
        import_max_mib=1,
        body_max_kib=64,
        import_idle_seconds=2,
        stream_seconds=10,
    )
    api = composing.build_api(settings, broker=memory_broker(), artifacts=artifacts)
    with TestClient(served(api), raise_server_exceptions=False) as http:
        yield Door(http, database, artifacts, api)


@pytest.fixture
def alice(door) -> Caller:
    return door.owner("alice")


@pytest.fixture
def listening(door, alice):
    """Asks beside the test, and comes back once the server has who asks on its list of listeners."""
    with ThreadPoolExecutor(3) as threads:

        def listen(path, **headers):
            count = door.api.state.watcher.count
            answer = threads.submit(alice, "GET", path, headers=headers)
            until(lambda: door.api.state.watcher.count > count or answer.done())
            return answer

        yield listen
