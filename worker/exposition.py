"""The port on which a worker process shows its metrics: the first free one, since a host runs several."""

import errno
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, start_http_server

log = structlog.get_logger()

PORTS: Final = 64
"""How many ports are tried; as many processes as one supervisor runs at most."""


def expose(registry: CollectorRegistry, *, host: str, port: int) -> int | None:
    """Serve Prometheus on the first free port from `port` on, in a thread of its own, and say which it is.

    None if there is none, or `port` is 0: a worker works on unseen.
    """
    if port == 0:
        return None
    for candidate in range(port, min(port + PORTS, 65536)):
        try:
            start_http_server(candidate, host, registry)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            log.warning("metrics.not_served", host=host, port=candidate, error=error.strerror or str(error))
            return None
        log.info("metrics.served", host=host, port=candidate)
        return candidate
    log.warning("metrics.not_served", host=host, port=port, error="every port is taken")
    return None
