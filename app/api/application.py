"""The application: routes, problems, OpenAPI, and the background check of its readiness."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.types import ASGIApp

from app import __version__
from app.api.metrics import Metrics
from app.api.openapi import openapi_of
from app.api.problems import install_problem_handlers
from app.api.readiness import Readiness
from app.api.requests import RequestLog
from app.api.routes import (
    checking,
    creating,
    deleting,
    docs,
    documents,
    ending,
    fetching,
    holdings,
    items,
    logo,
    orders,
    previewing,
    probes,
    reading,
    retrying,
    store,
    templates,
    watching,
)
from app.api.routes.metrics import route as metrics_route
from app.api.services import Services
from app.api.watching import Watcher
from app.deadline.admission import Admission
from app.deadline.middleware import DeadlineMiddleware, Rules
from app.deadline.signals import Signals
from app.deadline.zombies import Zombies

_DESCRIPTION = """
Sheaf turns thousands of shop orders into one archive of documents, as a durable job that its owner
can watch, cancel and fetch. Errors are RFC 9457 problems with a stable `code`.
"""

_ROUTES = (
    creating,
    previewing,
    reading,
    watching,
    items,
    ending,
    retrying,
    fetching,
    deleting,
    documents,
    checking,
    holdings,
    orders,
    store,
    logo,
    templates,
    probes,
    docs,
)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """What holds the requests of one process to their deadlines."""

    rules: Rules
    admission: Admission
    zombies: Zombies
    signals: Signals


def create_api(services: Services, readiness: Readiness, deadlines: Deadlines, metrics: Metrics) -> FastAPI:
    """The FastAPI application around its services."""
    watcher = Watcher(services.database)

    @asynccontextmanager
    async def lifespan(_api: FastAPI) -> AsyncIterator[None]:
        keeping = [asyncio.create_task(work) for work in (readiness.keep_looking(), watcher.keep_watching())]
        yield
        drain(api)
        for task in keeping:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        services.threads.close()
        await services.renderer.close()
        await services.database.close()

    api = FastAPI(
        title="Sheaf",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        # generated clients name their methods by it
        generate_unique_id_function=lambda route: route.name,
    )
    api.state.services = services
    api.state.readiness = readiness
    api.state.watcher = watcher
    api.state.deadlines = deadlines
    api.state.metrics = metrics
    api.state.dress = _plain
    install_problem_handlers(api)
    for module in _ROUTES:
        api.include_router(module.router)
    api.router.routes.append(metrics_route)
    api.mount("/docs/assets", docs.assets())
    api.openapi = lambda: openapi_of(api)  # type: ignore[method-assign]
    return api


def drain(api: FastAPI) -> None:
    """Say that this process ends: it wants no more traffic, and its event streams end at their next look."""
    api.state.readiness.is_draining = True
    api.state.watcher.is_ending = True


def served(api: FastAPI) -> ASGIApp:
    """The application with its outermost layers, as a server runs it.

    The log is outside of the deadline, so that it sees the answers that the deadline gives; between them is
    what dresses answers for people, if anything does.
    """
    parts: Deadlines = api.state.deadlines
    middleware = DeadlineMiddleware(
        api, rules=parts.rules, admission=parts.admission, zombies=parts.zombies, signals=parts.signals
    )
    dress: Callable[[ASGIApp], ASGIApp] = api.state.dress
    return RequestLog(dress(middleware))


def _plain(app: ASGIApp) -> ASGIApp:
    return app
