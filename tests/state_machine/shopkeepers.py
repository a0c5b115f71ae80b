"""What becomes of the orders meanwhile: they come again, changed or not, and go for good."""

from hypothesis import strategies as st
from hypothesis.stateful import rule
from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.database import sweeping
from app.database.erasing import find_by_shop_ids, lock_store
from app.orders.erasing import Erasure, erase_batch
from tests.database.conftest import content
from tests.state_machine.passing import ARCHIVE_GRACE
from tests.state_machine.shop import ORDERS, SHOP_IDS, asked_for
from tests.state_machine.world import World

BY_SHOP_ID = {order.index.shop_id: order.index for order in ORDERS}


class Shopkeepers(World):
    """They import, erase and sweep versions without asking whether somebody exports."""

    @rule(data=st.data(), deed=st.sampled_from(("import", "erase", "erase", "sweep")))
    def keep_shop(self, data: st.DataObject, deed: str) -> None:
        """One of these."""
        match deed:
            case "import":
                self._import_again(data.draw(st.sampled_from(sorted(SHOP_IDS))), version=data.draw(st.integers(1, 3)))
            case "erase":
                self._erase(data.draw(st.frozensets(st.sampled_from(sorted(SHOP_IDS)), min_size=1, max_size=3)))
            case _:
                self._sweep_versions()

    def _import_again(self, shop_id: int, *, version: int) -> None:
        """An order comes with other content, or with that of before; jobs keep what they were planned with."""
        index = BY_SHOP_ID[shop_id]
        self.bench.load(
            content(
                shop_id,
                customer_id=index.customer_id,
                status=index.status,
                payload=f'{{"id":{shop_id},"v":{version}}}',
            )
        )
        self.see()
        assert shop_id in self.reality.orders

    def _erase(self, shop_ids: frozenset[int]) -> None:
        """Orders are erased, but for those that an active job has, or is promised."""
        before = self.reality
        wanted = shop_ids & before.orders.keys()
        needed = {
            (shop_id, job.id)
            for job in before.jobs.values()
            if job.state.is_active
            for shop_id in wanted & self._needs(job)
        }

        result = self.act(lambda tx: _erased(tx, self.bench.store_id, shop_ids))

        assert {(one.order_id, one.export_id) for one in result.needed} == needed
        assert before.orders.keys() - self.reality.orders.keys() == wanted - {shop_id for shop_id, _job in needed}

    def _needs(self, job: Row) -> frozenset[int]:
        """The orders of an active job's items, or of those that it would get if it were planned now."""
        if job.planned_at is not None:
            return frozenset(item.order_id for item in self.reality.items_of(job.id) if item.order_version_id)
        if job.id in self.retried:
            return frozenset(self.retried[job.id].values())
        return asked_for(self.selections[job.id])

    def _sweep_versions(self) -> None:
        """Versions that nobody needs go; the newest of each order stays."""
        newest = self.reality.orders

        self.act(sweeping.forget_old_versions)

        assert self.reality.orders == newest


def _erased(tx: Session, store_id: int, shop_ids: frozenset[int]) -> Erasure:
    result = Erasure()
    lock_store(tx, store_id)
    erase_batch(tx, result, store_id, find_by_shop_ids(tx, store_id, shop_ids), ARCHIVE_GRACE)
    return result
