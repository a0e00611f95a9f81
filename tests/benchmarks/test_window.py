"""The window: start-up time, time from a change to the picture, and the longest freeze of the GUI thread.

On a virtual screen without a GPU most of a frame is rasterising, which is timed apart.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from PySide6.QtCore import QElapsedTimer, QTimer

from app.storage.presets import preset, worked_example
from core.mapping import Blocks, ModColour, Sequential
from tests.benchmarks.timing import seconds_text, timed

ROOT = Path(__file__).parents[2]

STARTED = """
import sys, time
started = time.perf_counter()
from PySide6.QtCore import QTimer
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication
import app.window.launch as start

shown = {}
frame = start._frame
def framed(*colours):
    made = frame(*colours)
    QTimer.singleShot(0, lambda: shown.setdefault("frame", time.perf_counter() - started))
    return made
start._frame = framed
def drawn(window):
    # Fully drawn: the screen shows more than the background in the middle of the machine.
    image = window.screen().grabWindow(window.winId()).toImage()
    corner, size = window.machine.mapTo(window, window.machine.rect().topLeft()), window.machine.size()
    xs = range(corner.x(), corner.x() + size.width(), 5)
    ys = range(corner.y(), corner.y() + size.height(), 5)
    return len({image.pixel(x, y) for x in xs for y in ys}) > 50
make = start.make_window
def watched(path, found):
    window = make(path, found)
    def look():
        # Looking takes longer than drawing, and does not count.
        at, spent = time.perf_counter() - started, time.process_time()
        if "drawn" not in shown and drawn(window):
            shown["drawn"], shown["spent"] = at, spent
            QTimer.singleShot(0, window.close)
    for canvas in window.findChildren(QOpenGLWidget):
        canvas.frameSwapped.connect(look)
    return window
start.make_window = watched
start.open_window(None)
print(shown["frame"], shown["drawn"], shown["spent"])
"""
LIBRARIES = "import time, PySide6.QtWidgets, vispy.scene; print(time.process_time())"


def test_window_start(record):
    # With bytecode, as for users; the environment of tests may suppress it.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(code):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=True)
        return [float(word) for word in done.stdout.split()]

    figures = [run(STARTED) + run(LIBRARIES) for _ in range(6)]
    del figures[0]  # it wrote the bytecode
    frame, drawn, spent, libraries = map(median, zip(*figures, strict=True))
    record("window on screen, warm", seconds_text(frame))
    baseline = f"{spent / libraries:.2f}× the CPU time of importing PySide6 and vispy"
    record("window drawn with its loads, warm", f"{seconds_text(drawn)}; {seconds_text(spent)} of CPU", baseline)
    assert frame < 0.5
    assert drawn < 2.0
    assert spent < 5 * libraries


def test_form_change_to_picture(opened, qtbot, record):
    window = opened(worked_example(), sync=True)
    mappings = [Sequential(), Blocks(), ModColour()]

    def change():
        mappings.append(mappings.pop(0))
        window.session.choose("mapping", mappings[0])

    for _ in mappings:
        change()
    seconds = median(timed(change) for _ in range(30))
    record("(32,4): from a choice in the form to its colours in OpenGL, without rasterising", seconds_text(seconds))
    assert seconds < 0.05


class Watch:
    """The longest time between two turns of the event loop."""

    def __init__(self):
        self.longest = 0.0
        self._clock = QElapsedTimer()
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)

    def __enter__(self):
        self._clock.start()
        self._timer.start(1)
        return self

    def __exit__(self, *error):
        self._timer.stop()

    def _tick(self):
        self.longest = max(self.longest, self._clock.nsecsElapsed() / 1e9)
        self._clock.restart()


def longest_turn(qtbot, step, seconds):
    """Return the longest time between two turns of the event loop after `step`."""
    with Watch() as watch:
        step()
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            qtbot.wait(20)
    return watch.longest


def test_largest_machine_never_freezes(opened, qtbot, record):
    window = opened(worked_example())
    machine = window.machine
    steps = {
        "open": lambda: window.session.open(preset("power775-largest"), None),
        "filter": lambda: window.session.set_hottest_percent(1.0),
        "log": lambda: window.commands["view.log"].trigger(),
        "zoom": lambda: machine.open_group(3),
        "fit": machine.fit,
    }
    gaps = {}
    for name, step in steps.items():
        gap = longest_turn(qtbot, step, 2.5)
        # Redraw the same picture in the entire window: only rasterising and compositing.
        gaps[name] = gap, max(longest_turn(qtbot, lambda: redraw(window), 0.7) for _ in range(3))
    assert window.session.state.evaluation.case.network.links == 769_536
    for name, (gap, drawn) in gaps.items():
        baseline = f"redrawing the same picture: {seconds_text(drawn)}"
        record(f"(512,1), {name}: longest freeze of the window", seconds_text(gap), baseline)
    for name, (gap, drawn) in gaps.items():
        assert gap - drawn < 0.1, name


def redraw(window):
    """Redraw the entire window."""
    window.machine.canvas.native.update()
    window.update()
