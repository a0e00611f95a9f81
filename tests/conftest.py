"""What every test gets: a screen to draw on, reproducible examples, and a check that it cleans up."""

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

# Matrices in tests are small: threads for them wait in a loop, for longer than the matrices take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["QT_API"] = "pyside6"  # read by qtpy, which superqt and vispy import
if sys.platform == "linux":
    os.environ["QT_QPA_PLATFORM"] = "xcb"  # Xvfb, not the developer's Wayland session
    # Mesa draws small pictures sooner than its threads agree on who does; workers keep the other processors busy.
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
"""What a test leaves may be gone by then, on a machine that has much else to do; it is not waited for when it is."""
FULL_EVERY = 300
"""Searches for garbage after which it is looked for among all objects, and not only among the youngest."""
MANY_OBJECTS = 10_000
"""Young objects among which garbage is looked for: few enough to lie in the processor's cache still, more than most
tests leave."""

settings.register_profile("fabriscope", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("fabriscope")


# Two workers and the programs that tests start, a hundred of them, would each compile all modules anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# On a machine that has compiled nothing yet a test is no slower to read for it.
compiling.SHOW_AFTER = 1e6


def pytest_configure():
    # What a shell starts in the background is deaf to Ctrl-C, and so would be every program that a test interrupts.
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
    # One more than processors: some tests wait, for a picture, a timer, or a program that they have started.
    return len(os.sched_getaffinity(0)) + 1 if sys.platform == "linux" else (os.cpu_count() or 1) + 1


def pytest_xdist_setupnodes(config):
    """Compile the modules of a fresh clone once, half of them on each of two processors: each worker would do all."""
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
    # What waits for pictures or programs begins first: at the end there would be nothing else to do meanwhile.
    items.sort(key=lambda item: item.path.parent not in (TESTS, TESTS / "app" / "tools"))


def pytest_collection_finish(session):
    # Where tests are only handed out there is no collection.
    plugins = session.config.pluginmanager
    plugins.register(Watch(plugins.getplugin("capturemanager")))
    # What the imports have made stays: to look for garbage among it again and again takes a third of the time.
    gc.collect()
    gc.freeze()
    # Python collects in whichever thread makes one object too many, also in one of xdist's or of the program, and there
    # destroys windows of earlier tests (see app/garbage.py): from here on in this thread alone, between two tests.
    gc.disable()


def pytest_runtest_logfinish():
    # Where tests are only handed out it is enabled.
    if gc.isenabled() or gc.get_count()[0] < MANY_OBJECTS:
        return
    # What a test has made is young still: older garbage, for which all is looked through, can wait.
    if gc.get_count()[2] < FULL_EVERY:
        gc.collect(1)
        return
    gc.collect()
    gc.freeze()  # what is left are mostly modules and caches


class PatientBot(QtBot):
    """Waits for what a test means to happen as long as that takes: the plain one gives up after five seconds."""

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
    """Every QTimer started from Python since the first test that asked, as long as it lives."""
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
    """Destroy what was to be deleted later, windows of several megabytes among them.

    vispy has put a qWait of its own in place of Qt's, which forgets them.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def let_buttons_go():
    """Make Qt's tests forget a button that was let go elsewhere, or not at all: the next press would hold it too."""
    QTest.mouseRelease(QWidget(), Qt.MouseButton.LeftButton)


@pytest.fixture(autouse=True)
def nothing_left_behind(request):
    """Fail the test that leaves a window open, a timer ticking or a thread running.

    What a fixture of wider scope had open before stays its own business. Deferred deletes, trailing throttles
    and threads that were told to stop get a moment to finish.
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
        let_buttons_go()
        delete_deferred()
    started = time.monotonic()
    while left() and time.monotonic() < started + GRACE_SECONDS:
        if uses_qt:
            patience.wait(20)
            delete_deferred()
        else:
            time.sleep(0.02)
        # Most of what is left goes by itself, and sooner than garbage is found.
        if time.monotonic() > started + 0.25 and left():
            gc.collect()
    leaks = left()
    described = {kind: [str(item) for item in items] for kind, items in leaks.items()}
    # The next test starts clean all the same.
    for window in leaks.get("windows", ()):
        window.hide()
    for timer in leaks.get("timers", ()):
        timer.stop()
    assert not described, f"left behind: {described}"
