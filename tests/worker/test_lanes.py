"""Lanes: as many documents at once as there are children, whichever step they are of."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from app.documents.cancellation import Cancellation
from app.documents.errors import PoolClosed, RenderCancelled
from worker.lanes import Lanes

SOON = 10


@pytest.fixture
def lanes():
    lanes = Lanes(2)
    yield lanes
    lanes.close()


def test_all_lanes_work_on_one_step_and_its_results_keep_their_order(lanes):
    together = Barrier(2)

    def work(number: int) -> int:
        together.wait(SOON)
        return number * number

    assert lanes.each(work, range(6), stop=Cancellation()) == [0, 1, 4, 9, 16, 25]


def test_the_next_step_is_worked_on_while_one_is_not_done_yet(lanes):
    """One document of the first step stands still; the other lane is not kept from the second step."""
    begun, released = Event(), Event()

    def slow(_number: int) -> str:
        begun.set()
        assert released.wait(SOON)
        return "slow"

    with ThreadPoolExecutor(1) as steps:
        first = steps.submit(lanes.each, slow, [1], stop=Cancellation())
        assert begun.wait(SOON)
        second = lanes.each(str, [2, 3], stop=Cancellation())
        released.set()

        assert (first.result(SOON), second) == (["slow"], ["2", "3"])


def test_the_first_error_ends_the_step_however_long_the_documents_before_it_take(lanes):
    stop, begun = Cancellation(), []

    def work(number: int) -> None:
        begun.append(number)
        if number == 1:
            raise ZeroDivisionError
        woken = Event()
        with stop.waking(woken.set):
            assert woken.wait(SOON)
        raise RenderCancelled

    with pytest.raises(ZeroDivisionError):
        lanes.each(work, range(100), stop=stop)

    assert stop.is_cancelled
    assert set(begun) <= {0, 1}


def test_lanes_that_were_closed_begin_nothing(lanes):
    lanes.close()

    with pytest.raises(PoolClosed):
        lanes.each(str, [1], stop=Cancellation())


def test_what_waits_when_the_lanes_are_closed_is_told(lanes):
    both, released = Barrier(3), Event()

    def work(_number: int) -> None:
        both.wait(SOON)
        assert released.wait(SOON)

    with ThreadPoolExecutor(1) as steps:
        step = steps.submit(lanes.each, work, range(5), stop=Cancellation())
        both.wait(SOON)
        lanes.close()
        released.set()

        with pytest.raises(PoolClosed):
            step.result(SOON)
