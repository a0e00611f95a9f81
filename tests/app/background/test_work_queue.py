"""Work items in sequence: each is reported, refusals do not stop the rest, a new list replaces the old."""

import threading

import pytest

from app.background.work_queue import WorkList
from core.spec import SpecError


def refuse(progress):
    raise SpecError("network.dims", "too many")


@pytest.fixture
def works(qapp):
    works = WorkList("test")
    yield works
    works.close()


@pytest.fixture
def told(works):
    told = []
    works.done.connect(lambda key, result: told.append((key, result)))
    works.refused.connect(lambda key, error: told.append((key, error.message)))
    works.finished.connect(lambda: told.append("finished"))
    return told


def test_all_is_done_in_order_and_refusals_are_told(works, told, qtbot):
    works.start([("a", lambda progress: 1), ("b", refuse), ("c", lambda progress: 3)])
    qtbot.waitUntil(lambda: "finished" in told)
    assert told == [("a", 1), ("b", "too many"), ("c", 3), "finished"]
    assert not works.busy


def test_a_new_list_takes_the_place_of_the_old(works, told, qtbot):
    going, stopped = threading.Event(), threading.Event()

    def endless(progress):
        try:
            while True:
                progress(0.5)
                going.set()
        finally:
            stopped.set()

    works.start([("old", endless), ("never", lambda progress: 0)])
    assert going.wait(5)
    works.start([("new", lambda progress: 2)])
    qtbot.waitUntil(lambda: "finished" in told)
    assert stopped.is_set()
    assert told == [("new", 2), "finished"]


def test_whoever_is_told_may_drop_the_rest():
    works, told = WorkList("test", sync=True), []
    works.done.connect(lambda key, result: (told.append(key), works.cancel()))
    works.finished.connect(lambda: told.append("finished"))
    works.start([(1, lambda progress: 1), (2, lambda progress: 2)])
    assert told == [1]
    assert not works.busy
    works.close()


def test_progress_is_that_of_the_whole_list():
    works, told = WorkList("test", sync=True), []
    works.progressed.connect(told.append)
    works.start([(1, lambda progress: 1), (2, refuse), (3, lambda progress: 3), (4, lambda progress: 4)])
    assert told == [0.25, 0.5, 0.75, 1.0]
    works.close()


def test_an_empty_list_is_finished_at_once():
    works, told = WorkList("test", sync=True), []
    works.finished.connect(lambda: told.append("finished"))
    works.start([])
    assert told == ["finished"]
    works.close()
