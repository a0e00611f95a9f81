"""How long a test waits for what it means to happen: never a matter of how busy the machine is."""

from PySide6.QtCore import QEventLoop, QTimer

SECONDS = 300
"""Less than `tests.watch.HANGS_SECONDS`, so that a test that waits in vain says for what."""


def wait(milliseconds):
    """Let happen what happens in that time, and sleep when nothing does; vispy's QTest.qWait keeps a processor busy."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
