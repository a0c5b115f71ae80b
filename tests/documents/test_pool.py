"""The pool kills exactly what it must: each test here ends real processes."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from textwrap import dedent, indent

import child_deeds
import pytest
import shop_orders

from app.documents import child
from app.documents.cancellation import Cancellation
from app.documents.contract import DocumentType, RenderedDocument, RenderRequest, StoreSettings
from app.documents.errors import (
    ChildDied,
    DocumentTimedOut,
    OutOfMemory,
    PoolClosed,
    RenderCancelled,
    RendererUnavailable,
)
from app.documents.pool import RendererPool

STORE = StoreSettings(name="", address=(), tax_id="", locale="en", time_zone="UTC", paper="A4")
GENEROUS = 20.0


def deed(payload: str) -> RenderRequest:
    return RenderRequest(document_type=DocumentType.INVOICE, payload=payload, refunds="[]", store=STORE)


def make_pool(*, workers: int = 1, seconds: float = 30, megabytes: int = 400, per_child: int = 1000) -> RendererPool:
    return RendererPool(
        workers=workers,
        time_limit=timedelta(seconds=seconds),
        memory_limit=megabytes << 20,
        documents_per_child=per_child,
        render=child_deeds.obey,
    )


@pytest.fixture
def pool() -> Iterator[RendererPool]:
    pool = make_pool()
    yield pool
    pool.close()


@pytest.fixture
def pair() -> Iterator[RendererPool]:
    pair = make_pool(workers=2)
    yield pair
    pair.close()


def child_of(pool: RendererPool) -> int:
    """Render a harmless document and say which child did it."""
    document = pool.render(deed("pid"))
    assert isinstance(document, RenderedDocument)
    return int(document.pdf)


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool]) -> None:
    stop = time.monotonic() + GENEROUS
    while not condition():
        assert time.monotonic() < stop, "it never came true"
        time.sleep(0.01)


class Background(threading.Thread):
    """Renders in a thread and keeps what came of it."""

    def __init__(self, pool: RendererPool, payload: str, cancelled: Cancellation | None = None) -> None:
        super().__init__()
        self.outcome: object = None
        self._work = lambda: pool.render(deed(payload), cancelled=cancelled)
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self._work()
        except Exception as error:  # noqa: BLE001 whatever it is, the test looks at it
            self.outcome = error

    def result(self) -> object:
        self.join(GENEROUS)
        assert not self.is_alive()
        return self.outcome


def test_one_child_makes_many_documents(pool):
    assert child_of(pool) == child_of(pool) != os.getpid()


def test_worn_child_is_replaced():
    pool = make_pool(per_child=2)

    children = [child_of(pool) for _ in range(5)]
    pool.close()

    assert children[0] == children[1] != children[2] == children[3] != children[4]
    assert not any(map(is_running, children))


def test_child_that_keeps_too_much_memory_is_replaced_before_it_costs_a_document():
    pool = make_pool(megabytes=400)

    slim, fat, other = (int(pool.render(deed(payload)).pdf) for payload in ("keep 5", "keep 220", "keep 220"))
    pool.close()

    assert slim == fat != other
    assert (pool.worn, pool.killed) == (2, 0)


@pytest.mark.parametrize(
    ("payload", "exit_code", "signal_number"), [("signal 11", -11, 11), ("signal 9", -9, 9), ("exit 3", 3, None)]
)
def test_death_tells_how_and_the_next_document_is_made(pool, payload, exit_code, signal_number):
    with pytest.raises(ChildDied) as death:
        pool.render(deed(payload))

    assert (death.value.exit_code, death.value.signal) == (exit_code, signal_number)
    assert child_of(pool)


@pytest.mark.parametrize("payload", ["loop", "match", "deaf", "exit 0"])
def test_time_limit_ends_whatever_runs(payload):
    pool = make_pool(seconds=0.3)
    first = child_of(pool)

    with pytest.raises(DocumentTimedOut):
        pool.render(deed(payload))

    assert not is_running(first)
    assert child_of(pool) != first
    pool.close()


def test_memory_limit_ends_the_child_and_not_the_host():
    pool = make_pool(megabytes=200)
    first = child_of(pool)

    with pytest.raises(OutOfMemory):
        pool.render(deed("eat"))

    assert not is_running(first)
    assert child_of(pool) != first
    pool.close()


@pytest.mark.parametrize(
    ("percent", "number", "strike"),
    [
        (80, signal.SIGSEGV, OutOfMemory),
        (80, signal.SIGTRAP, OutOfMemory),
        (80, signal.SIGKILL, ChildDied),
        (20, signal.SIGSEGV, ChildDied),
    ],
)
def test_a_crash_with_a_full_memory_is_told_from_any_other(percent, number, strike):
    """80 hundredths and the 10 to 20 that a child has to begin with are nearly all of the limit."""
    pool = make_pool(megabytes=400)

    with pytest.raises(strike):
        pool.render(deed(f"fill {percent} {int(number)}"))

    pool.close()


def test_exception_reaches_the_caller_and_spares_the_child(pool):
    first = child_of(pool)

    with pytest.raises(LookupError, match="nothing here"):
        pool.render(deed("raise nothing here"))

    assert child_of(pool) == first


def test_exception_that_cannot_travel_comes_as_its_text(pool):
    with pytest.raises(RuntimeError, match="UnpicklableError: 1 and 2"):
        pool.call(child_deeds.fail_oddly, time_limit=timedelta(seconds=9))


def test_other_work_runs_in_a_child_too(pool):
    assert pool.call(child_deeds.add, 2, 3, time_limit=timedelta(seconds=9)) == 5


def test_cancellation_kills_a_child_that_hears_nothing(pool, tmp_path):
    cancelled = Cancellation()
    told = tmp_path / "pid"
    rendering = Background(pool, f"deaf {told}", cancelled)
    wait_until(told.exists)

    cancelled.cancel()

    assert isinstance(rendering.result(), RenderCancelled)
    assert not is_running(int(told.read_text()))
    assert child_of(pool)


def test_cancelled_work_does_not_begin(pool):
    cancelled = Cancellation()
    cancelled.cancel()

    with pytest.raises(RenderCancelled):
        pool.render(deed("pid"), cancelled=cancelled)


def test_cancellation_reaches_work_that_waits_for_a_child(pool, tmp_path):
    busy, waiting = Cancellation(), Cancellation()
    told = tmp_path / "pid"
    first = Background(pool, f"deaf {told}", busy)
    wait_until(told.exists)
    second = Background(pool, "pid", waiting)

    waiting.cancel()

    assert isinstance(second.result(), RenderCancelled)
    assert first.is_alive()
    busy.cancel()
    assert isinstance(first.result(), RenderCancelled)


def test_one_handle_cancels_all_of_its_documents(pair, tmp_path):
    cancelled = Cancellation()
    told = [tmp_path / "one", tmp_path / "two"]
    renderings = [Background(pair, f"deaf {path}", cancelled) for path in told]
    wait_until(lambda: all(path.exists() for path in told))

    cancelled.cancel()

    assert [type(rendering.result()) for rendering in renderings] == [RenderCancelled, RenderCancelled]


def test_death_of_a_child_leaves_its_neighbour_alone(pair):
    pair.warm_up()
    neighbour = Background(pair, "wait 0.8")

    for payload in ("signal 11", "signal 9", "exit 3"):
        with pytest.raises(ChildDied):
            pair.render(deed(payload))

    assert isinstance(neighbour.result(), RenderedDocument)


def test_child_that_died_idle_costs_no_document(pool):
    for _ in range(3):
        idle = child_of(pool)
        os.kill(idle, signal.SIGKILL)

        assert child_of(pool) != idle


def test_child_that_cannot_start_is_nobodys_fault():
    pool = make_pool()
    pool._prepare = child_deeds.fail_to_prepare

    with pytest.raises(RendererUnavailable):
        pool.warm_up()
    with pytest.raises(RendererUnavailable):
        pool.render(deed("pid"))

    pool._prepare = _ready
    assert child_of(pool)
    pool.close()


def _ready() -> None:
    """Prepare nothing."""


def test_closing_kills_what_runs_and_refuses_what_comes(pair, tmp_path):
    told = tmp_path / "pid"
    idle = child_of(pair)
    running = Background(pair, f"deaf {told}")
    wait_until(told.exists)

    pair.close()

    assert isinstance(running.result(), PoolClosed)
    assert not is_running(int(told.read_text()))
    assert not is_running(idle)
    with pytest.raises(PoolClosed):
        pair.render(deed("pid"))


def test_many_threads_share_few_children(pair):
    renderings = [Background(pair, "pid") for _ in range(40)]

    children = {rendering.result().pdf for rendering in renderings}

    assert len(children) <= 2


def test_children_render_real_invoices_and_outlive_a_bad_one():
    """With the limits of production: the same bytes as here, and a 2,000-line order meets its time limit."""
    big = shop_orders.order(line_items=[shop_orders.line(f"Item {number}") for number in range(2000)])
    pool = RendererPool(workers=1, time_limit=timedelta(seconds=1.5), memory_limit=512 << 20, documents_per_child=500)
    pool.warm_up()

    document = pool.call(child.render, shop_orders.request_for(shop_orders.order()), time_limit=timedelta(seconds=20))
    with pytest.raises(DocumentTimedOut):
        pool.render(shop_orders.request_for(big))
    again = pool.call(child.render, shop_orders.request_for(shop_orders.order()), time_limit=timedelta(seconds=20))
    looked_through = pool.call(gc.get_threshold, time_limit=timedelta(seconds=20))
    left_alone = pool.call(gc.get_freeze_count, time_limit=timedelta(seconds=20))
    pool.close()

    assert looked_through[0] == child.GARBAGE
    assert left_alone > 100_000
    assert document == again == shop_orders.rendered(shop_orders.order())


def start_parent(
    script: Path, code: str, *arguments: object, in_child: str = "pass", stderr: int | None = None
) -> subprocess.Popen[str]:
    """Run a program of its own process group that has a pool; `in_child` runs as each child imports the program."""
    roles = f"if __name__ == '__main__':\n{indent(dedent(code), '    ')}\nelse:\n{indent(dedent(in_child), '    ')}"
    script.write_text(f"from test_pool import *\n{roles}")
    here = Path(__file__).parent
    return subprocess.Popen(
        [sys.executable, script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": f"{here}:{here.parents[1]}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def test_children_die_with_a_killed_parent(tmp_path):
    """Both of them: the one that idles and the one that sits in C with the interpreter lock."""
    told = tmp_path / "pid"
    code = """
    pool = make_pool(workers=2)
    pool.warm_up()
    Background(pool, "deaf " + sys.argv[1])
    print(child_of(pool), flush=True)
    sys.stdin.readline()
    """
    with start_parent(tmp_path / "parent.py", code, told) as parent:
        idle = int(parent.stdout.readline())
        wait_until(told.exists)
        deaf = int(told.read_text())
        assert is_running(idle)
        assert is_running(deaf)

        parent.kill()

    wait_until(lambda: not is_running(idle) and not is_running(deaf))


def test_a_child_that_is_still_starting_dies_with_a_killed_parent(tmp_path):
    """It stands still before it could hear of its lifeline's end."""
    told = tmp_path / "pid"
    in_child = """
    Path(sys.argv[1]).with_suffix(".new").write_text(str(os.getpid()))
    Path(sys.argv[1]).with_suffix(".new").rename(sys.argv[1])
    threading.Event().wait()
    """
    with start_parent(tmp_path / "parent.py", "make_pool().warm_up()", told, in_child=in_child) as parent:
        wait_until(told.exists)
        starting = int(told.read_text())
        assert is_running(starting)

        parent.kill()

    try:
        wait_until(lambda: not is_running(starting))
    finally:
        if is_running(starting):
            os.kill(starting, signal.SIGKILL)


def test_signal_to_the_whole_group_hurts_no_document(tmp_path):
    """As service managers send it; the parent finishes what it has begun, then ends at once."""
    code = """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pool = make_pool()
    pool.warm_up()
    rendering = Background(pool, "wait 1")
    print("ready", flush=True)
    print(type(rendering.result()).__name__, type(pool.render(deed("pid"))).__name__, flush=True)
    """
    with start_parent(tmp_path / "parent.py", code) as parent:
        assert parent.stdout.readline() == "ready\n"

        os.killpg(parent.pid, signal.SIGTERM)

        assert parent.stdout.readline() == "RenderedDocument RenderedDocument\n"
        parent.wait(GENEROUS)


def test_children_that_are_ended_while_they_start_leave_no_traceback(tmp_path):
    code = """
    from app.documents.slot import Slot
    for _ in range(8):
        Slot(memory_limit=400 << 20, prepare=child.prepare).end()
    pool = make_pool()
    for _ in range(5):
        try:
            pool.render(deed("signal 11"))
        except ChildDied:
            continue
    pool.close()
    """
    with start_parent(tmp_path / "parent.py", code, stderr=subprocess.PIPE) as parent:
        _told, complaints = parent.communicate(timeout=3 * GENEROUS)

    assert (complaints, parent.returncode) == ("", 0)
