"""The legend: right numbers, right colours, and a mark if the scale is exceeded."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.storage.presets import preset, worked_example
from app.style.colour import ColourScale, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.legend import (
    LEGEND_HEIGHT,
    LEGEND_WIDTH,
    LegendOverlay,
    excess,
    heading,
    legend_rect,
    legend_ticks,
    paint_legend,
    top_text,
)
from tests.app.sessions import state_of, with_fields


def test_ticks_lie_where_the_scale_puts_them():
    assert legend_ticks(ColourScale()) == ((0.0, "0"), (0.5, "50 %"))
    scale = ColourScale(log=True)
    assert [text for _, text in legend_ticks(scale)] == ["0.1 %", "1 %", "10 %"]
    for place, text in legend_ticks(scale):
        assert scale.coordinate(float(text.split()[0]) / 100) == pytest.approx(place, abs=1e-6)


def test_the_heading_names_the_load_at_100_percent(qapp):
    state = state_of(worked_example())
    assert heading(state) == "Load ÷ bandwidth, relative to the hottest link"
    assert top_text(state) == "100 % = 62.5 ms per unit"
    frozen = with_fields(state, scale=ColourScale(frozen_time=0.05))
    assert heading(frozen).endswith("frozen state")
    assert top_text(frozen) == "100 % = 50 ms per unit"
    assert excess(state) == 0
    assert excess(frozen) == pytest.approx(1.25)
    phases = state_of(preset("training-1024-gpus"))
    assert phases.utilisation.max() < 1
    assert heading(phases) == "Load ÷ bandwidth, relative to the total time"


def painted(state):
    image = QImage(LEGEND_WIDTH + 20, LEGEND_HEIGHT + 20, QImage.Format.Format_RGB32)
    image.fill(QColor(state.style.theme.panel))
    painter = QPainter(image)
    paint_legend(painter, QRectF(10, 10, LEGEND_WIDTH, LEGEND_HEIGHT), state)
    painter.end()
    return image


def columns_with(image, colour):
    """Which columns contain a colour, approximately."""
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., 2::-1]
    away = np.abs(pixels.astype(int) - QColor(colour).getRgb()[:3]).max(axis=2)
    return np.flatnonzero((away < 12).any(axis=0)).tolist()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_bar_runs_from_the_coldest_to_the_hottest_colour(qapp, theme):
    state = with_fields(state_of(worked_example()), theme=theme)
    image = painted(state)
    table = lookup_table("heat", theme.dark)
    hot = columns_with(image, QColor(*table[-1].tolist()))
    middle = columns_with(image, QColor(*table[128].tolist()))
    assert 10 < min(middle) < max(middle) < max(hot) < LEGEND_WIDTH
    assert (min(middle) + max(middle)) / 2 == pytest.approx((10 + max(hot)) / 2, abs=8)


def test_exceeding_the_scale_is_marked(qapp):
    state = state_of(worked_example())
    assert not columns_with(painted(state), DARK.beyond)
    assert columns_with(painted(with_fields(state, scale=ColourScale(frozen_time=0.05))), DARK.beyond)


@pytest.mark.parametrize("scale", [ColourScale(), ColourScale(log=True), ColourScale(frozen_time=0.01)])
def test_nothing_leaves_the_rectangle(qapp, scale):
    image = painted(with_fields(state_of(worked_example()), scale=scale))
    background = QColor(DARK.panel)
    border = [(x, y) for x in range(image.width()) for y in (*range(8), *range(image.height() - 6, image.height()))]
    border += [(x, y) for y in range(image.height()) for x in (*range(8), *range(image.width() - 8, image.width()))]
    assert all(image.pixelColor(x, y) == background for x, y in border)


def test_overlay_draws_the_state_it_was_given(session_of, qtbot):
    session = session_of(worked_example())
    host = QWidget()
    qtbot.addWidget(host)
    overlay = LegendOverlay(session.state, host)
    before = overlay.grab().toImage()
    overlay.set_state(with_fields(session.state, theme=LIGHT))
    assert overlay.grab().toImage() != before


def test_the_legend_is_at_the_bottom_left():
    rect = legend_rect((600, 400))
    assert rect.left() < 20
    assert 380 < rect.bottom() < 400
