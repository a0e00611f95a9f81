"""Starting the window: a frame at once, the views as soon as they are imported."""

import gc
import sys
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

SETTLED = 2000
"""Milliseconds after which the window is there: memory is looked after again, and what may be asked for next loaded."""


def open_window(path: Path | None) -> int:
    """Run the program with a window on a scenario file, or on the worked example; return the exit status.

    Raises SpecError: if the file is no scenario.
    """
    _spare_features()
    from app.style.theme import DARK

    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Fabriscope")
    frame = _frame(DARK.window, DARK.dim)
    frame.show()
    application.processEvents()
    # Importing makes half a million objects that all stay: looking for garbage among them costs a tenth of the start.
    gc.disable()
    starter = _Starter(frame, path)
    QTimer.singleShot(0, starter.furnish)
    status = application.exec()
    if starter.error is not None:
        raise starter.error
    return status


class _Starter:
    """Replaces the empty frame by the window."""

    def __init__(self, frame: QMainWindow, path: Path | None) -> None:
        self.frame, self.path = frame, path
        self.error: Exception | None = None
        self.window: QMainWindow | None = None

    def furnish(self) -> None:
        """Read the scenario, open the window over the frame, drop the frame."""
        try:
            self.window = make_window(self.path)
            self.window.show()
            QTimer.singleShot(SETTLED, _settle)
        except Exception as error:
            self.error = error
            QApplication.exit(1)
        self.frame.close()


def make_window(path: Path | None) -> QMainWindow:
    """Return the window on a scenario file, or on the worked example.

    Raises SpecError: if the file is no scenario.
    """
    # The compiled kernels take as long to load as all of Qt: do it beside.
    kernels = Thread(target=_load_kernels, name="kernels", daemon=True)
    kernels.start()
    from app.session.session import Session
    from app.storage.presets import worked_example
    from app.storage.settings import Settings
    from app.window.main_window import Window
    from core.files import read_scenario
    from core.mapping import Sequential

    scenario = read_scenario(path) if path is not None else worked_example()
    if path is not None:
        scenario.build()  # refused here it is one line on the terminal, not an empty window
    against = scenario.with_choice("mapping", Sequential()) if path is None else None
    # What draws and is pointed at calls compiled code in the GUI thread, which must not wait for the compiler.
    session = Session(scenario, against=against, awaited=kernels.join)
    settings = Settings()
    window = Window(session, settings)
    if path is not None:
        session.opened(path)
        settings.add_recent(path)
    return window


def _spare_features() -> None:
    # Qt for Python reads the source of each of a thousand modules that are imported, for whether it asks for other
    # names of Qt's methods (`from __feature__ import snake_case`): a tenth of the start. None does.
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None:
        feature.__dict__["_mod_uses_pyside"] = lambda module: False


def _settle() -> None:
    from app.background.garbage import Collector

    gc.freeze()
    application = QApplication.instance()
    assert application is not None
    Collector(application)
    Thread(target=_load_more_kernels, name="more kernels", daemon=True).start()


def _load_kernels() -> None:
    # What the first picture and the pointer need, and no more: the answer has to wait for all that is loaded here.
    import numpy as np

    from app.storage.presets import preset
    from core.load.evaluate import evaluate
    from core.load.live import LiveLoads

    report = evaluate(preset("power775-smallest").build())
    LiveLoads(report)
    # Only now: the GUI thread is importing the same.
    from app.views.machine.picker import load_kernels
    from app.views.machine.plan import Heat, Plan
    from app.views.reduce import any_under_pixels, under_pixels

    Heat(Plan(report.case.network), report.relative)
    edges = np.arange(2)
    under_pixels(np.zeros((1, 1), np.float32), edges, edges, 0.0)
    any_under_pixels(np.zeros((1, 1), np.bool_), edges, edges)
    load_kernels()


def _load_more_kernels() -> None:
    # What an edit and the figures of a network need.
    from app.storage.presets import preset
    from core.load.compare import difference
    from core.load.evaluate import evaluate
    from core.load.live import LiveLoads
    from core.network.metrics.metrics import measure

    report = evaluate(preset("power775-smallest").build())
    difference(LiveLoads(report).report(), report).strongest(1)
    measure(report.case.network)


def _frame(colour: str, text: str) -> QMainWindow:
    frame = QMainWindow()
    frame.setWindowTitle("Fabriscope")
    screen = QApplication.primaryScreen().availableGeometry()
    frame.resize(min(1600, screen.width()), min(1000, screen.height()))
    palette = frame.palette()
    palette.setColor(QPalette.ColorRole.Window, QColor(colour))
    frame.setPalette(palette)
    label = QLabel("Fabriscope")
    label.setStyleSheet(f"color: {text}; font-size: 22px; padding: 40px")
    frame.setCentralWidget(label)
    return frame
