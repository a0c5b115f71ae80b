"""The broker that carries bells: in this process, or on Redis.

Bells are news. Dramatiq's retries, time and age limits, callbacks and pipelines are left out:
a bell that is lost costs half a second, and the database decides everything else.
"""

# mypy: disable-error-code="no-untyped-call"
# Dramatiq's Redis consumer carries no types.

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import redis
from dramatiq import Broker, Consumer, MessageProxy
from dramatiq.brokers.redis import RedisBroker, _RedisConsumer
from dramatiq.brokers.stub import StubBroker
from dramatiq.errors import ConnectionClosed

from app.deadline.redis import redis_client

QUEUE: Final = "sheaf"
ACTOR: Final = "work"


def memory_broker() -> Broker:
    """A broker inside this process, for the embedded mode."""
    broker = StubBroker(middleware=[])
    broker.declare_queue(QUEUE)
    return broker


def redis_broker(url: str, *, seconds: float) -> Broker:
    """A broker on Redis whose every command ends after `seconds`, or with the budget around it, without retries."""
    client = redis_client(
        url,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        retry=redis.retry.Retry(redis.backoff.NoBackoff(), 0),
    )
    broker = BellBroker(client=client, middleware=[], namespace="sheaf", maintenance_chance=1_000_000)
    broker.declare_queue(QUEUE)
    return broker


class _Consumer(_RedisConsumer):
    """A time-out is a lost connection too: the consumer thread then starts anew instead of logging a bug."""

    def ack(self, message: MessageProxy) -> None:
        with self._connection():
            super().ack(message)

    def nack(self, message: MessageProxy) -> None:
        with self._connection():
            super().nack(message)

    def requeue(self, messages: Any) -> None:
        with self._connection(redis.RedisError):
            super().requeue(messages)

    def __next__(self) -> MessageProxy | None:
        with self._connection():
            message: MessageProxy | None = super().__next__()
        return message

    @contextmanager
    def _connection(self, lost: type[redis.RedisError] = redis.TimeoutError) -> Iterator[None]:
        try:
            yield
        except ConnectionClosed:
            self.broker.lost_connections += 1
            raise
        except lost as error:
            self.broker.lost_connections += 1
            raise ConnectionClosed(error) from None


class BellBroker(RedisBroker):
    """Dramatiq's Redis broker with our consumer."""

    lost_connections = 0
    """How often a consumer of ours lost Redis."""

    # Dramatiq would ask Redis how many values its Lua can unpack at once, under a lock of all threads: behind
    # it no budget counts. Redis answers 7,992, of which Dramatiq takes half.
    _max_unpack_size_val = 3996  # type: ignore[assignment]

    def declare_queue(self, queue_name: str) -> None:
        """Declare it alone. Dramatiq adds one for delayed messages: we send none, and Redis would be asked for ever."""
        if queue_name not in self.queues:
            self.emit_before("declare_queue", queue_name)
            self.queues.add(queue_name)
            self.emit_after("declare_queue", queue_name)

    @property
    def consumer_class(self) -> type[Consumer]:
        """What Dramatiq makes its consumers of."""
        return _Consumer
