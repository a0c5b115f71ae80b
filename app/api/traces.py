"""The trace of a request: taken from its `traceparent` header if that is valid, else there is none."""

from starlette.types import Scope

from app.domain.traces import read_trace_parent


def trace_parent_of(scope: Scope) -> str | None:
    """The request's trace, as it is kept on a job; two headers are as good as none."""
    match [value for name, value in scope["headers"] if name == b"traceparent"]:
        case [header]:
            return read_trace_parent(header.decode("latin-1"))
        case _:
            return None
