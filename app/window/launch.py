"""Starting the window: an empty frame at once, the views as soon as they are imported."""

import gc
import sys
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QVBoxLayout, QWidget

import resources

if TYPE_CHECKING:
    from app.model.performance import Baseline
    from app.model.scenes import Tour
    from app.session.evaluation import EditableEvaluation, Opened
    from core.load.scenario import Scenario
    from core.spec import Progress, SpecError

BACKGROUND_MS = 2000
"""Time after the window is shown until garbage is collected again, and kernels are loaded for later."""

PACKAGES = ("core.load.scenario", "core.load.bounds", "core.timing", "core.mapping.formats", "core.files")
"""Modules that import all packages which import their own modules."""
BAR_PX = 400
"""Width of the bar below the first words."""


def open_window(path: Path | None) -> int:
    """Run the program with a window on a scenario file, a preset, or the worked example; return the exit status.

    A file that cannot be opened shows its error in the window.

    Raises SpecError: if the file does not exist.
    """
    _spare_features()
    from app.style.theme import DARK

    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Fabriscope")
    application.setDesktopFileName("fabriscope")
    application.setWindowIcon(app_icon())
    frame = _frame(DARK.window, DARK.dim)
    frame.show()
    application.processEvents()
    # Imports create half a million permanent objects: searching them for garbage takes a tenth of the start.
    gc.disable()
    starter = _Starter(frame, path)
    QTimer.singleShot(0, starter.begin)
    status = application.exec()
    starter.close()
    if starter.error is not None:
        raise starter.error
    from app.background.worker import leave

    return leave(status)


def app_icon() -> QIcon:
    """Return the icon of the program."""
    return QIcon(str(files(resources) / "desktop" / "fabriscope.svg"))


class First(NamedTuple):
    """The contents with which the window opens."""

    result: "EditableEvaluation"
    """The result on screen."""
    before: "Baseline | None" = None
    """The baseline of its throughput."""
    work: "Scenario | Tour | None" = None
    """The scenario or tour to open; None for the worked example."""
    content: bytes = b""
    """The content of its file; empty without a file."""
    opened: "Opened | None" = None
    """The part of an opened scenario that can be shown."""
    error: "SpecError | None" = None
    """Why the file cannot be opened; None if it can."""


class _Starter:
    """Evaluates the scenario off the GUI thread, which meanwhile imports the window, and then opens it."""

    def __init__(self, frame: QMainWindow, path: Path | None) -> None:
        self.frame, self.path = frame, path
        self.error: Exception | None = None
        self.window: QMainWindow | None = None
        from app.background.compiling import CompilingWatch
        from app.background.latest_wins import Runner
        from app.style.theme import DARK
        from app.widgets.progress_bar import ActivityBar

        self._theme, self._bar = DARK, ActivityBar()
        self._bar.setFixedWidth(BAR_PX)
        self._fraction = 0.0
        self._preparing = CompilingWatch(frame)
        self._preparing.changed.connect(self._show)
        self._runner = Runner("first", self._open, self._end, self._show_progress, takes=Exception, parent=frame)

    def begin(self) -> None:
        """Read the scenario and evaluate it."""
        # In Python 3.11 a thread that imports such a package and another that imports its module can block each other.
        for package in PACKAGES:
            import_module(package)
        self._runner.request(partial(first, self.path))
        # Imports take as long as the evaluation, so both run in parallel.
        from app.model.view_table import VIEWS
        from app.views.view import view_class

        for view in VIEWS:
            view_class(view)

    def _show_progress(self, fraction: float) -> None:
        self._fraction = fraction
        self._show()

    def _show(self) -> None:
        from app.background.compiling import FIRST_USE

        centre, preparing = self.frame.centralWidget(), self._preparing.active
        assert centre is not None
        label, layout = centre.findChild(QLabel), centre.layout()
        assert label is not None
        assert isinstance(layout, QVBoxLayout)
        fraction = self._fraction if 0 < self._fraction < 1 and not preparing else 0.0
        share = f" {100 * fraction:.0f} %" if fraction else ""
        label.setText(f"Fabriscope · {FIRST_USE if preparing else f'Computing loads …{share}'}")
        if self._bar.parentWidget() is None:
            layout.insertWidget(2, self._bar)
        self._bar.show_fraction(fraction, self._theme)

    def _open(self, opening: First) -> None:
        try:
            from app.widgets.layouts import lay_out

            self.window = make_window(self.path, opening)
            self.window.show()
            lay_out()
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
    """Return the contents of the window: a scenario file, a tour, a preset, or the worked example, evaluated.

    Loads the kernels of the views too.

    Raises SpecError: if the file does not exist. Raises Cancelled: when `progress` does.
    """
    opening = _first_of_file(path, progress) if path is not None else _worked_example(progress)
    load_view_kernels()
    return opening


def _worked_example(progress: "Progress") -> First:
    """Return the worked example, compared with its tasks in sequence."""
    from app.model.performance import baseline_of
    from app.session.evaluation import evaluate_for_editing
    from app.storage.presets import worked_example
    from core.load.evaluate import evaluate
    from core.mapping import Sequential

    scenario = worked_example()
    result = evaluate_for_editing(scenario, None, progress)
    report = evaluate(scenario.with_choice("mapping", Sequential()).build(result.evaluation.case))
    return First(result, baseline_of(report, scenario))


def _first_of_file(path: Path, progress: "Progress") -> First:
    from app.model.state import FILE
    from app.session.evaluation import evaluate_opened, unopened
    from app.session.internal_error import as_refusal
    from core.load.scenario import Scenario

    content = _content(path)
    try:
        work = _work(path, content)
    except Exception as error:
        return _worked_example(progress)._replace(error=unopened(path, as_refusal(error, FILE)))
    opened = evaluate_opened(work, None, progress) if isinstance(work, Scenario) else None
    if opened is not None and opened.result is not None:
        return First(opened.result, None, work, content, opened)
    return _worked_example(progress)._replace(before=None, work=work, content=content, opened=opened)


def _content(path: Path) -> bytes:
    """Return the content of a file; empty for the name of a preset or of a tour that comes with the program.

    Raises SpecError: if the file does not exist, or cannot be read.
    """
    from app.storage.presets import names_preset
    from app.storage.tours import names_shipped_tour
    from core.files.regular import regular
    from core.files.scenario_file import content_of

    return b"" if names_preset(path) or names_shipped_tour(path) else content_of(regular(path))


def _work(path: Path, content: bytes) -> "Scenario | Tour":
    """Return the scenario or tour in the content of a file, or the preset or tour of that name.

    Raises SpecError: if it is neither.
    """
    from app.storage.presets import names_preset, preset
    from app.storage.tours import SUFFIX, names_shipped_tour, tour_content
    from app.tour.tour_file import decode_tour
    from core.files import decode

    if names_preset(path):
        return preset(str(path))
    if names_shipped_tour(path):
        return decode_tour(tour_content(str(path)))
    return decode_tour(content, path.parent) if path.name.endswith(SUFFIX) else decode(content, path.parent)


def make_window(path: Path | None, opening: First) -> QMainWindow:
    """Return the window on the first contents."""
    from app.model.scenes import Tour
    from app.session.session import Session
    from app.storage.settings import Settings
    from app.window.main_window import Window

    session = Session(opening.result, opening.before)
    settings = Settings()
    window = Window(session, settings)
    work, opened, file = opening.work, opening.opened, path if opening.content else None
    if isinstance(work, Tour):
        session.tours.open(work, file, saved=work)
        session.presentation.go(0)
    elif work is not None and opened is not None and opened.error is not None:
        session.editing.show_opened(work, file, work, opened)
    elif file is not None and work is not None:
        session.opened(file)
    if file is not None and work is not None:
        window.files.disk.note(file, opening.content)
        settings.add_recent(file)
    if opening.error is not None:
        session.report_error(opening.error)
    return window


def _spare_features() -> None:
    # Qt for Python scans the source of each imported module, a thousand in all, for `from __feature__ import
    # snake_case`, which takes a tenth of the start. No module uses it.
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None:
        feature.__dict__["_mod_uses_pyside"] = lambda module: False


def start_background_work() -> None:
    """From now on collect garbage only in the GUI thread, and load in the background the modules needed later."""
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
    label, centre = QLabel("Fabriscope"), QWidget()
    label.setStyleSheet(f"color: {text}; font-size: 22px")
    layout = QVBoxLayout(centre)
    layout.setContentsMargins(40, 40, 40, 40)
    layout.addStretch(1)
    layout.addWidget(label)
    layout.addStretch(1)
    frame.setCentralWidget(centre)
    return frame
