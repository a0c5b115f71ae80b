"""The one actor: it has no work of its own, it only wakes the runner."""

import dramatiq

from app.messaging.broker import ACTOR, QUEUE
from worker.runner import Runner


def register_work(broker: dramatiq.Broker, runner: Runner) -> None:
    """Declare the actor that bells call on this broker."""

    def work(job_id: str) -> None:
        runner.work_until_idle()

    dramatiq.actor(broker=broker, queue_name=QUEUE, actor_name=ACTOR)(work)
