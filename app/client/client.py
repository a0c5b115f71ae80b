"""The client of programs without an event loop: the verbs, each done before it returns."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from app.client.transport import OnRetry, Transport
from app.client.verbs import Verbs
from app.client.wire import Direct, each, now

P = ParamSpec("P")
T = TypeVar("T")


def _done(
    verb: Callable[Concatenate[Verbs, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["SheafClient", P], T]:
    """The verb with the same parameters, run to its end."""

    @wraps(verb)
    def call(self: "SheafClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return now(verb(self._verbs, *args, **kwargs))

    return call


def _told(
    verb: Callable[Concatenate[Verbs, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate["SheafClient", P], Iterator[T]]:
    """The verb with the same parameters, its items one by one."""

    @wraps(verb)
    def call(self: "SheafClient", /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return each(verb(self._verbs, *args, **kwargs))

    return call


class SheafClient:
    """A connection to one server as one owner. Not for several threads at once.

    `timeout` is how long an attempt may hear nothing; `patience` is the budget of one call, all
    attempts and pauses together; both in seconds. `on_retry` is told why an attempt failed and in how many
    seconds the next one comes. Raises `ValueError` for an address or a token that cannot be one.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30.0,
        patience: float = 30.0,
        on_retry: OnRetry | None = None,
    ) -> None:
        transport = Transport(url, token, Direct, connect_within=timeout, on_retry=on_retry)
        self._verbs = Verbs(transport, timeout=timeout, patience=patience)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._verbs.url

    def __repr__(self) -> str:
        return f"SheafClient({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    create_export = _done(Verbs.create_export)
    preview_export = _done(Verbs.preview_export)
    preview_document = _done(Verbs.preview_document)
    get_export = _done(Verbs.get_export)
    list_exports = _told(Verbs.list_exports)
    wait = _told(Verbs.wait)
    cancel = _done(Verbs.cancel)
    retry_export = _done(Verbs.retry_export)
    delete_export = _done(Verbs.delete_export)
    failures = _told(Verbs.failures)
    manifest = _told(Verbs.manifest)
    describe_archive = _done(Verbs.describe_archive)
    download = _done(Verbs.download)
    list_orders = _told(Verbs.list_orders)
    summarize_orders = _done(Verbs.summarize_orders)
    check_orders = _told(Verbs.check_orders)
    import_orders = _done(Verbs.import_orders)
    get_store = _done(Verbs.get_store)
    change_store = _done(Verbs.change_store)
    set_logo = _done(Verbs.set_logo)
    remove_logo = _done(Verbs.remove_logo)
    get_template = _done(Verbs.get_template)
    set_template = _done(Verbs.set_template)
    preview_template = _done(Verbs.preview_template)
    reset_template = _done(Verbs.reset_template)
    close = _done(Verbs.close)
