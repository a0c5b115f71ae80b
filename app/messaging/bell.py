"""Announcing a job: after its commit, best effort, never failing the answer."""

from uuid import UUID

import dramatiq
import redis
import structlog
from dramatiq.errors import BrokerError

from app.messaging.broker import ACTOR, QUEUE

log = structlog.get_logger()


class Bell:
    """Rings the workers' bell on a broker. Errors are counted and logged, never raised."""

    def __init__(self, broker: dramatiq.Broker) -> None:
        self._broker = broker
        self.unheard = 0
        """Bells that could not be rung; each costs its job half a second."""

    def announce(self, job_id: UUID) -> None:
        """Tell the workers that a job has something to do."""
        message: dramatiq.Message[None] = dramatiq.Message(
            queue_name=QUEUE, actor_name=ACTOR, args=(str(job_id),), kwargs={}, options={}
        )
        try:
            self._broker.enqueue(message)
        except (redis.RedisError, BrokerError, OSError) as error:
            self.unheard += 1
            log.warning("bell.unheard", job_id=str(job_id), error=type(error).__name__)
