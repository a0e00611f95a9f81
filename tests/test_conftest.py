"""The leak check of conftest.py detects leaks and tolerates objects that end soon; a hanging test ends the run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs

HERE = Path(__file__).resolve().parent

LEAKY_TESTS = """
import gc
import threading

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

objects = []


def test_window(qtbot):
    objects.append(QWidget())
    objects[-1].show()


def test_timer(qapp):
    objects.append(QTimer())
    objects[-1].start(10_000)


def test_thread():
    objects.append(threading.Event())
    threading.Thread(target=objects[-1].wait).start()


def test_collector():
    gc.enable()


def test_nothing(qtbot):
    objects[-1].set()  # otherwise the thread keeps the process alive
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    timer = QTimer(window)
    timer.start(10_000)
    trailing = QTimer(singleShot=True)
    trailing.start(100)
    objects.append(trailing)
    threading.Timer(0.1, print).start()
"""


def test_each_kind_of_leak_fails_only_its_own_test(tmp_path):
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
    leaks = re.findall(
        r"^E .*Error: (?:left behind: \{'|the test has enabled the garbage )(\w+)", done.stdout, re.MULTILINE
    )
    reported = list(zip(failed, leaks, strict=True))
    names = ("window", "timer", "thread")
    assert reported == [*((f"test_{name}", f"{name}s") for name in names), ("test_collector", "collector")], done.stdout
    assert "5 passed, 4 errors" in done.stdout


HANGS = """
import time
from contextlib import nullcontext
from types import SimpleNamespace
from tests import watch
watch.HANGS_SECONDS, watch.SHARED_SECONDS = {after}, {shared}
def hangs():
    time.sleep({seconds})
mine = watch.Watch(SimpleNamespace(global_and_fixture_disabled=nullcontext))
mine.pytest_runtest_logstart()
{between}
mine.pytest_runtest_logstart()
hangs()
mine.pytest_unconfigure()
time.sleep({rest})
"""


@pytest.mark.parametrize(
    ("shared", "between"),
    [(0.0, ""), (0.1, ""), (0.1, "watch.faulthandler.cancel_dump_traceback_later(); mine.pytest_exception_interact()")],
)
def test_a_test_that_hangs_shows_where_and_ends_the_run(shared, between):
    done = watched(after=0.1, shared=shared, between=between, seconds=5, rest=0)
    assert done.returncode == 1
    assert "in hangs" in done.stderr


@pytest.mark.parametrize(
    "given",
    [
        {"after": 0.1, "shared": 60.0, "between": "time.sleep(0.2)", "rest": 0},
        {"after": 2.0, "shared": 0.0, "between": "", "rest": 2.2},
    ],
    ids=["with a shared watch", "last test"],
)
def test_a_test_that_ends_is_not_stopped(given):
    done = watched(seconds=0, **given)
    assert (done.returncode, done.stderr) == (0, "")


def watched(**given):
    return programs.run([], ["-c", HANGS.format(**given)], cwd=HERE.parent)
