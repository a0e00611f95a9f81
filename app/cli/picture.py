"""Pictures without a window, for `render` and for machines without a display."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.view_table import SPECS
from app.style.colour import ColourScale
from core.figures.resilience import FailureCurve
from core.files.digest import source_of
from core.load.scenario import Scenario
from core.spec import Progress, no_progress

if TYPE_CHECKING:
    from app.session.session import Session
    from app.storage.pictures import Paint

HOTTEST_SCALE = ColourScale()
"""The colour scale whose top is the hottest link."""
CURVES_SIZE, PIXEL_RATIO = (960, 600), 2.0
"""Size of a picture of curves in logical pixels, and pixels per logical pixel of a PNG."""


def render_file(
    scenario: Scenario,
    view: str,
    out: Path,
    size: tuple[int, int],
    theme: str,
    scale: ColourScale = HOTTEST_SCALE,
    focus: str | None = None,
    form: str | None = None,
    progress: Progress = no_progress,
    begin: Callable[[], object] = object,
) -> None:
    """Draw a view of a scenario into a picture; of the machine, only the part named by `focus` if it is given.

    `form` is png, svg or pdf, by default taken from the ending of `out`. `progress` receives the progress of the loads,
    and `begin` is called when they are known and the drawing begins.

    Raises SpecError: if the scenario cannot be built, has no such part, or the picture cannot be written.
    """
    with offscreen():
        from app.session.session import Session
        from app.storage.pictures import save_picture
        from app.style.theme import THEMES

        session = Session.of(scenario, progress, theme=THEMES[theme], sync=True)
        begin()
        try:
            session.set_scale(scale)
            painter, theme_shown = _painter_of(view, session, size, focus), session.state.style.theme
            save_picture(out, size, theme_shown, painter, form=form, source=source_of(scenario))
        finally:
            session.close()


def save_curves(
    curves: Sequence[FailureCurve], out: Path, theme: str, *, relative: bool, source: str,
    size: tuple[int, int] = CURVES_SIZE,
) -> None:  # fmt: skip
    """Draw curves of throughputs after random failures into a picture; `relative` for different machines.

    `source` is recorded in the file. `size` is in logical pixels; a PNG has `PIXEL_RATIO` times as many.

    Raises SpecError: if the picture cannot be written.
    """
    with offscreen():
        from PySide6.QtGui import QGuiApplication

        from app.panels.what_if.chart import CurveChart
        from app.storage.pictures import save_picture
        from app.style.theme import THEMES

        chart = CurveChart()
        chart.dress(THEMES[theme], QGuiApplication.font())
        chart.show_curves(curves, relative=relative)
        save_picture(out, size, THEMES[theme], chart.paint_to, scale=PIXEL_RATIO, source=source)


@contextmanager
def offscreen() -> Iterator[None]:
    """Let painters and views draw in memory in the block, without OpenGL and without a display."""
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is None and sys.platform.startswith("linux"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # Keep a reference until the end, since measuring fonts needs an application.
    application = QApplication.instance() or QApplication(sys.argv[:1])
    yield
    del application


def _painter_of(view: str, session: "Session", size: tuple[int, int], focus: str | None) -> "Paint":
    if view == "machine":
        from app.model.parts import part_named
        from app.views.machine.paint import paint_machine

        part = part_named(focus, session.state.evaluation.case.network, "--focus") if focus is not None else None
        return lambda painter, area: paint_machine(painter, area, session.state, part=part)
    from app.views.view import view_class

    widget = view_class(SPECS[view])(session)
    widget.resize(*size)
    widget.catch_up()
    return widget.paint_to
