"""Elided labels."""

import pytest
from PySide6.QtGui import QFontMetrics

from app.widgets.labels import ElidedLabel, PartsLabel


@pytest.mark.parametrize("kind", [ElidedLabel, PartsLabel])
def test_an_elided_text_fits_within_the_padding_of_the_style_sheet(qtbot, kind):
    label = kind("a text that is far too long · for its label")
    qtbot.addWidget(label)
    label.setStyleSheet("padding: 1px 20px;")
    label.resize(160, 20)
    label.show()
    assert label.shown.endswith("…")
    assert QFontMetrics(label.font()).horizontalAdvance(label.shown) <= 120
