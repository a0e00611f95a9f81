"""A thread that makes calls in order and keeps no references."""

import gc
import threading
import weakref

import pytest

from app.background.worker import Worker
from tests import programs

HANGS = """
import time
from app.background.worker import Worker, leave
worker = Worker("hangs")
worker.submit(lambda: time.sleep(1e6))
worker.end(0.1)
print("left")
raise SystemExit(leave({status}))
"""


@pytest.fixture
def worker():
    worker = Worker("test")
    yield worker
    worker.end()


def test_calls_are_made_in_order_and_errors_do_not_end_the_thread(worker):
    made = []
    calls = [worker.submit(lambda number=number: made.append(number) if number else 1 // 0) for number in range(4)]
    assert isinstance(calls[0].exception(), ZeroDivisionError)
    assert calls[-1].result() is None
    assert made == [1, 2, 3]


def test_a_call_is_cancelled_until_it_begins(worker):
    go_on = threading.Event()
    worker.submit(go_on.wait)
    waiting = worker.submit(lambda: 1 // 0)
    assert waiting.cancel()
    go_on.set()
    worker.submit(lambda: None).result()
    assert waiting.cancelled()


def test_an_idle_thread_keeps_nothing_alive(worker):
    class Held:
        def __call__(self):
            pass

    held = Held()
    gone = weakref.ref(held)
    worker.submit(held).result()
    del held
    worker.submit(lambda: None).result()
    gc.collect()
    assert gone() is None


def test_a_thread_that_was_never_used_ends():
    worker = Worker("unused")
    worker.end()
    assert not worker.is_alive()


@pytest.mark.parametrize("status", [0, 3])
def test_the_program_ends_even_if_a_thread_hangs(status):
    ended = programs.run(["app.background.worker"], ["-c", HANGS.format(status=status)])
    assert (ended.returncode, ended.stdout, ended.stderr) == (status, "left\n", "")
