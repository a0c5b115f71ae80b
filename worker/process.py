"""One worker process: a Dramatiq worker for bells, a pulse, a reconciler, a pool of children."""

from dataclasses import dataclass

import dramatiq
import structlog

from worker.ability import Ability
from worker.actors import register_work
from worker.claims import HeldClaims
from worker.context import WorkerContext
from worker.pulse import Pulse
from worker.reconciler import Reconciler
from worker.runner import Runner

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """Everything that runs in a worker process, started and ended in order."""

    context: WorkerContext
    held: HeldClaims
    runner: Runner
    pulse: Pulse
    reconciler: Reconciler
    ability: Ability
    bells: dramatiq.Worker

    def start(self) -> None:
        """Begin to work."""
        self.ability.start()
        self.bells.start()
        self.pulse.start()
        self.reconciler.start()
        log.info("worker.started", host=self.context.host, slots=self.context.limits.slots)

    def hurry(self) -> None:
        """End the grace of `end`, which another thread waits for: hand back what is in hand."""
        self.runner.hurry()

    def end(self) -> None:
        """Stop claiming, finish or hand back within the grace, and leave nothing behind."""
        self.ability.end()
        self.runner.end(grace=self.context.limits.shutdown)
        self.pulse.end()
        self.reconciler.end()
        self.bells.stop(timeout=2000)
        self.context.lanes.close()
        self.context.pool.close()
        log.info("worker.ended", host=self.context.host)


def assemble(context: WorkerContext, broker: dramatiq.Broker) -> WorkerProcess:
    """A worker process around its context; nothing runs yet."""
    held = HeldClaims()
    ability = Ability(context)
    runner = Runner(context, held, ability)
    register_work(broker, runner)
    # dramatiq polls its queue with a back-off up to the time-out: 200 ms keeps a bell prompt
    bells = dramatiq.Worker(broker, worker_threads=context.limits.slots, worker_timeout=200)
    pulse = Pulse(context, held, runner, ability)
    context.signals.watch(
        held=lambda: len(held.claims()),
        slots=context.limits.slots,
        can_render=lambda: bool(ability.can_render),
        pool=context.pool,
    )
    return WorkerProcess(context, held, runner, pulse, Reconciler(context), ability, bells)
