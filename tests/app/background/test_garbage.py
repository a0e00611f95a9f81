"""Qt's objects are destroyed in the GUI thread, even if another thread triggers garbage collection."""

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from app.background.garbage import Collector, collect_due
from app.window import launch

ROOT = Path(__file__).resolve().parents[3]
GC_THRESHOLD = 700
"""Number of objects after which Python collects garbage, if a test sets it."""

ELSEWHERE = """
import os, threading
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

class Panel(QWidget):
    def __init__(self):
        super().__init__()
        self.me = self
        self.destroyed.connect(self.on_destroyed, Qt.ConnectionType.DirectConnection)

    @staticmethod
    def on_destroyed():
        main = threading.current_thread() is threading.main_thread()
        os.write(1, b"in the main thread\\n" if main else b"in another thread\\n")
        os._exit(0)

application = QApplication([])
Panel()
thread = threading.Thread(target=lambda: [[[]] for _ in range(1_000_000)])
thread.start()
thread.join()
"""
"""Drops a window, and creates enough objects in a thread that Python collects garbage there."""

CROWD = """
import gc, os, sys, threading
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication, QWidget
from app.window.launch import start_background_work
import app.window.launch

class Panel(QWidget):
    def __init__(self):
        super().__init__()
        self.me = self

application = QApplication([])
app.window.launch.load_more_kernels = lambda: None
start_background_work()
lasting = [QWidget() for _ in range(100)]
for _ in range(12):
    for _ in range(100):
        Panel()
    thread = threading.Thread(target=lambda: [[[]] for _ in range(200_000)])
    thread.start()
    while thread.is_alive():
        strange = {type(one) for one in application.topLevelWidgets()} - {Panel, QWidget}
        assert not strange, strange
        application.processEvents()
print("sound")
"""
"""Lists windows while another thread creates enough objects that Python would collect garbage there.

Without protection this ends within a few rounds.
"""


class Panel(QWidget):
    """A class written in Python whose objects refer to themselves, so that they are garbage when dropped."""

    def __init__(self):
        super().__init__()
        self.me = self
        self.timer = QTimer(self)


@pytest.fixture
def ends():
    """The threads in which panels are destroyed."""
    return []


@pytest.fixture
def collector(qapp):
    thresholds = gc.get_threshold()
    gc.set_threshold(GC_THRESHOLD, 1, 1)
    collectors = []

    def make(made=Collector):
        collectors.append(made(qapp))
        return collectors[-1]

    yield make
    for made_before in collectors:
        made_before.deleteLater()
    gc.set_threshold(*thresholds)
    gc.disable()  # as in the test suite


def drop_panel(ends):
    panel = Panel()
    panel.destroyed.connect(lambda: ends.append(threading.current_thread()), Qt.ConnectionType.DirectConnection)


def made_elsewhere():
    """Create enough objects in another thread that Python collects all generations; destroyed objects do not count."""
    kept = []
    thread = threading.Thread(target=lambda: kept.extend([] for _ in range(20 * GC_THRESHOLD)))
    thread.start()
    thread.join()
    return kept


def test_python_itself_destroys_widgets_in_any_thread():
    # The reason for the collector, which can be removed once this fails. Run in another process, since Qt may break.
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "in another thread\n", done.stderr[-2000:]


def test_garbage_of_other_threads_waits_for_the_gui_thread(collector, ends, qtbot):
    collector()
    drop_panel(ends)
    kept = made_elsewhere()
    assert kept
    assert not ends
    qtbot.waitUntil(lambda: bool(ends))
    assert ends == [threading.main_thread()]


def test_nothing_is_collected_before_it_is_due(collector, ends):
    gc.collect()
    drop_panel(ends)
    collect_due()
    assert not ends
    kept = [[] for _ in range(GC_THRESHOLD + 1)]
    collect_due()
    assert kept
    assert ends == [threading.main_thread()]


def test_the_window_collects_only_in_the_gui_thread(collector, qapp, monkeypatch):
    monkeypatch.setattr(launch, "load_more_kernels", lambda: None)
    monkeypatch.setattr(launch.gc, "freeze", lambda: None)
    gc.enable()
    launch.start_background_work()
    (made,) = qapp.findChildren(Collector)
    collector(lambda parent: made)
    assert not gc.isenabled()


def test_windows_listed_while_another_thread_works_are_whole():
    done = subprocess.run([sys.executable, "-c", CROWD], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "sound\n"), done.stderr[-2000:]
