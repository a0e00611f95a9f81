"""The time that a test waits for an expected event, even on a busy machine."""

from PySide6.QtCore import QEventLoop, QTimer

SECONDS = 300
"""Less than `tests.watch.HANGS_SECONDS`, so that a test that waits in vain fails with its own message."""


def wait(milliseconds):
    """Process events for some time, and sleep in between; vispy's QTest.qWait keeps a processor busy."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
