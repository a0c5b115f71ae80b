"""A worker process like `sheaf worker`, but with the faulty renderer; run as `python -m tests.faulty_worker`."""

import signal
import threading

from app.cli import composing
from app.cli.logs import configure_logs
from app.settings import Settings
from tests import faulty
from worker.exposition import expose


def main() -> None:
    """Work until told to end."""
    configure_logs(verbose=True)
    settings = Settings()
    database = composing.open_database(settings)
    artifacts = composing.open_artifact_store(settings, database)
    process = composing.build_worker(
        settings,
        database=database,
        artifacts=artifacts,
        broker=composing.open_broker(settings),
        render=faulty.render,
    )
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    expose(process.context.signals.registry, host=settings.worker_metrics_host, port=settings.worker_metrics_port)
    process.start()
    ending.wait()
    process.end()
    database.close()


if __name__ == "__main__":
    main()
