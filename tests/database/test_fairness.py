"""Who is served next: fifty owners move forward together, and a large export holds up none of them."""

from collections import Counter
from uuid import uuid4

import pytest

from app.database import steps
from app.domain.selection import Selection
from tests.database.conftest import content

OWNERS = 50
HANDS = 3
"""Steps that the fleet works on at a time."""


class Fleet:
    """Workers that claim as ours do, and settle the step that they have held the longest."""

    def __init__(self, bench) -> None:
        self.bench = bench
        self.held: list[steps.Claim] = []
        self.settled: Counter = Counter()

    def work(self) -> None:
        """Fill every free hand, then settle one step."""
        while len(self.held) < HANDS and (claim := self._claim_fairest()) is not None:
            self.held.append(claim)
        claim = self.held.pop(0)
        self.bench.checkpoint(claim)
        self.settled[claim.job_id] += 1

    def _claim_fairest(self) -> steps.Claim | None:
        with self.bench.database.reading() as tx:
            jobs = steps.candidates(tx)
        for job in jobs:
            with self.bench.database.transaction() as tx:
                claim = steps.claim_step(tx, job, holder=uuid4(), host="h", lease=3600)
            if claim is not None:
                return claim
        return None


@pytest.fixture
def fleet(bench):
    return Fleet(bench)


# who is next is said by one statement, which the tests of single claims ask on both
@pytest.mark.parametrize("migrated_url", ["postgresql", pytest.param("sqlite", marks=pytest.mark.long)], indirect=True)
def test_fifty_owners_move_forward_together_and_pass_a_large_export(bench, fleet):
    bench.load(*(content(shop_id) for shop_id in range(1, 101)))
    large = bench.planned(every=2)
    for _ in range(HANDS):
        fleet.work()
    owned = [bench.planned(Selection(order_ids=(1, 2)), every=1) for _ in range(OWNERS)]

    while not all(fleet.settled[job] for job in owned):
        fleet.work()

    # nobody has a second checkpoint before everybody has a first
    assert {fleet.settled[job] for job in owned} == {1}
    # what it had in hand when they came, and one turn in their round
    assert fleet.settled[large] <= 2 * HANDS + 1
