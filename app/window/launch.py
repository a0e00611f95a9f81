"""Starting the window: an empty frame at once, the views as soon as they are imported."""

import gc
import sys
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

if TYPE_CHECKING:
    from app.model.scenes import Tour
    from app.model.state import Baseline
    from app.session.evaluation import EditableEvaluation
    from core.spec import Progress

BACKGROUND_MS = 2000
"""Time after the window is shown until garbage is collected again, and kernels are loaded for later."""


def open_window(path: Path | None) -> int:
    """Run the program with a window on a scenario file, a preset, or the worked example; return the exit status.

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
    # Imports make half a million objects that all stay: searching them for garbage takes a tenth of the start.
    gc.disable()
    starter = _Starter(frame, path)
    QTimer.singleShot(0, starter.begin)
    status = application.exec()
    starter.close()
    if starter.error is not None:
        raise starter.error
    from app.background.worker import leave

    return leave(status)


class First(NamedTuple):
    """What the window opens with: an evaluated scenario, and the baseline of its throughput."""

    result: "EditableEvaluation"
    before: "Baseline | None"
    tour: "Tour | None" = None
    """The tour named in place of a scenario."""


class _Starter:
    """Evaluates the scenario off the GUI thread, which imports the window meanwhile, and then opens it."""

    def __init__(self, frame: QMainWindow, path: Path | None) -> None:
        self.frame, self.path = frame, path
        self.error: Exception | None = None
        self.window: QMainWindow | None = None
        from app.background.latest_wins import Runner

        self._runner = Runner("first", self._open, self._end, self._show_progress, takes=Exception, parent=frame)

    def begin(self) -> None:
        """Read the scenario and evaluate it."""
        self._runner.request(partial(first, self.path))
        # Imports take as long as the evaluation, so both run in parallel.
        from app.model.view_table import VIEWS
        from app.views.view import view_class

        for view in VIEWS:
            view_class(view)

    def _show_progress(self, fraction: float) -> None:
        label = self.frame.centralWidget()
        assert isinstance(label, QLabel)
        label.setText(f"Fabriscope · computing the loads: {fraction:.0%}")

    def _open(self, found: First) -> None:
        try:
            self.window = make_window(self.path, found)
            self.window.show()
            QTimer.singleShot(BACKGROUND_MS, start_background_work)
            self._end()
        except Exception as error:
            self._end(error)

    def close(self) -> None:
        """Stop evaluating because the frame was closed."""
        self._runner.close()

    def _end(self, error: Exception | None = None) -> None:
        self.error = error
        self.frame.close()
        if error is not None:
            QApplication.exit(1)


def first(path: Path | None, progress: "Progress") -> First:
    """Return a scenario file, a preset or the worked example, evaluated; loads the kernels of the views too.

    Raises SpecError: if the file is no scenario. Raises Cancelled: when `progress` does.
    """
    from app.model.state import baseline_of
    from app.session.evaluation import evaluate_for_editing
    from app.storage.presets import names_preset, preset, worked_example
    from core.files import read_scenario
    from core.load.evaluate import evaluate
    from core.mapping import Sequential

    tour = _tour(path)
    if path is None or tour is not None:
        scenario = worked_example()
    else:
        scenario = preset(str(path)) if names_preset(path) else read_scenario(path)
    result = evaluate_for_editing(scenario, None, progress)
    before = None
    if path is None:
        report = evaluate(scenario.with_choice("mapping", Sequential()).build(result.evaluation.case))
        before = baseline_of(report, scenario)
    load_view_kernels()
    return First(result, before, tour)


def _tour(path: Path | None) -> "Tour | None":
    """Return the tour in a file, or the one of that name; None: the path is a scenario's.

    Raises SpecError: if it is a tour file, but invalid.
    """
    from app.storage.tours import SUFFIX, tour_content, tour_names
    from app.tour.tour_file import decode_tour, read_tour

    if path is None:
        return None
    if path.name.endswith(SUFFIX):
        return read_tour(path)
    return decode_tour(tour_content(str(path))) if not path.exists() and str(path) in tour_names() else None


def make_window(path: Path | None, found: First) -> QMainWindow:
    """Return the window on a scenario file that was evaluated, or on the worked example."""
    from app.session.session import Session
    from app.storage.presets import names_preset
    from app.storage.settings import Settings
    from app.window.main_window import Window

    session = Session(found.result, found.before)
    settings = Settings()
    window = Window(session, settings)
    if found.tour is not None:
        session.tours.open(found.tour, path if path is not None and path.exists() else None, saved=found.tour)
        session.presentation.go(0)
    elif path is not None and not names_preset(path):
        session.opened(path)
        settings.add_recent(path)
    return window


def _spare_features() -> None:
    # Qt for Python scans the source of each imported module, a thousand in all, for `from __feature__ import
    # snake_case`, which takes a tenth of the start. None uses it.
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None:
        feature.__dict__["_mod_uses_pyside"] = lambda module: False


def start_background_work() -> None:
    """Collect garbage in the GUI thread only from now on, and load in the background what is needed later."""
    from app.background.garbage import Collector

    gc.freeze()
    application = QApplication.instance()
    assert application is not None
    Collector(application)
    Thread(target=load_more_kernels, name="more kernels", daemon=True).start()


def load_view_kernels() -> None:
    """Load the kernels of drawing and picking, which the GUI thread calls and must not wait for."""
    import numpy as np

    from app.storage.presets import preset
    from app.views.machine.geometry import LinkShading, MachineGeometry
    from app.views.machine.picker import load_picking_kernels
    from app.views.reduce import under_pixels

    network = preset("power775-smallest").network.build()
    LinkShading(MachineGeometry(network), np.zeros(network.links))
    edges = np.arange(2)
    under_pixels(np.zeros((1, 1), np.float32), edges, edges, 0.0)
    under_pixels(np.zeros((1, 1), np.bool_), edges, edges, 0.0)
    load_picking_kernels()


def load_more_kernels() -> None:
    """Load the kernels of edits and of a network's metrics."""
    from app.storage.presets import preset
    from core.load.compare import difference
    from core.load.evaluate import evaluate
    from core.load.live import LiveLoads
    from core.network.metrics.metrics import measure

    report = evaluate(preset("power775-smallest").build())
    difference(LiveLoads(report).report(), report).strongest(1)
    measure(report.case.network)


def _frame(colour: str, text: str) -> QMainWindow:
    from app.window.first_size import first_size

    frame = QMainWindow()
    frame.setWindowTitle("Fabriscope")
    frame.resize(first_size(QApplication.primaryScreen()))
    palette = frame.palette()
    palette.setColor(QPalette.ColorRole.Window, QColor(colour))
    frame.setPalette(palette)
    label = QLabel("Fabriscope")
    label.setStyleSheet(f"color: {text}; font-size: 22px; padding: 40px")
    frame.setCentralWidget(label)
    return frame
