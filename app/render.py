"""Pictures without a window: what `fabriscope render` and a machine without a screen use."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.load.scenario import Scenario

if TYPE_CHECKING:
    from app.export import Paint
    from app.session import Session
    from app.views.view import View


def render_file(scenario: Scenario, view: str, out: Path, size: tuple[int, int], theme: str) -> None:
    """Draw one view of a scenario into a picture.

    Raises SpecError: if the scenario cannot be built or the picture not be written.
    """
    from PySide6.QtWidgets import QApplication

    if QApplication.instance() is None and sys.platform.startswith("linux"):
        # No OpenGL and no screen is needed: the painters draw in memory.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # Held until the end: without an application no font can be measured.
    application = QApplication.instance() or QApplication(sys.argv[:1])
    from app.export import save_picture
    from app.session import Session
    from app.theme import THEMES

    session = Session(scenario, theme=THEMES[theme], sync=True)
    try:
        if session.state.error is not None:
            raise session.state.error
        save_picture(out, size, session.state.theme, _painter_of(view, session, size))
    finally:
        session.close()
    del application


def _painter_of(view: str, session: "Session", size: tuple[int, int]) -> "Paint":
    if view == "machine":
        from app.views.machine.paint import paint_machine

        return lambda painter, area: paint_machine(painter, area, session.state)
    from app.views.job_grid import JobGridView
    from app.views.matrices import BundleMatrixView

    widgets: dict[str, Callable[[Session], View]] = {"job": JobGridView, "matrix": BundleMatrixView}
    widget = widgets[view](session)
    widget.resize(*size)
    widget.catch_up()
    return widget.paint_to
