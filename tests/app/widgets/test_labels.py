"""Labels that elide or wrap their text."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel

from app.widgets.labels import ElidedLabel, PartsLabel, WholePartsLabel, message_label


@pytest.mark.parametrize("kind", [ElidedLabel, PartsLabel])
def test_an_elided_text_fits_within_the_padding_of_the_style_sheet(qtbot, kind):
    label = kind("a text that is far too long · for its label")
    qtbot.addWidget(label)
    label.setStyleSheet("padding: 1px 20px;")
    label.resize(160, 20)
    label.show()
    assert label.shown.endswith("…")
    assert QFontMetrics(label.font()).horizontalAdvance(label.shown) <= 120


def test_a_label_of_whole_parts_shows_no_part_of_its_first_part(laid_out):
    label = WholePartsLabel("128 of 496 bundles in use · zoom in to open a supernode", (" · ", " in use"))
    wide = label.fontMetrics().horizontalAdvance
    laid_out(label)
    for text in (label.text(), "128 of 496 bundles in use", "128 of 496 bundles"):
        label.resize(wide(text) + 1, 20)
        assert label.shown == text
    label.resize(wide("128 of 496") + 1, 20)
    assert label.shown == ""
    assert label.tip == label.text()


def test_a_sentence_does_not_break_inside_a_unit(laid_out):
    label = message_label("text")
    label.setText("30 % of the upper bound, 213.3 GB/s")
    assert label.text() == "30 % of the upper bound, 213.3 GB/s"
    assert " GB/s" not in QLabel.text(label)
