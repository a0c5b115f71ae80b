"""One call to the server: its attempts, its budget, and what its failures mean."""

import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final, Protocol
from urllib.request import getproxies, proxy_bypass

import httpx

from app import __version__
from app.client.errors import NotUnderstood, SheafError, Unreachable, problem_of
from app.client.wire import Attempt, Content, Wire
from app.deadline.backoff import Backoff
from app.deadline.budget import Budget, DeadlineSpent, DependencyTimedOut

OnRetry = Callable[[SheafError, float], None]
"""Told why an attempt failed and in how many seconds the next one comes."""

_Finish = Callable[[httpx.Response], Awaitable[None]]

_AGAIN: Final = frozenset({502, 503, 504})
"""Statuses that say "not now": a proxy without a server, a refusal under load, a spent deadline."""

_ON_THE_WAY: Final = 0.5
"""Seconds in which the server's own "too late" can still arrive."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is sent. Every call of this client is safe to repeat: that is for the callers to see to.

    `content` makes the body anew for each attempt. `answer_within` is what an attempt gets, in seconds.
    Transfers of files have no deadline and take what they take: there it is the longest silence.
    """

    method: str
    path: str
    answer_within: float
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Callable[[], Content] = lambda: None
    has_deadline: bool = True


class WireMaker(Protocol):
    """The kind of wire that a client is made for."""

    def __call__(self, *, headers: Mapping[str, str], proxy: str | None, way_back: float) -> Wire:
        """A wire whose requests carry these headers; `way_back` is in seconds."""


class Transport:
    """Sends calls with the token, and again while that is worth it."""

    def __init__(
        self, url: str, token: str, wire: WireMaker, *, connect_within: float, on_retry: OnRetry | None
    ) -> None:
        base = _checked_url(url)
        self.url = str(base).rstrip("/")
        self._connect_within = connect_within
        self._on_retry = on_retry
        headers = {"Authorization": f"Bearer {_checked_token(token)}", "User-Agent": f"sheaf/{__version__}"}
        self.wire = wire(headers=headers, proxy=_proxy_to(base), way_back=_ON_THE_WAY)

    async def send(self, call: Call, *, patience: float) -> httpx.Response:
        """The whole answer; raises `Unreachable`, `RequestRefused`, `ServerFault` or `NotUnderstood`."""
        return await self._insist(call, backoff(patience), self.wire.read)

    @asynccontextmanager
    async def stream(self, call: Call, *, patience: float) -> AsyncIterator[httpx.Response]:
        """The beginning of an answer, its body still to come; raises as `send` does."""
        response = await self._insist(call, backoff(patience), _left_unread)
        try:
            yield response
        except DependencyTimedOut as cause:
            raise Unreachable(self.url, reason_of(cause)) from None
        finally:
            await self.wire.close(response)

    async def pause(self, pauses: Backoff, error: SheafError, *, at_least: float | None = None) -> None:
        """Wait for the next attempt after `error`, or raise it if the patience does not reach so far."""
        try:
            seconds = pauses.next_pause(at_least=at_least)
        except DeadlineSpent:
            raise error from None
        if self._on_retry is not None:
            self._on_retry(error, seconds)
        await self.wire.sleep(seconds)

    async def _insist(self, call: Call, pauses: Backoff, finish: _Finish) -> httpx.Response:
        while True:
            try:
                response = await self._attempt(call, pauses, finish)
                if response.status_code not in _AGAIN:
                    return self._judged(response)
                problem = problem_of(response)
                await self.pause(pauses, problem, at_least=problem.retry_after)
            except (httpx.RequestError, DeadlineSpent, DependencyTimedOut) as cause:
                await self.pause(pauses, Unreachable(self.url, reason_of(cause)))

    async def _attempt(self, call: Call, pauses: Backoff, finish: _Finish) -> httpx.Response:
        share = pauses.budget.child(cap=call.answer_within, now=time.monotonic())
        attempt = Attempt(
            call.method,
            f"{self.url}{call.path}",
            call.params,
            call.headers,
            call.content(),
            # what has no deadline still has to be begun in time, and a second is little for that
            httpx.Timeout(call.answer_within, connect=min(self._connect_within, max(1.0, pauses.left))),
            {"budget": share} if call.has_deadline else {},
        )
        response = await self.wire.send(attempt)
        try:
            await (finish if response.is_success else self.wire.read)(response)
        except BaseException:
            await self.wire.close(response)
            raise
        return response

    def _judged(self, response: httpx.Response) -> httpx.Response:
        if response.is_error:
            raise problem_of(response)
        # followed blindly, a redirection would carry the token to whoever sent it
        if response.has_redirect_location:
            raise NotUnderstood(f"{self.url} sends us on to {response.headers['location']}: use that address.")
        return response


async def _left_unread(_response: httpx.Response) -> None:
    return


def backoff(patience: float) -> Backoff:
    """The attempts and pauses of one call, within so many seconds from now."""
    return Backoff(Budget.of(patience, now=time.monotonic()))


def reason_of(error: httpx.RequestError | DeadlineSpent | DependencyTimedOut) -> str:
    """Why an attempt failed, in words for people."""
    match error.__cause__ if isinstance(error, DependencyTimedOut) else error:
        case httpx.ConnectTimeout():
            return "no connection within the time allowed"
        case httpx.TimeoutException():
            return "the connection stands, but nothing came within the time allowed"
        case httpx.RequestError():
            return re.sub(r"^\[Errno -?\d+\] ", "", str(error)).rstrip(".") or type(error).__name__
        case DeadlineSpent():
            return "no time was left to ask"
        case _:
            return "the answer did not end within the time allowed"


def _checked_url(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ValueError(f"`{text}` is no address: {error}.") from None
    if url.userinfo:
        # not shown: it would stand in a log
        raise ValueError("The address of the server must not hold a user or password.")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ValueError(f"`{text}` is no address of a server. Example: http://127.0.0.1:8080")
    return url


def _checked_token(token: str) -> str:
    # the library below would show a token that it cannot send
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise ValueError("The token is empty or holds characters that no token has.")
    return token


def _proxy_to(server: httpx.URL) -> str | None:
    """The proxy that the environment names for this server; none is meant for this very machine."""
    if _is_this_machine(server.host) or proxy_bypass(server.host):
        return None
    named = getproxies()
    found = named.get(server.scheme) or named.get("all")
    return f"http://{found}" if found and "://" not in found else found


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
