"""Announcing a job: after its commit, best effort, never failing the answer."""

import threading
from uuid import UUID

import dramatiq
import redis
import structlog
from dramatiq.errors import BrokerError

from app.deadline.budget import UNBOUNDED, Budget, DeadlineSpent, DependencyTimedOut
from app.deadline.redis import redis_budget
from app.messaging.broker import ACTOR, QUEUE

log = structlog.get_logger()


class Bell:
    """Rings the workers' bell on a broker. Errors are counted and logged, never raised."""

    def __init__(self, broker: dramatiq.Broker) -> None:
        self._broker = broker
        self._counting = threading.Lock()
        self.unheard = 0
        """Bells that could not be rung; each costs its job half a second."""

    def announce(self, job_id: UUID, budget: Budget = UNBOUNDED) -> None:
        """Tell the workers that a job has something to do; blocks no longer than the budget.

        A spent budget means no attempt: that bell is unheard.
        """
        message: dramatiq.Message[None] = dramatiq.Message(
            queue_name=QUEUE, actor_name=ACTOR, args=(str(job_id),), kwargs={}, options={}
        )
        try:
            with redis_budget(budget):
                self._broker.enqueue(message)
        except (redis.RedisError, BrokerError, OSError, DeadlineSpent, DependencyTimedOut) as error:
            self.missed(job_id, error)

    def missed(self, job_id: UUID, why: Exception) -> None:
        """Count a bell that was not rung."""
        with self._counting:
            self.unheard += 1
        log.warning("bell.unheard", job_id=str(job_id), error=type(why).__name__)
