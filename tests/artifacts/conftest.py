"""A store of each kind, and buckets as their environment names them."""

from uuid import uuid4

import pytest

from app.artifacts.opening import open_artifacts


@pytest.fixture
def s3_environment(s3_server, monkeypatch):
    """This process is told of the S3 server as an operator would tell it."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server


@pytest.fixture(params=["folder", "s3"])
def kind(request):
    """Which kind of store."""
    return request.param


@pytest.fixture
def place(kind, request, tmp_path):
    """Gives the address of a new, empty place for artifacts at each call."""
    if kind == "folder":
        return lambda: str(tmp_path / uuid4().hex)
    server = request.getfixturevalue("s3_environment")
    return lambda: server.address(f"some/{uuid4().hex}")


@pytest.fixture
def store(place):
    return open_artifacts(place())
