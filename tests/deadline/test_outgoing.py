"""A call to another service ends with its budget, whatever that service does; pauses are paid from the same."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.deadline.backoff import Backoff, retry_after
from app.deadline.budget import UNBOUNDED, Budget, DeadlineSpent, DependencyTimedOut
from app.deadline.outgoing import BudgetTransport
from app.deadline.outgoing_async import AsyncBudgetTransport

SHORT = 0.2
LONG = 30.0
"""Seconds: far more than anything here takes, so that what ends early was ended by something else."""

TRUST = ssl.create_default_context()
"""Made once: it takes longer than a short budget."""


class Service(ThreadingHTTPServer):
    """A service that behaves as the path says, on a port of its own."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.over = threading.Event()
        self.asked: list[tuple[str, str | None]] = []
        """The path and the time passed on, of every request that came."""
        self.callers: set[object] = set()

    def handle_error(self, request: object, client_address: object) -> None:
        """Callers that leave are what this is about."""


class Handler(BaseHTTPRequestHandler):
    server: Service
    protocol_version = "HTTP/1.1"
    timeout = LONG

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["connect-timeout-ms"]))
        self.server.callers.add(self.client_address)
        match self.path:
            case "/silent":
                self.server.over.wait(LONG)
            case "/stalled":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                self.server.over.wait(LONG)
            case "/trickling":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n")
                self.trickle()
            case "/trickling-head":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                self.trickle()
            case "/busy" if len(self.server.asked) == 1:
                self.wfile.write(b"HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n")
            case _:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")

    def do_POST(self) -> None:
        # the body is left where it is
        self.server.over.wait(LONG)

    def trickle(self) -> None:
        with suppress(OSError):
            for _ in range(300):  # three seconds
                self.wfile.write(b"x")
                self.server.over.wait(0.01)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as made:
        serving = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        try:
            yield made
        finally:
            made.over.set()
            made.shutdown()
            serving.join()


def blocking(url, *, within=None, budget=None, timeout=LONG, clock=time.monotonic, method="GET", content=None):
    transport = BudgetTransport(httpx.HTTPTransport(verify=TRUST), clock=clock)
    with httpx.Client(transport=transport, timeout=timeout) as http:
        return http.request(method, url, content=content, extensions=carrying(budget, within))


def on_a_loop(url, *, within=None, budget=None, timeout=LONG, clock=time.monotonic, method="GET", content=None):
    async def ask():
        transport = AsyncBudgetTransport(httpx.AsyncHTTPTransport(verify=TRUST), clock=clock)
        async with httpx.AsyncClient(transport=transport, timeout=timeout) as http:
            return await http.request(method, url, content=content, extensions=carrying(budget, within))

    return asyncio.run(ask())


both = pytest.mark.parametrize("ask", [blocking, on_a_loop])


def carrying(budget=None, within=None):
    """A budget as a request carries it; one of `within` seconds begins now."""
    if within is not None:
        budget = Budget.of(within, now=time.monotonic())
    return {} if budget is None else {"budget": budget}


@contextmanager
def times_out():
    """The budget ends it: not at once, and long before anything else would."""
    began = time.monotonic()

    with pytest.raises(DependencyTimedOut) as caught:
        yield

    assert caught.value.dependency == "outgoing"
    assert SHORT * 0.9 <= time.monotonic() - began < SHORT * 10


@both
def test_what_is_left_is_passed_on(service, ask):
    answer = ask(f"{service.url}/", budget=Budget(260.0), clock=lambda: 256.0)

    assert answer.text == "done"
    assert service.asked == [("/", "3950")]


@pytest.mark.parametrize(
    ("left", "passed_on"),
    [
        (2.0, "1950"),  # less the way back
        (0.1, "90"),  # less a tenth, where that is little
        (0.002, "1"),
        (1e9, "9999999999"),  # ten digits at most
    ],
)
def test_the_way_back_is_never_more_than_a_tenth(left, passed_on):
    asked = []
    inner = httpx.MockTransport(lambda request: asked.append(request) or httpx.Response(200))
    transport = BudgetTransport(inner, clock=lambda: 256.0)

    transport.handle_request(
        httpx.Request(
            "GET", "http://service/", headers={"connect-timeout-ms": "7"}, extensions={"budget": Budget(256.0 + left)}
        )
    )

    assert asked[0].headers.get_list("connect-timeout-ms") == [passed_on]


@both
@pytest.mark.parametrize("budget", [None, UNBOUNDED])
def test_without_a_budget_a_call_passes_untouched(service, ask, budget):
    assert ask(f"{service.url}/", budget=budget).text == "done"

    assert service.asked == [("/", None)]


@both
@pytest.mark.parametrize("left", [-1.0, 0.0, 0.001])
def test_a_spent_budget_touches_no_network(service, ask, left):
    with pytest.raises(DeadlineSpent) as caught:
        ask(f"{service.url}/", budget=Budget(256.0 + left), clock=lambda: 256.0)

    assert caught.value.boundary == "outgoing"
    assert service.callers == set()


@both
@pytest.mark.parametrize("path", ["/silent", "/stalled", "/trickling"])
def test_an_answer_that_does_not_end_is_given_up_with_the_budget(service, ask, path):
    with times_out():
        ask(f"{service.url}{path}", within=SHORT)

    assert len(service.asked) == 1


def test_on_a_loop_a_head_that_trickles_is_given_up_too(service):
    with times_out():
        on_a_loop(f"{service.url}/trickling-head", within=SHORT)


@both
def test_a_body_that_is_not_taken_is_given_up(service, ask):
    with times_out():
        ask(f"{service.url}/", method="POST", content=bytes(50_000_000), within=SHORT)


def test_a_handshake_that_nobody_answers_is_given_up():
    # on a loop too, but httpcore leaves the socket to the garbage collector, whose warning is an error here
    with socket.create_server(("127.0.0.1", 0)) as silent, times_out():
        blocking(f"https://127.0.0.1:{silent.getsockname()[1]}/", within=SHORT)


def test_waiting_for_a_connection_is_paid_from_the_budget(service):
    inner = httpx.HTTPTransport(verify=TRUST, limits=httpx.Limits(max_connections=1))
    with (
        httpx.Client(transport=BudgetTransport(inner), timeout=LONG) as http,
        http.stream("GET", f"{service.url}/trickling"),
        times_out(),
    ):
        http.get(f"{service.url}/", extensions=carrying(within=SHORT))

    assert [path for path, _ in service.asked] == ["/trickling"]


@both
def test_a_shorter_time_out_of_the_callers_own_is_kept(service, ask):
    with pytest.raises(httpx.ReadTimeout):
        ask(f"{service.url}/silent", within=LONG, timeout=SHORT)


def test_each_step_gets_what_is_left_when_it_begins():
    now, timeouts = [256.0], {}

    def answer(request):
        for step in ("pool", "connect", "write", "read"):
            timeouts[step] = request.extensions["timeout"].get(step)
            now[0] += 1.0
        timeouts["too late"] = request.extensions["timeout"].get("read")
        return httpx.Response(200)

    transport = BudgetTransport(httpx.MockTransport(answer), clock=lambda: now[0])
    with httpx.Client(transport=transport, timeout=httpx.Timeout(2.5, read=None)) as http:
        http.get("http://service/", extensions=carrying(Budget(259.5)))

    assert timeouts == {"pool": 2.5, "connect": 2.5, "write": 1.5, "read": 0.5, "too late": 0.001}


def test_on_a_loop_a_piece_that_lay_ready_too_late_is_not_taken():
    now = [256.0]

    async def pieces():
        yield b"in time"
        now[0] += 10.0
        yield b"too late"

    async def ask():
        inner = httpx.MockTransport(lambda _: httpx.Response(200, content=pieces()))
        transport = AsyncBudgetTransport(inner, clock=lambda: now[0])
        async with httpx.AsyncClient(transport=transport) as http:
            return await http.get("http://service/", extensions=carrying(Budget(260.0)))

    with pytest.raises(DependencyTimedOut):
        asyncio.run(ask())


def test_the_callers_request_stays_as_it_is_and_its_connection_is_kept(service):
    with httpx.Client(transport=BudgetTransport(httpx.HTTPTransport(verify=TRUST)), timeout=LONG) as http:
        request = http.build_request("GET", f"{service.url}/", extensions=carrying(within=LONG))
        before = (dict(request.headers), dict(request.extensions))

        answers = [http.send(request).text for _ in range(2)]

        assert answers == ["done", "done"]
        assert (dict(request.headers), dict(request.extensions)) == before
        assert len(service.callers) == 1


def test_attempts_and_pauses_spend_one_budget(service):
    skipped = [0.0]

    def clock():
        return time.monotonic() + skipped[0]

    budget = Budget.of(10.0, now=clock())
    pauses = Backoff(budget, clock=clock)
    with httpx.Client(transport=BudgetTransport(httpx.HTTPTransport(verify=TRUST), clock=clock), timeout=LONG) as http:
        first = http.get(f"{service.url}/busy", extensions=carrying(budget))
        pause = pauses.next_pause(at_least=retry_after(first))
        skipped[0] += pause
        second = http.get(f"{service.url}/busy", extensions=carrying(budget))

    (_, before), (_, after) = service.asked
    assert (first.status_code, pause, second.status_code) == (503, 2.0, 200)
    assert int(after) <= int(before) - 2000


@pytest.mark.parametrize(("jitter", "pauses"), [(0.0, [0.1, 0.2, 0.4, 0.5, 0.5]), (1.0, [0.2, 0.4, 0.8, 1.0, 1.0])])
def test_pauses_double_up_to_the_longest(jitter, pauses):
    backoff = Backoff(Budget(100.0), first=0.2, longest=1.0, clock=lambda: 0.0, jitter=lambda: jitter)

    assert [backoff.next_pause() for _ in pauses] == pauses


def test_the_servers_wish_is_honoured_where_it_is_longer():
    backoff = Backoff(Budget(100.0), first=0.2, clock=lambda: 0.0, jitter=lambda: 1.0)

    assert [backoff.next_pause(at_least=wish) for wish in (7.0, 0.1, None)] == [7.0, 0.4, 0.8]


@given(st.floats(0, 100), st.lists(st.tuples(st.floats(0, 10), st.none() | st.floats(0, 10)), max_size=20))
def test_no_pause_is_taken_that_leaves_no_time_for_an_attempt(whole, attempts):
    now = [0.0]
    backoff = Backoff(Budget(whole), useful=0.5, clock=lambda: now[0])

    for takes, wish in attempts:
        now[0] += min(takes, backoff.left)
        try:
            now[0] += backoff.next_pause(at_least=wish)
        except DeadlineSpent as spent:
            assert spent.boundary == "retry"  # noqa: PT017 - either may happen
            break
        assert backoff.left >= 0.5 - 1e-9


@pytest.mark.parametrize(
    ("sent", "taken"),
    [("2", 2.0), (" 0 ", 0.0), ("", None), ("-1", None), ("1.5", None), ("²", None), ("1234567", None), (None, None)],
)
def test_a_wish_is_a_whole_number_of_seconds(sent, taken):
    headers = {} if sent is None else {"Retry-After": sent.encode("utf-8")}

    assert retry_after(httpx.Response(503, headers=headers)) == taken
