"""The first frame of the window: everything is where it stays."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QMenuBar, QSpinBox, QTableView

from app.style.theme import DARK
from app.widgets.layouts import lay_out
from app.window.dock_widths import SETTLED_MS
from app.window.main_window import Window
from tests.app.conftest import ask_nobody
from tests.app.sessions import session_on
from tests.patience import wait

PARTS = (QLabel, QSpinBox, QComboBox, QAbstractButton)
STILL_PX = 4
"""Nobody sees a smaller step."""


def places(window):
    return {
        part: (*part.mapTo(window, part.rect().topLeft()).toTuple(), *part.size().toTuple())
        for kind in PARTS
        for part in window.findChildren(kind)
        if part.isVisible()
    }


def test_everything_is_laid_out_before_the_first_frame(unshown):
    unshown.show()
    lay_out()
    first = places(unshown)
    wait(SETTLED_MS)
    final = places(unshown)
    moved = {
        part: (place, final.get(part))
        for part, place in first.items()
        if part not in final or max(abs(a - b) for a, b in zip(place, final[part], strict=True)) > STILL_PX
    }
    assert len(first) > 80
    assert not moved, str([(type(p).__name__, *v) for p, v in moved.items()])


def test_every_part_of_a_window_opened_with_large_type_uses_it(unshown_large):
    unshown_large.show()
    lay_out()
    expected = QApplication.font().pointSizeF()
    sizes = {
        type(part).__name__: part.font().pointSizeF()
        for kind in (*PARTS, QMenuBar, QTableView)
        for part in unshown_large.findChildren(kind)
        if part.isVisible()
    }
    assert len(sizes) > 8
    assert {name for name, size in sizes.items() if size < 0.8 * expected} == set()


@pytest.fixture
def unshown_large(qapp, scenario, settings, unadvised, painted, monkeypatch):
    ask_nobody(monkeypatch)
    settings.theme, settings.font_scale = "dark", 2.0
    window = Window(session_on(scenario, theme=DARK, sync=True), settings)
    yield window
    window.close()
    window.deleteLater()
