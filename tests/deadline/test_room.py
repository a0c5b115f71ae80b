"""The room's own README is true, and the room can be lifted out."""

import ast
import re
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.deadline.middleware import DeadlineMiddleware, Rules
from app.deadline.policy import RoutePolicy
from app.deadline.postgresql import PostgresqlGuard
from app.deadline.sqlalchemy import BudgetedPool
from app.deadline.words import EXPIRED

ROOM = Path(__file__).parents[2] / "app" / "deadline"
NEEDED = (
    text, Starlette, JSONResponse, Route, DeadlineMiddleware, Rules, RoutePolicy, PostgresqlGuard, BudgetedPool,
)  # fmt: skip


def test_ten_lines_are_enough_to_use_it(postgres_server):
    url = postgres_server.url(postgres_server.create_database())
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE orders (id int)"))
    engine.dispose()
    example = re.search(r"## Ten lines\n\n```python\n(.*?)```", (ROOM / "README.md").read_text(), re.DOTALL)
    assert example is not None
    names = {
        **{one.__name__: one for one in NEEDED},
        "EXPIRED": EXPIRED,
        "engine": create_async_engine(url, pool_size=10, max_overflow=0),
    }

    exec(example[1], names)
    with TestClient(names["application"]) as http:
        found = http.get("/orders", headers={"Connect-Timeout-Ms": "1500"})
        spent = http.get("/orders", headers={"Connect-Timeout-Ms": "0"})
        http.portal.call(names["engine"].dispose)

    assert (found.status_code, found.json()) == (200, {"orders": 0})
    assert (spent.status_code, spent.json()["code"]) == (504, "deadline_local")
    assert len([line for line in example[1].splitlines() if line.strip()]) <= 10


def test_the_room_imports_nothing_of_the_service_around_it():
    modules = {
        node.module
        for file in ROOM.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
    }

    own = {name for name in modules if name.startswith(("app.", "worker"))}

    assert {name for name in own if not name.startswith("app.deadline.")} == set()
