"""Results of searches arrive in this thread, and not after the end."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication

from app.background.search_thread import SearchThread
from core.spec import Cancelled
from tests import patience


@pytest.fixture
def searching(qapp):
    received = []

    def receive(run, outcome):
        received.append(outcome)

    thread = SearchThread(receive, receive, receive)
    yield thread, received
    thread.close()


def test_results_arrive_in_this_thread_and_the_end_last(searching, qtbot):
    thread, received = searching
    thread.begin("run", lambda listen, prepare: listen("found") or "best")
    qtbot.waitUntil(lambda: received == ["found", "best"])


def test_progress_before_the_search_arrives_and_its_end_always(qapp, qtbot):
    arrived = []
    thread = SearchThread(lambda run, fraction: arrived.append(fraction), None, lambda run, result: arrived.append(run))
    thread.begin("run", lambda listen, prepare: [prepare(number / 1000) for number in range(1001)])
    qtbot.waitUntil(lambda: arrived[-1:] == ["run"])
    assert arrived[0] == 0.0
    assert arrived[-2] == 1.0
    assert len(arrived) < 900
    thread.close()


def test_work_before_the_search_stops_as_soon_as_it_reports(qapp, qtbot):
    ended, stopped = [], threading.Event()
    thread = SearchThread(lambda run, fraction: None, None, lambda run, result: ended.append(result))

    def work(listen, prepare):
        assert stopped.wait(patience.SECONDS)
        prepare(0.5)

    thread.begin("run", work)
    thread.stop()
    stopped.set()
    qtbot.waitUntil(lambda: bool(ended))
    assert isinstance(ended[0], Cancelled)
    thread.close()


def test_nothing_arrives_after_closing(searching):
    thread, received = searching
    arrived = threading.Event()

    def work(listen, prepare):
        listen("found")
        arrived.set()
        return "best"

    thread.begin("run", work)
    assert arrived.wait(patience.SECONDS)
    thread.close()
    QCoreApplication.processEvents()
    assert received == []
