"""Work off the GUI thread: progress is reported, errors arrive, and cancelling stops the work."""

import threading
import time

import pytest

from app.background import latest_wins, worker
from app.background.latest_wins import MAX_STUCK, PROMPT_MS, Runner
from app.background.worker import any_hangs


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


def test_an_error_arrives(runner, received, qtbot):
    runner.request(lambda progress: 1 // 0)
    qtbot.waitUntil(lambda: bool(received))
    assert isinstance(received[0][0], ZeroDivisionError)


@pytest.mark.parametrize("failed", [(), (print,)])
def test_an_unexpected_error_is_raised(qapp, failed):
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


def test_work_without_progress_is_reported_as_0(runner, received, qtbot):
    go_on = threading.Event()
    runner.request(lambda progress: go_on.wait())
    qtbot.waitUntil(lambda: bool(received))
    assert received == [(0.0, threading.main_thread())]
    go_on.set()
    qtbot.waitUntil(lambda: not runner.busy)


@pytest.fixture
def stuck(runner, qtbot):
    """A request that does not stop until the event is set, as on an unresponsive drive."""
    begun, go_on = threading.Event(), threading.Event()

    def hang(progress):
        begun.set()
        go_on.wait()
        return "late"

    runner.request(hang)
    qtbot.waitUntil(begun.is_set)
    yield go_on
    go_on.set()


def test_work_that_does_not_stop_does_not_delay_the_next_request(runner, stuck, received, qtbot):
    runner.request(lambda progress: "next")
    qtbot.waitUntil(lambda: not runner.busy)
    assert received[-1][0] == "next"
    stuck.set()
    qtbot.wait(50)
    assert received[-1][0] == "next"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(latest_wins, "GRACE_MS", 30)
    monkeypatch.setattr(worker, "END_SECONDS", 0.05)


def test_the_number_of_abandoned_threads_is_limited(qapp, impatient, qtbot):
    go_on, begun = threading.Event(), []
    runner = Runner("stuck", lambda result: None)
    for number in range(MAX_STUCK + 2):
        runner.request(lambda progress, number=number: (begun.append(number), go_on.wait()))
        if number <= MAX_STUCK:
            qtbot.waitUntil(lambda number=number: number in begun)
    qtbot.wait(100)
    assert begun == list(range(MAX_STUCK + 1))
    go_on.set()
    qtbot.waitUntil(lambda: len(begun) == MAX_STUCK + 2)
    runner.close()


def test_requests_in_turn_wait(qapp, impatient, qtbot):
    go_on, done = threading.Event(), []
    runner = Runner("turns", done.append, in_turn=True)
    runner.request(lambda progress: (go_on.wait(), done.append("first")))
    qtbot.wait(50)
    runner.request(lambda progress: "second")
    qtbot.wait(100)
    assert done == []
    go_on.set()
    qtbot.waitUntil(lambda: len(done) == 2)
    assert done == ["first", "second"]
    runner.close()


def test_closing_does_not_wait_for_work_that_does_not_stop(impatient, runner, stuck):
    runner.close()
    assert any_hangs()
    stuck.set()
    for stopped in runner._workers:
        stopped.join()
    assert not any_hangs()


def test_a_prompt_runner_reports_its_work_early(qtbot, request):
    reported, go = [], threading.Event()
    runner = Runner("prompt", lambda result: reported.append("done"), progressed=reported.append, prompt=True)
    request.addfinalizer(runner.close)
    runner.request(lambda progress: go.wait())
    begun = time.perf_counter()
    qtbot.waitUntil(lambda: reported == [0.0])
    assert time.perf_counter() - begun > 0.9 * PROMPT_MS / 1000
    go.set()
    qtbot.waitUntil(lambda: reported == [0.0, "done"])
