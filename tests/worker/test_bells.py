"""Bells over Redis: who waits for them, and that they are heard."""

from uuid import uuid4

import dramatiq

from app.messaging.bell import Bell
from app.messaging.broker import ACTOR, QUEUE, redis_broker
from tests.waiting import until


def test_a_worker_hears_bells_and_asks_redis_for_nothing_else(redis_server):
    broker = redis_broker(redis_server.url, seconds=5)
    heard = []

    @dramatiq.actor(broker=broker, queue_name=QUEUE, actor_name=ACTOR)
    def work(job_id):
        heard.append(job_id)

    listening = dramatiq.Worker(broker, worker_threads=1, worker_timeout=200)
    listening.start()
    try:
        Bell(broker).announce(job_id := uuid4())

        until(lambda: heard == [str(job_id)])
        assert set(listening.consumers) == {QUEUE}
    finally:
        listening.stop(timeout=2000)
        broker.client.close()
