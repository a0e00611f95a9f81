"""Results of searches arrive in this thread, and not after the end."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication

from app.background.search_thread import SearchThread
from tests import patience


@pytest.fixture
def heard(qapp):
    told = []

    def receive(run, outcome):
        told.append(outcome)

    thread = SearchThread(receive, receive)
    yield thread, told
    thread.close()


def test_what_is_told_arrives_here_and_the_end_last(heard, qtbot):
    thread, told = heard
    thread.begin("run", lambda listen: listen("found") or "best")
    qtbot.waitUntil(lambda: told == ["found", "best"])


def test_nothing_arrives_after_closing_whatever_is_on_its_way(heard):
    thread, told = heard
    arrived = threading.Event()

    def work(listen):
        listen("found")
        arrived.set()
        return "best"

    thread.begin("run", work)
    assert arrived.wait(patience.SECONDS)
    thread.close()
    QCoreApplication.processEvents()
    assert told == []
