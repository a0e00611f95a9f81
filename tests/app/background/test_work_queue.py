"""Work items in sequence: each is reported, refusals do not stop the others, and a new list replaces the old."""

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
def reported(works):
    reported = []
    works.done.connect(lambda key, result: reported.append((key, result)))
    works.refused.connect(lambda key, error: reported.append((key, error.message)))
    works.finished.connect(lambda: reported.append("finished"))
    return reported


def test_items_are_done_in_order_and_refusals_are_reported(works, reported, qtbot):
    works.start([("a", lambda progress: 1), ("b", refuse), ("c", lambda progress: 3)])
    qtbot.waitUntil(lambda: "finished" in reported)
    assert reported == [("a", 1), ("b", "too many"), ("c", 3), "finished"]
    assert not works.busy


def test_a_new_list_replaces_the_old_list(works, reported, qtbot):
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
    qtbot.waitUntil(lambda: "finished" in reported)
    assert stopped.is_set()
    assert reported == [("new", 2), "finished"]


def test_a_receiver_may_drop_the_remaining_items():
    works, reported = WorkList("test", sync=True), []
    works.done.connect(lambda key, result: (reported.append(key), works.cancel()))
    works.finished.connect(lambda: reported.append("finished"))
    works.start([(1, lambda progress: 1), (2, lambda progress: 2)])
    assert reported == [1]
    assert not works.busy
    works.close()


def test_progress_is_the_fraction_of_the_whole_list():
    works, reported = WorkList("test", sync=True), []
    works.progressed.connect(reported.append)
    works.start([(1, lambda progress: 1), (2, refuse), (3, lambda progress: 3), (4, lambda progress: 4)])
    assert reported == [0.25, 0.5, 0.75, 1.0]
    works.close()


def test_an_empty_list_is_finished_immediately():
    works, reported = WorkList("test", sync=True), []
    works.finished.connect(lambda: reported.append("finished"))
    works.start([])
    assert reported == ["finished"]
    works.close()
