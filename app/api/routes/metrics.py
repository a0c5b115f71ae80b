"""`/metrics` for Prometheus: to whom it is not open, it is an address like any other that does not exist."""

from typing import cast

from prometheus_client.exposition import choose_encoder
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.metrics import Metrics
from app.api.problems import ProblemError, not_found
from app.domain.codes import Problem


class _Exposition:
    """An ASGI application, since it has to answer methods that nobody has listed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = route  # for the log, as the framework's own routes do
        metrics = cast("Metrics", scope["app"].state.metrics)
        if not metrics.may_be_read_by(scope):
            raise not_found()
        if scope["method"] not in ("GET", "HEAD"):
            raise ProblemError(Problem.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        encode, media_type = choose_encoder(Headers(scope=scope).get("accept", ""))
        response: ASGIApp = Response(encode(metrics.registry), headers={"Content-Type": media_type})
        await response(scope, receive, send)


route = Route("/metrics", _Exposition(), include_in_schema=False)
