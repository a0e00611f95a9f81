"""Setup of the benchmarks: RESULTS.md, an application that times its events, and windows of full size."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QApplication

from app.session.session import Session
from app.storage.settings import Settings
from app.style.theme import DARK
from tests.benchmarks.results import Results

HERE = Path(__file__).parent
# Mesa draws with all processors, as it does for users; tests draw without threads.
os.environ.pop("LP_NUM_THREADS", None)
PAINTS = (QEvent.Type.Paint, QEvent.Type.UpdateRequest, QEvent.Type.Expose)


def pytest_configure(config):
    config.pluginmanager.register(Results(HERE, HERE.parents[1] / "README.md"), "results")


class Stopwatch(QApplication):
    """An application that measures the CPU time of its thread for events, with painting apart.

    Other programs and threads do not count.
    """

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.frames: Counter[int] = Counter()
        """Seconds of work that began in each sixtieth of a second, without painting."""
        self.turns: list[float] = []
        """Seconds of work for each event from outside, without painting."""
        self.painting = 0.0
        """Seconds of painting."""
        self._watching = False
        self._painted = 0.0
        self._depth = 0

    def watch(self, watching: bool = True) -> None:
        """Reset the counters and start counting, or stop."""
        self._watching = watching
        if watching:
            self.frames, self.turns, self.painting = Counter(), [], 0.0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Time the event."""
        if not self._watching:
            return super().notify(receiver, event)
        paints = event.type() in PAINTS
        outer, self._painted = self._painted, 0.0
        self._depth += 1
        frame, started = int(60 * time.perf_counter()), time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            spent = time.thread_time() - started
            self._depth -= 1
            own = 0.0 if paints else spent - self._painted
            self._painted = outer + (spent if paints else self._painted)
            if not self._depth:
                self.frames[frame] += own
                self.turns.append(own)
                self.painting += spent - own


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    return Stopwatch


@pytest.fixture
def opened(qtbot, tmp_path):
    from app.window.main_window import Window

    windows = []

    def open_window(scenario, *, sync=False):
        store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = Window(Session.of(scenario, theme=DARK, sync=sync), Settings(store, tmp_path / "autosave"))
        window.files.may_lose_changes = lambda: True
        window.resize(1600, 1000)
        window.show()
        qtbot.wait(300)
        windows.append(window)
        return window

    yield open_window
    for window in windows:
        window.close()
        window.deleteLater()
