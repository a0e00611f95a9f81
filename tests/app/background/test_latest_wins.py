"""Work off the GUI thread: progress is told, errors arrive, cancelling stops the work."""

import threading
import time

import pytest

from app.background.latest_wins import Runner


@pytest.fixture
def runner(qapp):
    runner = Runner("test")
    yield runner
    runner.close()


def test_the_result_arrives_in_the_gui_thread(runner, qtbot):
    where = []
    runner.done.connect(lambda result: where.append((result, threading.current_thread())))
    runner.request(lambda progress: 42)
    qtbot.waitUntil(lambda: bool(where))
    assert where == [(42, threading.main_thread())]


def test_an_error_arrives_too(runner, qtbot):
    with qtbot.waitSignal(runner.failed) as caught:
        runner.request(lambda progress: 1 // 0)
    assert isinstance(caught.args[0], ZeroDivisionError)


def test_long_work_tells_its_progress(runner, qtbot):
    told = []

    def work(progress):
        while not told:
            progress(0.5)
            time.sleep(0.005)

    runner.progressed.connect(told.append)
    with qtbot.waitSignal(runner.done):
        runner.request(work)
    assert set(told) == {0.5}


def test_a_new_request_stops_the_old_one(runner, qtbot):
    begun, stopped = threading.Event(), threading.Event()

    def endless(progress):
        begun.set()
        try:
            while True:
                progress(0.1)
                time.sleep(0.001)
        finally:
            stopped.set()

    results = []
    runner.done.connect(results.append)
    runner.request(endless)
    qtbot.waitUntil(begun.is_set)
    runner.request(lambda progress: "new")
    qtbot.waitUntil(lambda: bool(results))
    assert results == ["new"]
    assert stopped.is_set()


def test_cancelling_delivers_nothing(runner, qtbot):
    results = []
    runner.done.connect(results.append)
    runner.failed.connect(results.append)
    runner.request(lambda progress: time.sleep(0.05))
    runner.cancel()
    qtbot.wait(150)
    assert results == []


def test_a_request_after_closing_is_ignored(runner, qtbot):
    runner.close()
    with qtbot.assertNotEmitted(runner.done, wait=50):
        runner.request(lambda progress: 42)
