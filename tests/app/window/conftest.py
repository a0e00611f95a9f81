"""The program itself: its modules when its window opened, and the files it left when killed then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMPILER = {"numba.np.linalg", "numba.typed.typedlist", "numba.np.arraymath"}
"""Some modules that numba loads to compile, and not to run compiled kernels."""
HAND = """
import linecache, runpy, sys, time
from threading import Thread

first_frame = []

def not_of_charts(name):
    # These are loaded in the background after the first frame.
    return not name.startswith(("pyqtgraph", "app.views.charts.kit"))

def watch():
    while not hasattr(start := sys.modules.get("app.window.launch"), "load_more_kernels"):
        time.sleep(0.005)
    make = start.make_window

    def watched(path, found):
        window = make(path, found)
        watch_frames(window)
        start.QTimer.singleShot(100, lambda: edit(window))
        return window

    start.make_window = watched

def watch_frames(window):
    from PySide6.QtCore import QEvent, QObject, QTimer

    class Frames(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint and not first_frame:
                first_frame.append("painted")
                QTimer.singleShot(0, lambda: first_frame.extend(sys.modules))
            return False

    window.frames = Frames()
    window.views["distribution"].installEventFilter(window.frames)

def edit(window):
    if len(first_frame) < 2:  # a busy machine paints later
        sys.modules["app.window.launch"].QTimer.singleShot(5, lambda: edit(window))
        return
    loaded = [*filter(not_of_charts, sorted(sys.modules)), *(name for name in linecache.cache if "app" in name)]
    loaded += [name for name in first_frame if name == "painted" or not not_of_charts(name)]
    window.autosave.written.connect(lambda: print(*loaded, flush=True))
    for name in ("mark.all", "edit.shift-right"):
        window.commands[name].trigger()

Thread(target=watch, daemon=True).start()
runpy.run_path("main.py", run_name="__main__")
"""
"""Runs the program as started from a terminal, with a simulated user who shifts all tasks by one column."""


@pytest.fixture(scope="session")
def killed_program(tmp_path_factory):
    """The program's modules when its window was open, and its folder of copies.

    Then the scenario was changed in its window, and the program killed without a warning.
    """
    home = tmp_path_factory.mktemp("home")
    homes = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CONFIG")}
    command = [sys.executable, "-c", HAND]

    def killed():
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **homes}, stdout=subprocess.PIPE) as program:
            loaded = set(program.stdout.readline().decode().split())
            program.kill()
        return loaded

    loaded, folder = killed(), home / "data" / "fabriscope" / "autosave"
    if loaded & COMPILER:  # no other test has compiled its kernels
        for copy in folder.iterdir():
            copy.unlink()
        loaded = killed()
    return loaded, folder
