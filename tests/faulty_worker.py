"""A worker process like `sheaf worker`, but with the faulty renderer; run as `python -m tests.faulty_worker`."""

from app.cli import serving
from app.cli.logs import configure_logs
from app.settings import Settings
from tests import faulty

if __name__ == "__main__":
    configure_logs(verbose=True)
    serving.worker(Settings(), render=faulty.render)
