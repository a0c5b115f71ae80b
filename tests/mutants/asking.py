"""Guards of what people ask for after the fact: owners' retries and deletes, operators' words, erasures."""

from tests.mutants.claims import RACES
from tests.mutants.keeping import OWNERSHIP, SWEEPING
from tests.mutants.mutant import Mutant

RETRY, RETRYING, OPERATING = "app/exports/retry.py", "app/database/retrying.py", "app/exports/operating.py"
ERASING, ERASURE = "app/database/erasing.py", "app/orders/erasing.py"
RETRIES, ERASURES = "tests/database/test_retrying.py", "tests/database/test_erasing.py"
OPERATORS = "tests/database/test_operating.py"
THE_MACHINE = "tests/state_machine"

ASKING = (
    Mutant(
        "a delete of what a retry still needs",
        "app/exports/delete.py",
        "    if retry is not None:\n        raise RetryUnplanned(retry)\n",
        "",
        "the owner gets a traceback of the database for a reason",
        (f"{RACES}::test_a_delete_that_comes_after_a_retry_is_refused_until_that_has_its_items",),
    ),
    Mutant(
        "a sweep that does not ask again what a retry needs",
        SWEEPING,
        "old = [job_id for job_id in locked if job_id not in needed]",
        "old = locked",
        "the sweep dies of an old export that was retried a moment ago",
        (f"{RETRIES}::test_a_sweep_that_waits_for_a_retry_keeps_the_parent",),
    ),
    Mutant(
        "a retry without the door",
        RETRY,
        "found = find_job(tx, owner, parent_id)",
        "found = tx.get(JobRow, parent_id)",
        "anybody exports anybody's orders again",
        (OWNERSHIP, THE_MACHINE),
    ),
    Mutant(
        "a retry of what is at work",
        RETRY,
        "    if parent.state.is_active:\n        raise StillActive(parent.state)\n",
        "",
        "documents are made twice at once",
        (f"{RETRIES}::test_what_has_nothing_to_retry_is_refused",),
    ),
    Mutant(
        "a retry of what was cancelled",
        RETRY,
        "    if parent.state is JobState.CANCELLED:\n        raise ExportCancelled\n",
        "",
        "what its owner stopped begins again",
        (f"{RETRIES}::test_what_has_nothing_to_retry_is_refused",),
    ),
    Mutant(
        "a retry of what has its documents",
        RETRYING,
        "        return and_(of_source, ItemRow.outcome == Outcome.FAILED)\n",
        "        return of_source\n",
        "a customer has two documents of one order",
        (f"{RETRIES}::test_the_items_that_failed_are_tried_again_at_their_orders_newest_versions",),
    ),
    Mutant(
        "a retry that keeps its parent for ever",
        "app/database/planning.py",
        "        items_from=None,\n",
        "",
        "an export cannot be deleted any more because it was retried once",
        (f"{RETRIES}::test_a_parent_stays_until_its_retry_is_planned", THE_MACHINE),
    ),
    Mutant(
        "an erasure of what active exports need",
        ERASURE,
        "[order_id for shop_id, order_id in orders.items() if shop_id not in kept]",
        "list(orders.values())",
        "an item has nothing to be rendered from",
        (f"{ERASURES}::test_what_an_active_export_needs_is_left_alone",),
    ),
    Mutant(
        "an erasure of what is still to be planned",
        ERASING,
        "        found += [Needed(shop_id, job.id, job.owner) for shop_id in _to_be_planned(tx, job, orders)]\n",
        "        found += []\n",
        "an accepted export comes out without orders that it was accepted for",
        (f"{ERASURES}::test_what_an_active_export_needs_is_left_alone",),
    ),
    Mutant(
        "an erasure of what a retry is to take",
        ERASING,
        "    if job.items_from is not None:\n        return taken_of(",
        "    if job.items_from is not None and False:\n        return taken_of(",
        "a retry does not find the order whose document failed",
        (f"{ERASURES}::test_what_an_active_export_needs_is_left_alone", THE_MACHINE),
    ),
    Mutant(
        "an erasure that does not wait for planning",
        ERASURE,
        "    lock_users(tx, store_id, orders.values())\n",
        "",
        "an order goes while an export is getting it as an item",
        (f"{ERASURES}::test_an_erasure_that_waits_for_planning_leaves_the_orders_alone",),
    ),
    Mutant(
        "an erasure without the store's lock",
        ERASING,
        "select(StoreRow.id).where(StoreRow.id == store_id).with_for_update()",
        "select(StoreRow.id).where(StoreRow.id == store_id)",
        "an export appears that nobody asked whether it needs the orders",
        (f"{ERASURES}::test_an_export_that_comes_during_an_erasure_waits_and_finds_the_orders_gone",),
    ),
    Mutant(
        "an erasure that leaves the customer's name",
        ERASING,
        '            customer="",\n',
        "",
        "who asked to be forgotten stands in the lists of old exports",
        (f"{ERASURES}::test_the_items_of_ended_exports_keep_what_is_counted_and_nothing_of_the_customer",),
    ),
    Mutant(
        "an erasure that leaves its trace in the file",
        ERASING,
        "PRAGMA secure_delete = ON",
        "PRAGMA secure_delete = OFF",
        "what was erased can be read in the free pages of the SQLite file",
        (f"{ERASURES}::test_no_trace_of_an_erased_customer_is_left_in_the_file",),
    ),
    Mutant(
        "fail without fencing the holders out",
        OPERATING,
        "    fence_out(tx, job_id)\n    return Ending.FAILED\n",
        "    return Ending.FAILED\n",
        "only the state of the job keeps its holders from writing",
        (f"{OPERATORS}::test_a_failed_export_has_ended_for_its_holders_and_its_owner_reads_why", THE_MACHINE),
    ),
    Mutant(
        "fail a cancel",
        OPERATING,
        "JobState.CANCELLING:\n            force_cancel",
        "JobState.CANCELLING if False:\n            force_cancel",
        "an operator breaks what the owner was promised, or gets a traceback",
        (f"{OPERATORS}::test_failing_a_cancel_ends_it_as_its_owner_was_promised",),
    ),
    Mutant(
        "release from holders that live",
        OPERATING,
        "fence_out(tx, job_id, where=lost_holders())",
        "fence_out(tx, job_id)",
        "work that goes on is thrown away",
        (f"{OPERATORS}::test_a_lost_holder_is_fenced_out_by_a_release_and_one_that_lives_is_left", THE_MACHINE),
    ),
    Mutant(
        "release what is being cancelled",
        OPERATING,
        "    if job.state is JobState.CANCELLING:\n        raise CancelUnderway\n",
        "",
        "a cancel waits for holders that are no more",
        (f"{OPERATORS}::test_failing_a_cancel_ends_it_as_its_owner_was_promised", THE_MACHINE),
    ),
)
