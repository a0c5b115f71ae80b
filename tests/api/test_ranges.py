"""A part of a download is the part that was asked for, whether the store has files or not."""

from itertools import product

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from app.api import streaming
from app.api.problems import install_problem_handlers
from app.api.ranges import Part, RangeMalformed, RangeNotSatisfiable, requested_part
from app.api.streaming import file_response, stored_response
from app.artifacts.opening import open_artifacts

ETAG = '"digest"'
CONTENT = bytes(range(100))
RANGES = (
    "bytes=0-0", "bytes=10-19", "bytes=90-", "bytes=90-1000", "bytes=99-99", "bytes=-10", "bytes=-1000", "bytes=0-",
    "Bytes = 1 - 2", "bytes=100-", "bytes=100-200", "bytes=-0", "bytes=20-10", "bytes=", "bytes=-", "bytes=a-b",
    "bytes=1", "10-19", "items=0-1", "",
)  # fmt: skip
IF_RANGES = (None, ETAG, '"other"', f"W/{ETAG}")


@given(size=st.integers(1, 300), first=st.integers(0, 300), length=st.integers(1, 300))
def test_a_range_is_cut_to_what_exists(size, first, length):
    header = f"bytes={first}-{first + length - 1}"

    if first >= size:
        with pytest.raises(RangeNotSatisfiable):
            requested_part(header, None, etag=ETAG, size=size)
    else:
        assert requested_part(header, ETAG, etag=ETAG, size=size) == Part(first, min(first + length, size))


def test_a_part_of_something_else_is_not_sent():
    assert requested_part("bytes=1-2", '"other"', etag=ETAG, size=100) is None
    assert requested_part("bytes=1-2", f"W/{ETAG}", etag=ETAG, size=100) is None
    assert requested_part("nonsense", '"other"', etag=ETAG, size=100) is None


def test_several_ranges_are_answered_with_everything():
    assert requested_part("bytes=1-2,5-6", None, etag=ETAG, size=100) is None


def test_a_number_is_digits_and_nothing_else():
    for header in ("bytes=+1-2", "bytes=1_0-20", "bytes=\u0661-2", "bytes=--5", "bytes=1-2-3"):
        with pytest.raises(RangeMalformed):
            requested_part(header, None, etag=ETAG, size=100)


@pytest.fixture
def http(tmp_path, monkeypatch):
    """The same bytes as a file and out of a store, in pieces far smaller than they."""
    monkeypatch.setattr(streaming, "PIECE", 7)
    store = open_artifacts(str(tmp_path))
    store.put("job/1-1", lambda file: file.write(CONTENT))
    app = FastAPI()
    install_problem_handlers(app)

    @app.api_route("/file", methods=["GET", "HEAD"])
    def send_file(request: Request):
        headers = {"ETag": ETAG}
        path = store.path("job/1-1")
        return file_response(request, path, size=len(CONTENT), headers=headers, media_type="application/zip")

    @app.get("/framework")
    def send_as_the_framework_does():
        return FileResponse(store.path("job/1-1"), headers={"ETag": ETAG}, media_type="application/zip")

    @app.api_route("/stored", methods=["GET", "HEAD"])
    def send_stored(request: Request, size: int = len(CONTENT)):
        headers = {"ETag": ETAG}
        return stored_response(request, store, "job/1-1", size=size, headers=headers, media_type="application/zip")

    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_store_without_files_answers_as_one_with_files(http, method):
    for asked, if_range in product((None, *RANGES), IF_RANGES):
        headers = {"Range": asked, "If-Range": if_range}
        headers = {name: value for name, value in headers.items() if value is not None}

        file, stored = (http.request(method, path, headers=headers) for path in ("/file", "/stored"))

        assert answer_of(stored) == answer_of(file), headers


def test_one_range_is_answered_as_the_framework_answers_it(http):
    for asked, if_range in product(RANGES, (None, ETAG, '"other"')):
        headers = {"Range": asked} if if_range is None else {"Range": asked, "If-Range": if_range}

        ours, theirs = (http.get(path, headers=headers) for path in ("/file", "/framework"))

        assert answer_of(ours) == answer_of(theirs), headers


@pytest.mark.parametrize("path", ["/file", "/stored"])
def test_several_ranges_and_ranges_of_a_look_are_answered_with_everything(http, path):
    several = http.get(path, headers={"Range": "bytes=1-2,5-6"})
    look = http.head(path, headers={"Range": "bytes=1-2"})

    assert (several.status_code, several.content, several.headers["content-type"]) == (200, CONTENT, "application/zip")
    # RFC 9110, section 14.2: a range means nothing to HEAD
    assert (look.status_code, look.headers["content-length"]) == (200, str(len(CONTENT)))


def answer_of(answer):
    """All that a client can see, but for the one header that only a file has, and the wording of a refusal."""
    if answer.is_error:
        return answer.status_code, answer.headers.get("content-range")
    headers = {name: value for name, value in answer.headers.items() if name != "last-modified"}
    return answer.status_code, answer.content, headers


def test_an_object_shorter_than_its_record_breaks_off(http):
    # the answer has begun: it can only break off, never look whole
    with pytest.raises(Exception, match=r"shorter|response already started"):
        http.get("/stored", params={"size": 200})
