"""Nothing that carries meaning is cut, at 1280 x 800 and at 200 % type, on machines of different kinds."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QHeaderView, QLabel, QLineEdit

from app.panels.bottleneck.class_bars import ClassBars
from app.storage.presets import preset, worked_example
from app.widgets.combo_box import ComboBox
from app.widgets.labels import ElidedLabel
from app.widgets.number_box import NumberBox
from app.window.dock_widths import SETTLED_MS
from tests import patience
from tests.app.conftest import window_for_many
from tests.app.window.reading import SLACK, cut_off, seen, words

SCENARIOS = {
    "worked example": worked_example,
    "training": lambda: preset("training-1024-gpus"),
    "torus": lambda: preset("torus-8x8x8-halo"),
}
SIZES = [(1280, 800, 1.0), (1600, 1000, 2.0)]
MIN_BAR_PX = 40
MAY_BE_CUT = ("File",)
"""Fields of paths, which have no limit."""


@pytest.fixture(scope="module", params=SCENARIOS)
def opened(qapp, started_timers, tmp_path_factory, request):
    with window_for_many(tmp_path_factory.mktemp("whole"), SCENARIOS[request.param]()) as (window, _):
        window.setUpdatesEnabled(False)
        window.resize(1280, 800)
        window.show()
        yield window


def sized(window, width, height, scale):
    window.set_font_scale(scale)
    window.resize(width, height)
    patience.wait(2 * SETTLED_MS)
    assert (window.width(), window.height()) == (width, height)


def cut_in(widget):
    """Return the text of a widget that is cut, or an empty text."""
    if isinstance(widget, ElidedLabel | ComboBox):
        # Without its last parts a text is shorter, not cut.
        text = widget.text() if isinstance(widget, ElidedLabel) else widget.currentText()
        return widget.shown if "…" in widget.shown and "…" not in text else ""
    if isinstance(widget, QLineEdit) and words(widget) not in MAY_BE_CUT:
        wide = widget.fontMetrics().horizontalAdvance(widget.text() or widget.placeholderText())
        margins = widget.textMargins()
        return words(widget) if wide > widget.width() - margins.left() - margins.right() + SLACK else ""
    if isinstance(widget, NumberBox):
        return ", ".join(unit.text() for unit in widget.findChildren(QLabel) if unit.isHidden())
    if isinstance(widget, QHeaderView) and widget.orientation() == Qt.Orientation.Horizontal:
        return ", ".join(filter(None, (cut_head(widget, section) for section in range(widget.count()))))
    if isinstance(widget, ClassBars):
        return "class bars" if widget.bars and widget.track(0).width() < MIN_BAR_PX else ""
    return ""


def cut_head(head, section):
    title = str(head.model().headerData(section, Qt.Orientation.Horizontal) or "")
    wide = head.fontMetrics().horizontalAdvance(title)
    return title if not head.isSectionHidden(section) and wide > head.sectionSize(section) else ""


def cut_texts(window):
    own = [f"{type(widget).__name__} {cut_in(widget)}" for widget in seen(window) if cut_in(widget)]
    return own + cut_off(window)


@pytest.mark.parametrize(("width", "height", "scale"), [*SIZES, (1280, 800, 1.5)])
def test_no_text_is_clipped(opened, width, height, scale):
    sized(opened, width, height, scale)
    assert "\n".join(cut_texts(opened)) == ""


@pytest.mark.parametrize(("width", "height", "scale"), SIZES)
def test_panels_scroll_in_one_direction_only(opened, width, height, scale):
    sized(opened, width, height, scale)
    for panel in (opened.build, opened.bottleneck):
        for area in panel.findChildren(QAbstractScrollArea):
            assert not area.isVisible() or area.horizontalScrollBar().maximum() == 0


def test_what_to_move_is_visible_at_1280_by_800(opened, qtbot):
    sized(opened, 1280, 800, 1.0)
    swaps = opened.bottleneck.swaps
    opened.session.advisor.search()
    qtbot.waitUntil(lambda: opened.session.advisor.current is not None, timeout=20_000)
    patience.wait(100)
    *_, last = (swaps.note, *(row for row in swaps.rows[:3] if not row.isHidden()))
    area = opened.bottleneck.findChildren(QAbstractScrollArea)[0].viewport()
    assert last.mapTo(area, QPoint(0, last.height())).y() <= area.height()
