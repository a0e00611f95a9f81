"""The Qt binding itself: PySide6 6.12.0 on CPython 3.11 loses a reference to None on nearly every call."""

import sys

from PySide6.QtCore import QObject, Signal


class Sender(QObject):
    sent = Signal(int)


def drift_of_none(call, times=1000):
    before = sys.getrefcount(None)
    for _ in range(times):
        call()
    return sys.getrefcount(None) - before


# CPython 3.12 made None immortal: these two tests cannot fail there.
def test_void_calls_keep_none_alive():
    item = QObject()
    assert abs(drift_of_none(lambda: item.setObjectName("x"))) < 50


def test_signals_keep_none_alive():
    sender = Sender()
    sender.sent.connect(lambda number: None)
    assert abs(drift_of_none(lambda: sender.sent.emit(1))) < 50
