"""What callers are told when the database ends what it was doing for them."""

import psycopg
import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, InternalError
from starlette.testclient import TestClient

from app.api.deadlines import QUICK
from app.api.problems import install_problem_handlers
from app.database import engines
from app.database.engines import STANDS_STILL, has_stood_still, sync_engine
from app.database.transactions import Database
from tests.migrated import LIMITS
from tests.servers import is_gone
from tests.waiting import until


@pytest.mark.parametrize(
    ("cause", "answer"),
    [
        (psycopg.errors.IdleInTransactionSessionTimeout, (503, "database_unavailable")),
        (psycopg.errors.ReadOnlySqlTransaction, (500, "internal_error")),
    ],
)
def test_a_transaction_that_was_ended_for_standing_still_may_be_tried_again(cause, answer):
    api = FastAPI()
    install_problem_handlers(api)

    @api.get("/")
    async def fail() -> None:
        raise InternalError("SELECT 1", {}, cause("ended"))

    with TestClient(api, raise_server_exceptions=False) as http:
        told = http.get("/")

    assert (told.status_code, told.json()["code"]) == answer
    assert ("retry-after" in told.headers) == (answer[0] == 503)


def stand_still(engine):
    with Database(engine).transaction() as tx:
        backend = tx.scalar(text("SELECT pg_backend_pid()"))
        until(lambda: is_gone(backend))
        tx.execute(text("SELECT 1"))


def test_the_server_says_when_it_ended_a_transaction_for_standing_still(postgres_server, monkeypatch):
    monkeypatch.setattr(engines, "STANDS_STILL", 0.05)
    engine = sync_engine(postgres_server.url(postgres_server.create_database()), LIMITS)

    with pytest.raises(DBAPIError) as ended:
        stand_still(engine)

    engine.dispose()
    assert has_stood_still(ended.value)


def test_a_cancel_waits_for_longer_than_anybody_may_stand_still():
    assert QUICK["database"] > STANDS_STILL
