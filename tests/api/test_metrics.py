"""`/metrics` is for this machine and for who has its token; to anybody else there is no such address."""

import asyncio
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from structlog.testing import capture_logs

from app.api.application import served
from app.artifacts.folder import FolderStore
from app.cli import composing
from app.messaging.broker import redis_broker
from app.settings import Settings
from tests.servers import free_port

TOKEN = "a-secret-of-the-operator"
NEAR = ("127.0.0.1", 40000)
FAR = ("203.0.113.7", 40000)


@contextmanager
def running(token: str | None):
    """The API without its background tasks, on servers that are not there: nothing here may touch one."""
    nowhere = Path("/nonexistent")
    settings = Settings(
        database_url=SecretStr(f"sqlite:///{nowhere / 'sheaf.db'}"),
        metrics_token=None if token is None else SecretStr(token),
    )
    broker = redis_broker(f"redis://127.0.0.1:{free_port()}/0", seconds=0.2)
    api = composing.build_api(settings, broker=broker, artifacts=FolderStore(nowhere))
    yield api
    api.state.services.threads.close()
    broker.client.close()


@pytest.fixture(scope="module")
def api():
    with running(TOKEN) as api:
        yield api


def ask(api, path="/metrics", *, client=NEAR, method="GET", host="127.0.0.1:8080", **headers) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(served(api), client=client)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as http:
            return await http.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return asyncio.run(send())


def samples(answer: httpx.Response) -> dict:
    families = text_string_to_metric_families(answer.text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "LOCALHOST:9", "[::1]:8080"])
def test_this_machine_reads_without_a_token(api, address, host):
    answer = ask(api, client=(address, 40000), host=host)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert samples(answer)["sheaf_pool_size", "database"] == 10


def test_the_token_reads_from_anywhere(api):
    for scheme in ("Bearer", "bearer"):
        answer = ask(
            api, client=FAR, host="sheaf.example", authorization=f"{scheme} {TOKEN}", x_forwarded_for="1.2.3.4"
        )

        assert answer.status_code == 200


def secretive(answer: httpx.Response) -> tuple:
    """All of an answer but what differs between any two."""
    own = {"x-request-id", "server-timing"}
    return answer.status_code, answer.content, {k: v for k, v in answer.headers.items() if k not in own}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": "Bearer a-secret"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN.upper()}"},
        {"authorization": b"Bearer \xe9"},
    ],
)
def test_to_anybody_else_there_is_no_such_address(api, headers):
    for method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "BREW"):
        answer = ask(api, client=FAR, method=method, **headers)
        unknown = ask(api, "/nothing-here", client=FAR, method=method, **headers)

        assert answer.status_code == 404
        assert secretive(answer) == secretive(unknown)
    assert ask(api, client=FAR, **headers).json()["code"] == "not_found"


@pytest.mark.parametrize(
    "sent",
    [
        {"forwarded": "for=203.0.113.7"},
        {"x_forwarded_for": "203.0.113.7"},
        {"x_forwarded_for": ""},
        {"x_real_ip": "203.0.113.7"},
        {"via": "1.1 proxy"},
        {"x_forwarded_proto": "https"},
        {"host": "sheaf.example"},
        {"host": "127.0.0.1.sheaf.example"},
        {"host": "sheaf.example:8080"},
    ],
)
def test_whom_a_proxy_on_this_machine_brings_is_no_neighbour(api, sent):
    assert ask(api, **sent).status_code == 404


@pytest.mark.parametrize("client", [None, ("testclient", 1), ("10.0.0.1", 1), ("::ffff:10.0.0.1", 1), ("", 0)])
def test_nobody_known_is_no_neighbour(api, client):
    assert ask(api, client=client).status_code == 404


@pytest.mark.parametrize("configured", [None, ""])
def test_without_a_token_none_is_taken(configured):
    with running(configured) as api:
        answers = [ask(api, client=FAR, authorization=sent) for sent in ("Bearer", "Bearer ", "Bearer None")]
        near = ask(api)

    assert [answer.status_code for answer in (*answers, near)] == [404, 404, 404, 200]


def test_the_reader_chooses_the_format(api):
    answer = ask(api, accept="application/openmetrics-text; version=1.0.0; charset=utf-8")

    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    assert "sheaf_zombies" in {family.name for family in openmetrics(answer.text)}


def test_it_is_read_only_and_not_in_the_documentation(api):
    wrong = ask(api, method="POST")

    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")
    assert "/metrics" not in api.openapi()["paths"]


def test_requests_processes_and_unheard_bells_are_told():
    with running(TOKEN) as api:
        ask(api, "/livez")
        ask(api, f"/v1/nothing/{uuid4()}", client=FAR)
        before = samples(ask(api))
        api.state.services.bell.announce(uuid4())
        after = samples(ask(api))

    assert before["sheaf_requests_total", "completed", "GET /livez", "2xx"] == 1
    assert before["sheaf_requests_total", "completed", "other", "4xx"] == 1
    assert after["sheaf_requests_total", "completed", "GET /metrics", "2xx"] == 1
    assert (before["sheaf_bells_unheard_total",], after["sheaf_bells_unheard_total",]) == (0, 1)
    assert after["process_resident_memory_bytes",] > 1_000_000
    assert after["python_gc_collections_total", "0"] >= 0
    assert after["sheaf_pool_in_use", "database"] == 0
    assert after["sheaf_pool_size", "permits"] == 40


def test_no_label_is_an_id(api):
    job = str(uuid4())
    ask(api, f"/v1/exports/{job}", client=FAR)
    ask(api, f"/v1/exports/{job}/archive?{job}", client=FAR, x_request_id=job)

    assert job not in ask(api).text


def test_the_log_tells_its_route(api):
    with capture_logs() as logged:
        ask(api)

    assert [(line["event"], line["route"]) for line in logged] == [("request.done", "/metrics")]
