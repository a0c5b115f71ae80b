"""The plan step: a selection becomes items and render steps."""

from app.database.planning import plan
from app.database.steps import Claim
from app.documents.cancellation import Cancellation
from worker.context import WorkerContext
from worker.insisting import insist


def run_plan(context: WorkerContext, claim: Claim, stop: Cancellation) -> None:
    """Plan the claim's job in one transaction; raises `ClaimLost`."""

    def write() -> None:
        with context.database.transaction() as tx:
            plan(tx, claim, max_items=context.limits.max_items)

    insist(write, stop=stop)
