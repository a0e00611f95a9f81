"""Sessions that answer at once, views on the screen, and what is seen of them."""

import pytest
from PySide6.QtCore import QPoint, QPointF

from app.session import Session
from app.theme import DARK


@pytest.fixture
def session_of(qapp):
    made = []

    def make(scenario, theme=DARK):
        made.append(Session(scenario, theme=theme, sync=True))
        assert made[-1].state.error is None
        return made[-1]

    yield make
    for session in made:
        session.close()


@pytest.fixture
def shown(qtbot):
    def show(view, width=340, height=340):
        qtbot.addWidget(view)
        view.resize(width, height)
        view.show()
        qtbot.waitExposed(view)
        return view

    return show


def text_of(view):
    """What the line below a heatmap says."""
    return "".join(run.text for run in view.readout(view.case))


def colour_at(widget, where):
    at = where.toPoint() if isinstance(where, QPointF) else QPoint(*where)
    return widget.grab().toImage().pixelColor(at).name()
