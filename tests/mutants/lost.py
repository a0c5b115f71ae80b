"""Guards against those who are gone or stand still: children, frozen transactions, what killed writers left."""

from tests.mutants.mutant import Mutant

STANDING, ENGINES = "app/database/standing.py", "app/database/engines.py"
PULSE, RECONCILER, SWEEPING = "worker/pulse.py", "worker/reconciler.py", "app/database/sweeping.py"
FROZEN, POOL = "tests/database/test_standing.py", "tests/documents/test_pool.py"
API_FAULTS = "tests/api/test_database_faults.py"
SWEEPER, SWEEPS = "tests/database/test_reconciler.py", "tests/database/test_sweeping.py"

LOST = (
    Mutant(
        "a cancel that waits for whoever stands still",
        PULSE,
        "        elif overdue:\n            self._clear_the_way()\n",
        "",
        "a holder that is frozen inside a transaction keeps its cancel waiting for three seconds",
        (f"{FROZEN}::test_a_holder_that_is_frozen_inside_a_transaction_keeps_no_cancel_waiting",),
    ),
    Mutant(
        "end whoever is in the way",
        STANDING,
        "state = 'idle in transaction' AND ",
        "",
        "a transaction that is at work is ended, and each host that forces a cancel ends the others",
        (f"{FROZEN}::test_of_those_who_wait_for_each_other_the_one_that_stands_still_goes",),
    ),
    Mutant(
        "end only the nearest in the way",
        STANDING,
        "        UNION\n        SELECT blocker FROM in_the_way, unnest(pg_blocking_pids(in_the_way.pid)) AS blocker\n",
        "",
        "of two hosts that force a cancel, the second one waits for the first, which waits for a frozen one",
        (f"{FROZEN}::test_of_those_who_wait_for_each_other_the_one_that_stands_still_goes",),
    ),
    Mutant(
        "end whoever has just spoken",
        STANDING,
        "clock_timestamp() - make_interval",
        "clock_timestamp() + make_interval",
        "a live process loses its transaction between two statements",
        (f"{FROZEN}::test_who_has_just_spoken_is_left_alone",),
    ),
    Mutant(
        "end strangers' sessions",
        STANDING,
        "AND application_name = :ours\n",
        "AND (application_name = :ours OR true)\n",
        "an operator's prompt is cut off",
        (f"{FROZEN}::test_who_stands_still_elsewhere_or_is_none_of_ours_is_left_alone",),
    ),
    Mutant(
        "stand still for ever",
        ENGINES,
        '        "idle_in_transaction_session_timeout": int(STANDS_STILL * 1000),\n',
        "",
        "a frozen process keeps the lock of an export until it is killed",
        (f"{API_FAULTS}::test_the_server_says_when_it_ended_a_transaction_for_standing_still",),
    ),
    Mutant(
        "stand still for longer than a cancel waits",
        ENGINES,
        "STANDS_STILL = 3.0\n",
        "STANDS_STILL = 60.0\n",
        "an owner's cancel is refused again and again while a frozen process holds the export",
        (f"{API_FAULTS}::test_a_cancel_waits_for_longer_than_anybody_may_stand_still",),
    ),
    Mutant(
        "an ended transaction that looks like a bug",
        ENGINES,
        'getattr(error.orig, "sqlstate", None) == "25P03"',
        "False",
        "a caller is told 500 for what may be tried again",
        (API_FAULTS,),
    ),
    Mutant(
        "a starting child without a tie",
        "app/documents/fork_server.py",
        "os.register_at_fork(after_in_child=_watch)\n",
        "",
        "the child of a killed worker goes on starting, for seconds on a busy machine",
        (f"{POOL}::test_a_child_that_is_still_starting_dies_with_a_killed_parent",),
    ),
    Mutant(
        "a child without a lifeline",
        "app/documents/child.py",
        "    _die_with_parent(lifeline)\n",
        "    _held.append(lifeline)\n    signal.setitimer(signal.ITIMER_REAL, 0)\n",
        "the child of a killed worker renders on",
        (f"{POOL}::test_children_die_with_a_killed_parent",),
    ),
    Mutant(
        "what killed writers left stays",
        RECONCILER,
        "    if found.is_part and job is not None and not job.is_active:\n        return True\n",
        "",
        "half of an archive lies beside the whole one until it expires",
        (f"{SWEEPER}::test_what_a_killed_writer_left_goes_once_nobody_can_still_write_it",),
    ),
    Mutant(
        "what is being written goes",
        RECONCILER,
        "    if found.is_part and job is not None and not job.is_active:\n",
        "    if found.is_part:\n",
        "the step that a worker is storing meets a fault of the ground again and again",
        (f"{SWEEPER}::test_what_a_killed_writer_left_goes_once_nobody_can_still_write_it",),
    ),
    Mutant(
        "a version that an import brings back is swept",
        SWEEPING,
        "of=(OrderVersionRow, OrderRow)",
        "of=OrderVersionRow",
        "an order is left without any content, and no export of it can be planned",
        (f"{SWEEPS}::test_a_version_that_an_import_brings_back_is_not_swept_meanwhile",),
    ),
)
