"""A module imported in a thread: each waiting callback is called once, even if the import fails."""

from threading import Event

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtTest import QTest

from app.background import late_import
from app.background.late_import import LateImport
from tests import patience


@pytest.fixture
def gate(monkeypatch):
    """An import continues until this is set, and then fails."""
    gate = Event()

    def fail(name):
        gate.wait(patience.SECONDS)
        raise ImportError(name)

    monkeypatch.setattr(late_import, "import_module", fail)
    yield gate
    gate.set()


def test_an_import_that_fails_ends_the_wait_once(gate, qapp, qtbot):
    late, waiting, called = LateImport("there_is_no_such_module"), QObject(), []
    late.when_done(waiting, lambda: called.append("now"))
    QTest.qWait(40)
    assert not called
    gate.set()
    qtbot.waitUntil(lambda: bool(called))
    QTest.qWait(40)
    assert called == ["now"]
    assert not late.is_done


def test_deleted_objects_are_not_called(gate, qapp, qtbot):
    late, waiting, other, called = LateImport("there_is_no_such_module"), QObject(), QObject(), []
    late.when_done(waiting, lambda: called.append("deleted"))
    late.when_done(other, lambda: called.append("other"))
    waiting.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gate.set()
    qtbot.waitUntil(lambda: bool(called))
    QTest.qWait(40)
    assert called == ["other"]


def test_an_imported_module_is_available_immediately(qapp):
    late, called = LateImport("json"), []
    assert late.is_done
    late.when_done(QObject(), lambda: called.append("now"))
    assert called == ["now"]
