"""Guards of time: what no lifetime counts, and that a clock that was set ends nothing."""

from tests.mutants.keeping import RECONCILER, SWEEPING
from tests.mutants.mutant import Mutant

NOTES = "app/database/lifetimes.py"
LIVES, SWEEPER = "tests/database/test_lifetimes.py", "tests/database/test_reconciler.py"

LIFETIMES = (
    Mutant(
        "lifetimes that count while nobody was there",
        SWEEPING,
        "lifetime=timedelta(seconds=lifetime), idle=idle)",
        "lifetime=timedelta(seconds=lifetime), idle=())",
        "an outage of two days fails every export that waited for its end",
        (
            f"{LIVES}::test_only_time_with_a_live_host_ends_a_job_in_the_queue",
            f"{LIVES}::test_a_run_is_not_ended_for_the_time_in_which_nobody_could_work",
        ),
    ),
    Mutant(
        "gaps between sweeps that nobody notes",
        NOTES,
        "        if at - last > timedelta(seconds=closely):\n            spans.append(Span(last, at))\n",
        "",
        "the same: the outage is known to nobody",
        (f"{LIVES}::test_a_gap_is_remembered_as_long_as_a_lifetime_may_reach_back",),
    ),
    Mutant(
        "every sweep a gap",
        NOTES,
        "        if at - last > timedelta(seconds=closely):\n",
        "        if at > last:\n",
        "no lifetime ever ends",
        (f"{LIVES}::test_sweeps_close_to_each_other_leave_no_gap",),
    ),
    Mutant(
        "gaps that are forgotten too early",
        NOTES,
        "    oldest -= sum((span.until - span.since for span in spans), timedelta())\n",
        "",
        "after a second outage the first one counts again",
        (f"{LIVES}::test_what_is_remembered_reaches_back_as_far_in_time_that_counts",),
    ),
    Mutant(
        "gaps that are never forgotten",
        NOTES,
        "    spans = [span for span in spans if span.until > oldest]\n",
        "",
        "the note grows with each night without workers",
        (f"{LIVES}::test_what_is_remembered_reaches_back_as_far_in_time_that_counts",),
    ),
    Mutant(
        "lifetimes that end after a clock jump",
        RECONCILER,
        "idle = None if are_lifetimes_paused(tx) else noted",
        "idle = noted",
        "a database whose clock is set forward by mistake fails what waits and forgets what is kept",
        (f"{SWEEPER}::test_a_clock_that_was_set_ends_nothing_for_a_lease",),
    ),
    Mutant(
        "a jump that only the elected process may find",
        RECONCILER,
        "        self._watch_clock()\n        idle = self._hold()\n        if idle is None:\n            return\n",
        "        idle = self._hold()\n        if idle is None:\n            return\n        self._watch_clock()\n",
        "whoever is elected after the jump has never seen the clock before it",
        (f"{SWEEPER}::test_a_jump_that_another_process_found_counts_for_whoever_is_elected_next",),
    ),
    Mutant(
        "a pause that outlives a clock that is set back",
        NOTES,
        ".on_conflict_do_update(index_elements=[LeaseRow.name], set_=values)",
        ".on_conflict_do_nothing()",
        "no lifetime ends for as long as the clock was ahead",
        (f"{LIVES}::test_a_pause_is_whoever_found_the_jump_and_ends_by_the_new_clock",),
    ),
    Mutant(
        "a jump that is not told",
        "worker/clocks.py",
        "return jump if abs(jump) > TOLERANCE else None",
        "return None",
        "a clock that is set ends every export in the queue at once",
        ("tests/worker/test_clocks.py",),
    ),
)
