"""The setup of every test: a screen to draw on, reproducible examples, and a check that it cleans up."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from importlib.util import cache_from_source
from pathlib import Path

# Matrices in tests are small: threads for them would wait in a loop, for longer than the matrices take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["QT_API"] = "pyside6"  # read by qtpy, which superqt and vispy import
if sys.platform == "linux":
    os.environ["QT_QPA_PLATFORM"] = "xcb"  # Xvfb, not the developer's Wayland session
    # Mesa draws small pictures faster than its threads synchronise; workers keep the other processors busy.
    os.environ.setdefault("LP_NUM_THREADS", "0")

import pytest
from hypothesis import settings
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.background.worker import Worker
from app.cli import compiling
from tests import patience
from tests.watch import Watch

TESTS = Path(__file__).resolve().parent
DEBIAN_PACKAGES = TESTS.parent / ".ci" / "debian-packages"
GRACE_SECONDS = 20.0
"""Maximum time for the remains of a test to disappear on a busy machine."""
FULL_EVERY = 300
"""Garbage collections after which all generations are collected, and not only the youngest."""
MANY_OBJECTS = 10_000
"""Young objects that trigger a garbage collection: few enough for the processor's cache, more than most tests leave."""

settings.register_profile("fabriscope", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("fabriscope")


# Without bytecode, each worker and each of a hundred started programs would compile all modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Kernels that are not compiled yet must not change the output of programs.
compiling.SHOW_AFTER = 1e6


def pytest_configure():
    # Background processes of a shell ignore Ctrl-C, and programs started by tests would inherit this.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform == "linux" and not os.environ.get("DISPLAY") and not shutil.which("Xvfb"):
        lines = DEBIAN_PACKAGES.read_text().splitlines()
        packages = " ".join(line for line in lines if line and not line.startswith("#"))
        pytest.exit(
            "The tests draw on a virtual screen, and Xvfb is missing. On Debian, run\n"
            f"    sudo apt-get update && sudo apt-get install --no-install-recommends {packages}",
            returncode=pytest.ExitCode.USAGE_ERROR,
        )


def pytest_xdist_auto_num_workers():
    # One more than the number of processors, because some tests wait for a picture, a timer or a program.
    return len(os.sched_getaffinity(0)) + 1 if sys.platform == "linux" else (os.cpu_count() or 1) + 1


def pytest_xdist_setupnodes(config):
    """Compile the modules of a fresh clone once, in two halves, instead of all in each worker."""
    done = Path(cache_from_source(str(TESTS / "test_conftest.py"))).parent.glob("test_conftest.*-pytest-*.pyc")
    if config.args_source is not config.ArgsSource.TESTPATHS or any(done):
        return
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "--quiet",
        "--numprocesses=0",
        "-p",
        "no:cacheprovider",
    ]
    halves = ["tests/app"], ["tests", "--ignore=tests/app"]
    for half in [subprocess.Popen([*command, *half], cwd=TESTS.parent, stdout=subprocess.DEVNULL) for half in halves]:
        half.wait()


def pytest_collection_modifyitems(items):
    # Tests that wait for pictures or programs start first, while other tests can run at the same time.
    items.sort(key=lambda item: item.path.parent not in (TESTS, TESTS / "app" / "tools"))


def pytest_collection_finish(session):
    # The process that distributes tests does not collect any.
    plugins = session.config.pluginmanager
    plugins.register(Watch(plugins.getplugin("capturemanager")))
    # Imported objects stay: collecting among them repeatedly takes a third of the time.
    gc.collect()
    gc.freeze()
    # Python collects garbage in the thread that creates one object too many, including threads of xdist or of the
    # program, and destroys windows of earlier tests there (see app/garbage.py). From here on, it is collected only in
    # this thread, between two tests.
    gc.disable()


@pytest.fixture(autouse=True)
def collected_between_tests_only():
    """Collect garbage only between tests: destroying windows of earlier tests during painting crashes."""
    yield
    enabled = gc.isenabled()
    gc.disable()
    assert not enabled, "the test has enabled the garbage collector"


def pytest_runtest_logfinish():
    # It is enabled in the process that distributes tests.
    if gc.isenabled() or gc.get_count()[0] < MANY_OBJECTS:
        return
    # Objects of a test are still young: older garbage, for which all objects are examined, can wait.
    if gc.get_count()[2] < FULL_EVERY:
        gc.collect(1)
        return
    gc.collect()
    gc.freeze()  # the remaining objects are mostly modules and caches


class PatientBot(QtBot):
    """A QtBot that waits much longer for events than the default of five seconds."""

    def waitUntil(self, callback, *, timeout=1000 * patience.SECONDS):
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal, *, timeout=1000 * patience.SECONDS, **options):
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitExposed(self, widget, *, timeout=1000 * patience.SECONDS):
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp, request):
    return PatientBot(request)


@pytest.fixture(scope="session")
def started_timers():
    """All living QTimers started from Python since the first use of this fixture."""
    started = weakref.WeakSet()
    plain_start = QTimer.start

    def start(timer, *interval):
        started.add(timer)
        plain_start(timer, *interval)

    QTimer.start = start
    yield started
    QTimer.start = plain_start


def lingering_threads():
    alive = (thread for thread in threading.enumerate() if thread.is_alive())
    return {thread for thread in alive if isinstance(thread, Worker) or not thread.daemon}


def lingering_windows():
    return {window for window in QApplication.topLevelWidgets() if window.isVisible()}


def delete_deferred():
    """Destroy objects with a deferred delete, windows of several megabytes among them.

    vispy replaces Qt's qWait by its own, which ignores them.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def release_buttons():
    """Clear buttons in QTest that were released elsewhere, or not at all: the next press would include them."""
    QTest.mouseRelease(QWidget(), Qt.MouseButton.LeftButton)


@pytest.fixture(autouse=True)
def nothing_left_behind(request):
    """Fail a test that leaves a window open, a timer ticking or a thread running.

    Objects that a fixture of wider scope had open before are exempt. Deferred deletes, trailing throttles and threads
    that have been stopped get a moment to finish.
    """
    kinds = {"threads": lingering_threads}
    uses_qt = "qapp" in request.fixturenames
    if uses_qt:
        timers = request.getfixturevalue("started_timers")
        kinds["windows"] = lingering_windows
        kinds["timers"] = lambda: {timer for timer in timers if isValid(timer) and timer.isActive()}
    before = {kind: find() for kind, find in kinds.items()}

    yield

    def left():
        left_over = {kind: find() - before[kind] for kind, find in kinds.items()}
        return {kind: items for kind, items in left_over.items() if items}

    if uses_qt:
        release_buttons()
        delete_deferred()
    started = time.monotonic()
    while left() and time.monotonic() < started + GRACE_SECONDS:
        if uses_qt:
            patience.wait(20)
            delete_deferred()
        else:
            time.sleep(0.02)
        # Most remains disappear without a garbage collection.
        if time.monotonic() > started + 0.25 and left():
            gc.collect()
    leaks = left()
    described = {kind: [str(item) for item in items] for kind, items in leaks.items()}
    # The next test starts without them.
    for window in leaks.get("windows", ()):
        window.hide()
    for timer in leaks.get("timers", ()):
        timer.stop()
    assert not described, f"left behind: {described}"
