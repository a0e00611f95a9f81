"""How long a test waits for an expected event, however busy the machine."""

from PySide6.QtCore import QEventLoop, QTimer

SECONDS = 300
"""Less than `tests.watch.HANGS_SECONDS`, so that a test that waits in vain reports for what."""


def wait(milliseconds):
    """Process events for that time, and sleep without events; vispy's QTest.qWait keeps a processor busy."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
