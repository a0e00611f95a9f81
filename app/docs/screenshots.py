"""Pictures of the window for the tutorials: each opens a scenario, uses the window as a reader would, and draws it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget

from app.cli.scenario_argument import scenario_named
from app.model.pointing import Item
from app.session.session import Session
from app.storage.settings import Settings
from app.storage.tours import START, tour_content
from app.style.theme import LIGHT, THEMES
from app.tools.paint import PaintTool
from app.tour.tour_file import decode_tour
from app.window.main_window import Window
from core.figures.evaluation import evaluation_of
from core.files import write_scenario
from core.load.bounds import bounds
from core.mapping.targets import Target
from core.network.faults import LinkFault, with_fault
from core.text import figure

SIZE = 1280, 800
"""Size of the window, in pixels."""
STAGE = 1280, 720
BRUSH = 8
"""Side of the brush, in tasks."""
QUIET = 0.5
"""Time in which the window finishes drawing, in seconds of processor time."""
Use = Callable[[Window, Path], QWidget]
"""Uses the window, in a folder, and returns the widget to draw."""


@dataclass(frozen=True)
class Shot:
    """A picture of the window."""

    scenario: str
    """The scenario that it opens: a preset, or a file of the tutorial."""
    use: Use


def take(name: str, folder: Path, out: Path) -> str:
    """Draw a picture in all themes into ``out/NAME-THEME.png``; return the figures that the window shows."""
    shot = SHOTS[name]
    scenario = scenario_named(folder / shot.scenario if (folder / shot.scenario).exists() else Path(shot.scenario))
    session = Session.of(scenario, theme=LIGHT, sync=True)
    with _window(session) as window:
        widget = shot.use(window, folder)
        for theme in THEMES:
            window.set_theme(theme)
            _settle()
            widget.grab().save(str(out / f"{name}-{theme}.png"))
        if widget is not window:
            widget.close()
        return _figures(session)


@contextmanager
def _window(session: Session) -> Iterator[Window]:
    with TemporaryDirectory() as folder:
        settings = Settings(QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat), Path(folder) / "copies")
        window = Window(session, settings)
        window.steps.close_button.click()
        window.resize(*SIZE)
        window.show()
        _settle()
        try:
            yield window
        finally:
            session.saved(Path(folder), session.state.wanted)  # else it would ask
            window.close()


def _settle() -> None:
    # Processor time, since a busy machine draws later.
    end = time.process_time() + QUIET
    while time.process_time() < end:
        QApplication.processEvents()


def _figures(session: Session) -> str:
    report = session.state.report
    result = evaluation_of(report, bounds(report.case, report))
    values = (result.throughput_gbs, result.bound_gbs, result.percent_of_bound, result.hottest_links)
    return " ".join(figure(value) for value in values if value is not None)


def _opened(window: Window, folder: Path) -> QWidget:
    return window


def _painted(window: Window, folder: Path) -> QWidget:
    """Paint the first eight columns of the grid onto a supernode."""
    _paint(window, 0)
    return window


def _all_painted(window: Window, folder: Path) -> QWidget:
    """Paint eight columns onto each supernode, compare with the start, and save the mapping."""
    window.commands["compare.pin"].trigger()
    for supernode in range(window.session.state.evaluation.case.network.levels[0].count):
        _paint(window, supernode)
    window.commands["tool.select"].trigger()
    write_scenario(folder / BY_HAND, window.session.state.wanted)
    return window


def _paint(window: Window, supernode: int) -> None:
    session, tool = window.session, PaintTool(window.session, window.job)
    rows, _ = session.state.evaluation.case.job.shape
    window.commands["tool.paint"].trigger()
    session.set_brush(BRUSH)
    session.set_target(Target(0, supernode))
    column = (supernode + 0.5) * BRUSH
    tool.begin((BRUSH / 2, column))
    tool.draw_to((rows - BRUSH / 2, column))
    tool.end()


def _presented(window: Window, folder: Path) -> QWidget:
    """Present a scene of the first tour."""
    tour = decode_tour(tour_content(START))
    window.session.tours.open(tour, None, saved=tour)
    window.session.presentation.go(1)
    window.present(full=False)
    stage = window.touring.stage
    assert stage is not None
    stage.resize(*STAGE)
    _settle()
    return stage


def _choosing(window: Window, folder: Path) -> QWidget:
    """Open the network chooser."""
    window.commands["network.choose"].trigger()
    _settle()
    popup = QApplication.activePopupWidget() or window.findChild(QWidget, "network-chooser")
    assert popup is not None
    return popup


def _failed(window: Window, folder: Path) -> QWidget:
    """Pin the state as A, fail the hottest D link, and select it."""
    session = window.session
    window.commands["compare.pin"].trigger()
    report = session.state.report
    network = report.case.network
    of_class = np.flatnonzero(network.class_of == [c.name for c in network.classes].index("D"))
    link = int(of_class[np.argmax(report.load[of_class])])
    fault = LinkFault.of(network, link, 0.0)
    session.propose(replace(session.state.wanted, faults=with_fault(session.state.wanted.faults, fault)))
    return window


def _caused(window: Window, folder: Path) -> QWidget:
    """Select the hottest link."""
    window.session.select(Item("link", int(window.session.state.report.bottleneck_links[0])))
    window.show_page("traffic")
    return window


def _measured(window: Window, folder: Path) -> QWidget:
    """List the links whose counters differ from the prediction."""
    window.commands["view.residual"].trigger()
    window.show_page("measured")
    return window


HALO, BY_HAND, STENCIL = "halo.fabriscope.json", "by-hand.fabriscope.json", "stencil.fabriscope.json"
"""Files of the tutorials."""
SHOTS = {
    "start": Shot("power775-halo", _opened),
    "window": Shot(HALO, _opened),
    "painted": Shot(HALO, _painted),
    "by-hand": Shot(HALO, _all_painted),
    "stage": Shot("power775-halo", _presented),
    "networks": Shot("power775-halo", _choosing),
    "failed": Shot("power775-halo", _failed),
    "causes": Shot(STENCIL, _caused),
    "measured": Shot("infiniband-slow-fabric", _measured),
}
"""By the name of the picture."""
