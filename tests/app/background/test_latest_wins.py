"""Work off the GUI thread: progress is told, errors arrive, cancelling stops the work."""

import threading
import time

import pytest

from app.background.latest_wins import Runner


@pytest.fixture
def received():
    """Results, errors and progress, each with the thread in which it arrived."""
    return []


@pytest.fixture
def runner(qapp, received):
    def receive(outcome):
        received.append((outcome, threading.current_thread()))

    runner = Runner("test", receive, receive, receive, takes=ZeroDivisionError)
    yield runner
    runner.close()


def test_the_result_arrives_in_the_gui_thread(runner, received, qtbot):
    runner.request(lambda progress: 42)
    qtbot.waitUntil(lambda: bool(received))
    assert received == [(42, threading.main_thread())]


def test_an_error_arrives_too(runner, received, qtbot):
    runner.request(lambda progress: 1 // 0)
    qtbot.waitUntil(lambda: bool(received))
    assert isinstance(received[0][0], ZeroDivisionError)


@pytest.mark.parametrize("failed", [(), (print,)])
def test_an_error_that_is_not_taken_is_raised(qapp, failed):
    runner = Runner("test", lambda result: None, *failed, sync=True)
    with pytest.raises(ZeroDivisionError):
        runner.request(lambda progress: 1 // 0)
    runner.close()


def test_long_work_reports_its_progress(runner, received, qtbot):
    def work(progress):
        while not received:
            progress(0.5)
            time.sleep(0.005)

    runner.request(work)
    qtbot.waitUntil(lambda: not runner.busy)
    assert {outcome for outcome, _ in received} == {0.5, None}


def test_a_new_request_stops_the_old_one(runner, received, qtbot):
    begun, stopped = threading.Event(), threading.Event()

    def endless(progress):
        begun.set()
        try:
            while True:
                progress(0.1)
                time.sleep(0.001)
        finally:
            stopped.set()

    runner.request(endless)
    qtbot.waitUntil(begun.is_set)
    runner.request(lambda progress: "new")
    qtbot.waitUntil(lambda: bool(received))
    assert [outcome for outcome, _ in received] == ["new"]
    assert stopped.is_set()


def test_cancelling_delivers_nothing(runner, received, qtbot):
    runner.request(lambda progress: time.sleep(0.05))
    runner.cancel()
    qtbot.wait(150)
    assert received == []


def test_a_request_after_closing_is_ignored(runner, received, qtbot):
    runner.close()
    runner.request(lambda progress: 42)
    qtbot.wait(50)
    assert received == []
