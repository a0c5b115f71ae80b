"""One call to the server: its attempts, its budget, and what its failures mean."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final

import httpx

from app import __version__
from app.client.errors import NotUnderstood, SheafError, Unreachable, problem_of
from app.client.patience import Patience

OnRetry = Callable[[SheafError, float], None]
"""Told why an attempt failed and in how many seconds the next one comes."""

_AGAIN: Final = frozenset({502, 503, 504})
"""Statuses that say "not now": a proxy without a server, a refusal under load, a spent deadline."""

_ON_THE_WAY: Final = 0.5
"""Seconds in which the server's own "too late" can still arrive."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is sent. Every call of this client is safe to repeat: that is for the callers to see to.

    `content` makes the body anew for each attempt; `answer_within` is the silence, in seconds,
    after which an attempt is given up. Transfers of files have no deadline: they take what they take.
    """

    method: str
    path: str
    answer_within: float
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Callable[[], bytes | Iterable[bytes] | None] = lambda: None
    has_deadline: bool = True


class Transport:
    """Sends calls with the token, and again while that is worth it."""

    def __init__(self, url: str, token: str, *, connect_within: float, on_retry: OnRetry | None) -> None:
        base = _checked_url(url)
        self.url = str(base).rstrip("/")
        self._connect_within = connect_within
        self._on_retry = on_retry
        self._http = httpx.Client(
            headers={"Authorization": f"Bearer {_checked_token(token)}", "User-Agent": f"sheaf/{__version__}"},
            # a proxy in the environment is not meant for this very machine
            trust_env=not _is_this_machine(base.host),
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call, *, patience: float) -> httpx.Response:
        """The whole answer; raises `Unreachable`, `RequestRefused`, `ServerFault` or `NotUnderstood`."""
        return self._insist(call, Patience(patience), httpx.Response.read)

    @contextmanager
    def stream(self, call: Call, *, patience: float) -> Iterator[httpx.Response]:
        """The beginning of an answer, its body still to come; raises as `send` does."""
        response = self._insist(call, Patience(patience), lambda _: None)
        try:
            yield response
        finally:
            response.close()

    def pause(self, patience: Patience, error: SheafError, *, at_least: float | None = None) -> None:
        """Wait for the next attempt after `error`, or raise it if the patience does not reach so far."""
        seconds = patience.next_pause(error, at_least=at_least)
        if self._on_retry is not None:
            self._on_retry(error, seconds)
        time.sleep(seconds)

    def _insist(self, call: Call, patience: Patience, finish: Callable[[httpx.Response], object]) -> httpx.Response:
        while True:
            try:
                response = self._attempt(call, patience, finish)
                if response.status_code not in _AGAIN:
                    return self._judged(response)
                problem = problem_of(response)
                self.pause(patience, problem, at_least=problem.retry_after)
            except httpx.RequestError as cause:
                self.pause(patience, Unreachable(self.url, reason_of(cause)))

    def _attempt(self, call: Call, patience: Patience, finish: Callable[[httpx.Response], object]) -> httpx.Response:
        # an attempt that begins gets a second at least, however little is left
        left = max(1.0, patience.left)
        headers, silence = dict(call.headers), call.answer_within
        if call.has_deadline:
            silence = min(silence, left)
            # passed on, so that nobody works for an answer that we will not hear
            headers["Connect-Timeout-Ms"] = str(round(silence * 1000))
            silence += _ON_THE_WAY
        request = self._http.build_request(
            call.method,
            f"{self.url}{call.path}",
            params=call.params,
            headers=headers,
            content=call.content(),
            timeout=httpx.Timeout(silence, connect=min(self._connect_within, left)),
        )
        response = self._http.send(request, stream=True)
        try:
            if response.is_success:
                finish(response)
            else:
                response.read()
        except BaseException:
            response.close()
            raise
        return response

    def _judged(self, response: httpx.Response) -> httpx.Response:
        if response.is_error:
            raise problem_of(response)
        # followed blindly, a redirection would carry the token to whoever sent it
        if response.has_redirect_location:
            raise NotUnderstood(f"{self.url} sends us on to {response.headers['location']}: use that address.")
        return response


def reason_of(error: httpx.RequestError) -> str:
    """Why an attempt failed, in words for people."""
    match error:
        case httpx.ConnectTimeout():
            return "no connection within the time allowed"
        case httpx.TimeoutException():
            return "the connection stands, but nothing came within the time allowed"
        case _:
            return re.sub(r"^\[Errno -?\d+\] ", "", str(error)).rstrip(".") or type(error).__name__


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


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
