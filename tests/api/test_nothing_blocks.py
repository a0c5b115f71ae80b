"""Nothing of the API runs where no deadline reaches it: in the framework's threads, or behind its buffering layer."""

from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import SecretStr
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from app.api.application import served
from app.api.requests import RequestLog
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.deadline.middleware import DeadlineMiddleware
from app.messaging.broker import memory_broker
from app.settings import Settings
from app.web.problem_pages import ProblemPages


@pytest.fixture(scope="module")
def api(tmp_path_factory) -> FastAPI:
    """The application as it is composed; nothing of it runs."""
    folder = tmp_path_factory.mktemp("api")
    settings = Settings(database_url=SecretStr(f"sqlite:///{folder / 'sheaf.db'}"))
    return composing.build_api(settings, broker=memory_broker(), artifacts=FolderStore(folder))


def layers(app: Any) -> Iterator[Any]:
    """An ASGI application and everything that it wraps, outermost first."""
    while app is not None:
        yield app
        app = getattr(app, "app", getattr(app, "_app", None))


def calls_of(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    """What the framework calls for a route, dependencies of dependencies included."""
    if dependant.call is not None:
        yield dependant.call
    for inner in dependant.dependencies:
        yield from calls_of(inner)


def is_async(call: Callable[..., Any]) -> bool:
    return iscoroutinefunction(call) or iscoroutinefunction(type(call).__call__)


def routes_of(router: Any) -> Iterator[BaseRoute]:
    """Every route, those of included routers too."""
    for route in router.routes:
        included = getattr(route, "original_router", None)
        yield from [route] if included is None else routes_of(included)


def test_every_endpoint_and_all_that_it_depends_on_is_a_coroutine_function(api):
    routes = list(routes_of(api))

    ours = [route for route in routes if isinstance(route, APIRoute)]
    called = [call for route in ours for call in calls_of(route.dependant)]
    called += [route.endpoint for route in routes if isinstance(route, Route) and route not in ours]
    assert {"create_export", "import_orders", "livez", "show_exports"} <= {route.name for route in ours}
    assert [call for call in called if not is_async(call)] == []
    # the documentation's own files are all that the framework asks a thread for
    others = [(type(route), route.path, type(route.app)) for route in routes if not isinstance(route, Route)]
    assert others == [(Mount, "/docs/assets", StaticFiles)]


def test_every_error_is_answered_by_a_coroutine_function(api):
    assert [handler for handler in api.exception_handlers.values() if not is_async(handler)] == []


def test_no_layer_buffers_answers_or_hides_who_leaves(api):
    stack = list(layers(served(api)))

    assert [type(one) for one in stack[:4]] == [RequestLog, ProblemPages, DeadlineMiddleware, FastAPI]
    inside = list(layers(api.build_middleware_stack()))
    assert len(inside) >= 3
    assert [one for one in (*stack, *inside) if isinstance(one, BaseHTTPMiddleware)] == []
