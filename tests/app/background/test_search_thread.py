"""Results of searches arrive in this thread, and not after the end."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication

from app.background.search_thread import SearchThread
from tests import patience


@pytest.fixture
def searching(qapp):
    received = []

    def receive(run, outcome):
        received.append(outcome)

    thread = SearchThread(receive, receive)
    yield thread, received
    thread.close()


def test_results_arrive_in_this_thread_and_the_end_last(searching, qtbot):
    thread, received = searching
    thread.begin("run", lambda listen: listen("found") or "best")
    qtbot.waitUntil(lambda: received == ["found", "best"])


def test_nothing_arrives_after_closing(searching):
    thread, received = searching
    arrived = threading.Event()

    def work(listen):
        listen("found")
        arrived.set()
        return "best"

    thread.begin("run", work)
    assert arrived.wait(patience.SECONDS)
    thread.close()
    QCoreApplication.processEvents()
    assert received == []
