"""A Redis that is frozen, silent or slow holds a thread no longer than the budget, and is whole afterwards."""

import asyncio
import socket
import threading
import time
from contextlib import closing, contextmanager
from math import inf
from uuid import uuid4

import pytest
import redis
from redis.backoff import ConstantBackoff, NoBackoff
from redis.retry import Retry

from app.deadline.budget import UNBOUNDED, Budget, DeadlineSpent, DependencyTimedOut
from app.deadline.redis import BackoffWithinBudget, redis_budget, redis_client
from app.messaging.bell import Bell
from app.messaging.broker import BellBroker, redis_broker
from tests.servers import ServerMissing, running_redis
from tests.waiting import until

PATIENT = 30.0
"""Seconds that a client without a budget would wait: ten times what any of these tests may take."""


@pytest.fixture(scope="module")
def server():
    """A Redis of our own, since it is frozen."""
    try:
        with running_redis() as server:
            yield server
    except ServerMissing as missing:
        pytest.skip(str(missing))


@contextmanager
def frozen(server):
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


@pytest.fixture
def client(server):
    with redis_client(server.url, socket_timeout=PATIENT, socket_connect_timeout=PATIENT) as client:
        yield client


def soon(seconds: float = 0.15) -> Budget:
    return Budget.of(seconds, now=time.monotonic())


@contextmanager
def ended_by_its_budget():
    budget = soon()
    with pytest.raises(DependencyTimedOut, match="redis"), redis_budget(budget):
        yield
    assert time.monotonic() < budget.cutoff + 1.5  # ten times the budget


class Clock:
    """Stands until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("is_warm", [True, False], ids=["an open connection", "a new connection"])
def test_a_frozen_redis_ends_the_call_with_its_budget_and_answers_after_the_thaw(server, client, is_warm):
    if is_warm:
        client.ping()

    with frozen(server), ended_by_its_budget():
        client.ping()  # the server is frozen until the exception has been seen

    assert client.ping()
    with redis_budget(soon(5)):
        assert client.get("nothing") is None


def test_calls_share_one_budget_and_nothing_is_sent_after_its_end(server, client):
    connection = client.connection_pool.get_connection()
    clock = Clock()

    with redis_budget(Budget(1.0), clock=clock):
        connection.send_command("PING")
        assert connection.read_response() == b"PONG"
        clock.now = 1.0
        with pytest.raises(DependencyTimedOut):
            connection.send_command("SET", "late", "yes")

    client.connection_pool.release(connection)
    assert client.get("late") is None


def test_a_spent_budget_begins_nothing(server, client):
    before = server_calls(client)

    with pytest.raises(DeadlineSpent, match="redis"), redis_budget(Budget(1.0), clock=lambda: 1.0):
        client.set("begun", "yes")

    assert client.get("begun") is None
    assert "set" not in server_calls(client) - before


def server_calls(client) -> set[str]:
    return {name.removeprefix("cmdstat_") for name in client.info("commandstats")}


def test_without_a_budget_nothing_changes(server):
    with redis_client(server.url, socket_timeout=0.1, socket_connect_timeout=PATIENT) as client:
        client.ping()

        with frozen(server), pytest.raises(redis.TimeoutError):
            client.ping()
        with frozen(server), pytest.raises(redis.TimeoutError), redis_budget(UNBOUNDED):
            client.ping()

        with redis_budget(soon(5)):
            client.ping()
        (connection,) = client.connection_pool._available_connections
        assert (connection.socket_timeout, connection.socket_connect_timeout) == (0.1, PATIENT)
        assert connection._sock.gettimeout() == 0.1


def test_a_connection_made_within_a_budget_waits_as_long_as_ever_afterwards(server, client):
    with redis_budget(soon(5)):
        client.ping()
    (connection,) = client.connection_pool._available_connections

    client.blpop("nobody", timeout=0.01)

    assert (connection.socket_timeout, connection._sock.gettimeout()) == (PATIENT, PATIENT)
    assert connection._sock._socket.gettimeout() == PATIENT


def test_a_client_without_any_time_out_heeds_the_budget_too(server):
    with redis_client(server.url, socket_timeout=None, socket_connect_timeout=None) as client:
        client.ping()
        with frozen(server), ended_by_its_budget():
            client.ping()

        assert client.ping()


def test_no_retry_follows_the_end_of_the_budget(server):
    retry = Retry(ConstantBackoff(PATIENT), 3)
    with redis_client(server.url, socket_timeout=PATIENT, retry=retry) as client:
        client.ping()
        with frozen(server), ended_by_its_budget():
            client.ping()

        assert client.ping()


def test_a_pause_between_tries_is_paid_from_the_budget(server):
    retry = Retry(BackoffWithinBudget(ConstantBackoff(PATIENT)), 3)
    with redis_client(server.url, socket_timeout=0.05, retry=retry) as client:
        client.ping()
        with frozen(server), ended_by_its_budget():
            client.ping()

        assert client.ping()


def test_a_pause_is_as_asked_while_the_budget_allows_it():
    pauses = BackoffWithinBudget(ConstantBackoff(2.0))

    with redis_budget(Budget(5.0), clock=lambda: 4.5):
        within = pauses.compute(1)

    assert (within, pauses.compute(1)) == (0.5, 2.0)


@contextmanager
def listening(serve=None):
    """A port of 127.0.0.1 that is connected to; `serve` gets the first connection, else nobody answers."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        thread = threading.Thread(target=lambda: serve(listener.accept()[0]), daemon=True) if serve else None
        if thread is not None:
            thread.start()
        yield listener.getsockname()[1]
    if thread is not None:
        thread.join(PATIENT)


def test_a_tls_handshake_is_paid_from_the_budget():
    with listening() as port:
        url = f"rediss://127.0.0.1:{port}/0?ssl_cert_reqs=none"
        with redis_client(url, socket_timeout=PATIENT) as client, ended_by_its_budget():
            client.ping()


def test_an_answer_that_drips_ends_with_the_budget():
    """Each byte comes well within the socket's time-out; only the budget can end it."""
    was_dripping = threading.Event()
    has_ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        with closing(connection):
            connection.sendall(b"$1000000\r\n")
            while not has_ended.wait(0.01):
                try:
                    connection.sendall(b"x")
                except OSError:
                    return
                was_dripping.set()

    with listening(drip) as port:
        url = f"redis://127.0.0.1:{port}/0"
        with redis_client(url, socket_timeout=PATIENT, protocol=2, driver_info=None) as client:
            with ended_by_its_budget():
                client.ping()
            is_dripping = not has_ended.is_set()
        has_ended.set()

    assert (was_dripping.is_set(), is_dripping) == (True, True)


def test_a_request_of_many_bytes_that_nobody_reads_ends_with_the_budget(server, client):
    client.ping()

    with frozen(server), ended_by_its_budget():
        client.set("big", b"x" * 30_000_000)

    assert client.get("big") is None


def test_a_unix_socket_heeds_the_budget_too(tmp_path):
    path = tmp_path / "redis.sock"
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(path))
        listener.listen()
        with redis_client(f"unix://{path}", socket_timeout=PATIENT) as client, ended_by_its_budget():
            client.ping()


@pytest.fixture
def bell(server):
    broker = redis_broker(server.url, seconds=PATIENT)
    server.flush()
    yield Bell(broker)
    broker.client.close()


def bells(server) -> int:
    with redis.Redis(port=server.port) as client:
        return client.llen("sheaf:sheaf")


def test_a_bell_on_a_frozen_redis_is_unheard_when_its_budget_ends_and_the_next_is_heard(server, bell):
    with frozen(server):
        budget = soon()
        bell.announce(uuid4(), budget)
        assert (bell.unheard, time.monotonic() < budget.cutoff + 1.5) == (1, True)

    server.flush()
    bell.announce(uuid4(), soon(5))
    assert (bell.unheard, bells(server)) == (1, 1)


def test_a_bell_with_a_spent_budget_is_not_even_rung(server, bell):
    bell.announce(uuid4(), Budget(0.0))

    assert (bell.unheard, bells(server)) == (1, 0)


def test_a_bell_without_a_budget_is_rung(server, bell):
    bell.announce(uuid4())

    assert (bell.unheard, bells(server)) == (0, 1)


def test_a_hurried_bell_on_a_frozen_redis_waits_for_no_patient_one(server, bell):
    patient = threading.Thread(target=bell.announce, args=(uuid4(),))

    with frozen(server):
        patient.start()
        until(lambda: bell._broker.client.connection_pool._in_use_connections, within=PATIENT)
        bell.announce(uuid4(), soon())
        assert (bell.unheard, patient.is_alive()) == (1, True)

    patient.join(PATIENT)
    assert (bell.unheard, bells(server)) == (1, 1)


def test_the_budget_reaches_a_thread_of_the_event_loop(server, client):
    async def ping() -> None:
        with ended_by_its_budget():
            await asyncio.to_thread(client.ping)

    client.ping()

    with frozen(server):
        asyncio.run(ping())


def test_what_dramatiq_would_ask_under_its_lock_is_what_redis_answers(server, bell):
    broker = redis_broker(server.url, seconds=PATIENT)

    answered = broker.scripts["maxstack"]()

    assert BellBroker._max_unpack_size_val == answered // 2
    broker.client.close()


def test_a_budget_ends_with_its_block():
    pauses = BackoffWithinBudget(ConstantBackoff(inf))

    with redis_budget(Budget(1.0), clock=lambda: 0.0):
        assert pauses.compute(1) == 1.0

    assert pauses.compute(1) == inf
    assert BackoffWithinBudget(NoBackoff()).compute(1) == 0
