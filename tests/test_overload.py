"""The overload lab counts right, and still runs."""

from math import inf
from uuid import uuid4

import pytest

from bench.flood.arrivals import Caller, Phase, Want, callers
from bench.flood.asking import BROKEN, GAVE_UP, Call, Try
from bench.flood.database import Ended
from bench.flood.figures import Work, endings, percentile, recovery, seconds_of, useful, work
from bench.overload import main

PHASES = (Phase("calm", 10, 5), Phase("flood", 10, 50))


def caller(number: int = 0, *, at: float = 0.0, want: Want = Want.LOOK) -> Caller:
    return Caller(number, at, "flood", want, (0.1, 0.2))


def call(one: Caller, *tries: Try) -> Call:
    return Call(one, 0.0, list(tries))


def served(*, began_at: float = 0.0, seconds: float = 0.5) -> Try:
    return Try(began_at, began_at + seconds, 200, is_in_time=True)


def given_up(*, began_at: float = 0.0) -> Try:
    return Try(began_at, began_at + 1.0, GAVE_UP, is_in_time=False)


def test_both_runs_see_the_same_callers():
    first, again = (callers(PHASES, creates=0.25, seed=1) for _ in range(2))

    assert first == again
    assert first != callers(PHASES, creates=0.25, seed=2)


def test_callers_come_at_the_rate_of_their_phase():
    found = callers(PHASES, creates=0.25, seed=1)

    calm = [one for one in found if one.phase == "calm"]
    flood = [one for one in found if one.phase == "flood"]
    assert (len(calm), len(flood)) == (pytest.approx(50, rel=0.3), pytest.approx(500, rel=0.15))
    assert max(one.at for one in calm) < 10 <= min(one.at for one in flood)
    assert sum(one.want is Want.CREATE for one in found) == pytest.approx(len(found) / 4, rel=0.25)


def test_a_look_has_an_export_for_each_try_and_a_create_has_one():
    look, create = caller(1), caller(2, want=Want.CREATE)

    assert len({look.job(number) for number in range(3)}) == 3
    assert len({create.job(number) for number in range(3)}) == 1


def test_a_caller_is_served_once_however_often_it_asked():
    late = Try(0.0, 1.2, 200, is_in_time=False)
    calls = [
        call(caller(1), given_up(), served(began_at=1.1)),
        call(caller(2), given_up(), given_up(began_at=1.1), given_up(began_at=2.3)),
        call(caller(3), late),
        call(caller(4, want=Want.CREATE), Try(0.0, 0.1, 202, is_in_time=True)),
    ]

    assert (useful(calls), useful(calls, Want.LOOK), useful(calls, Want.CREATE)) == (2, 1, 1)
    assert [seconds_of(one) for one in calls] == [pytest.approx(1.6), inf, inf, pytest.approx(0.1)]


def test_each_try_has_one_ending():
    statuses = [200, 503, 503, 504, GAVE_UP, BROKEN, 409]
    calls = [call(caller(), *(Try(0.0, 0.5, status, is_in_time=status > 0) for status in statuses))]

    assert endings(calls) == {"useful": 1, "shed": 2, "stopped": 1, "gave up": 1, "broken": 1, "409": 1}


def test_work_is_for_nobody_once_its_own_try_has_ended():
    look = caller(1)
    calls = [call(look, given_up(), served(began_at=1.1))]
    ended = [Ended(look.job(0), 0.9), Ended(look.job(0), 1.3), Ended(look.job(1), 1.3), Ended(uuid4(), 1.3)]

    # the second one belongs to the first try, although its caller waits again by then
    assert work(calls, ended) == Work(done=4, for_nobody=2)


def test_the_work_of_a_create_is_wanted_while_any_of_its_tries_waits():
    create = caller(1, want=Want.CREATE)
    calls = [call(create, given_up(), given_up(began_at=1.5))]
    ended = [Ended(create.job(0), at) for at in (0.9, 1.2, 1.7, 2.6)]

    assert work(calls, ended) == Work(done=4, for_nobody=2)


def test_recovery_is_the_first_stretch_in_which_callers_fare_as_before():
    calm = [call(caller(at=at / 10), served(seconds=0.5)) for at in range(50)]
    after = [
        call(caller(at=20 + at / 10), given_up() if at < 35 else served(seconds=0.9))
        for at in range(200)
    ]  # fmt: skip

    # 40 callers to a stretch: two of them may be worse, so it begins two callers before the last of those
    assert recovery(calm, after, flood_ended=20.0) == pytest.approx(3.3)


@pytest.mark.parametrize(
    ("calm", "after"),
    [(served(seconds=0.5), served(seconds=1.1)), (served(seconds=0.5), given_up()), (given_up(), served())],
)
def test_there_is_no_recovery_if_it_stays_slower_or_was_never_well(calm, after):
    before = [call(caller(at=at / 10), calm) for at in range(50)]
    later = [call(caller(at=20 + at / 10), after) for at in range(200)]

    assert recovery(before, later, flood_ended=20.0) == inf


def test_percentiles_are_values_that_occurred():
    assert [percentile(range(1, 101), part) for part in (0.5, 0.95, 1.0)] == [50, 95, 100]
    assert percentile([], 0.95) == inf


@pytest.mark.long
def test_the_lab_runs_and_tells_both_runs(capsys):
    main(["--seconds", "2", "3", "6", "--flood", "40", "--calm", "4"])

    told = capsys.readouterr().out
    row = next(line.split() for line in told.splitlines() if line.startswith("useful successes"))
    # whatever the machine does beside it: both were flooded, and with deadlines nobody fares worse
    assert int(row[3]) >= int(row[2]) > 0, told
