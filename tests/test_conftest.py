"""The leak check of conftest.py bites, and forgives what ends by itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

LEAKY_TESTS = """
import threading

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

kept = []


def test_window(qtbot):
    kept.append(QWidget())
    kept[-1].show()


def test_timer(qapp):
    kept.append(QTimer())
    kept[-1].start(10_000)


def test_thread():
    kept.append(threading.Event())
    threading.Thread(target=kept[-1].wait).start()


def test_nothing(qtbot):
    kept[-1].set()  # or the thread keeps the process
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    timer = QTimer(window)
    timer.start(10_000)
    trailing = QTimer(singleShot=True)
    trailing.start(100)
    kept.append(trailing)
    threading.Timer(0.1, print).start()
"""


def test_each_kind_of_leak_fails_its_test_alone(tmp_path):
    (tmp_path / "tests").mkdir()
    hasty = re.sub(
        r"^GRACE_SECONDS = .*$", "GRACE_SECONDS = 1.0", (HERE / "conftest.py").read_text(), flags=re.MULTILINE
    )
    (tmp_path / "tests" / "conftest.py").write_text(hasty)
    (tmp_path / "tests" / "test_leaky.py").write_text(LEAKY_TESTS)
    command = [sys.executable, "-m", "pytest", "--rootdir", ".", "-p", "no:xvfb", "-p", "no:cacheprovider"]
    places = os.environ | {"PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=places, capture_output=True, text=True, check=False)
    failed = re.findall(r"ERROR at teardown of (\w+)", done.stdout)
    leaks = re.findall(r"^E .*Error: left behind: \{'(\w+)'", done.stdout, re.MULTILINE)
    told = list(zip(failed, leaks, strict=True))
    assert told == [("test_window", "windows"), ("test_timer", "timers"), ("test_thread", "threads")], done.stdout
    assert "4 passed, 3 errors" in done.stdout
