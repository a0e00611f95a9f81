"""Captions and legends: texts that do not fit are shortened or omitted."""

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont

from app.style.theme import DARK
from app.views.charts.kit.caption import Caption, Legend, Sample
from app.views.charts.kit.look import Look

FORMS = ("C512: 1,024 links", "C512: 1,024", "C512")


@pytest.fixture
def look(qapp):
    return Look(DARK, QFont())


@pytest.mark.parametrize("upright", [False, True], ids=["level", "upright"])
def test_the_longest_form_that_fits_is_written(look, upright):
    caption = Caption(FORMS, upright=upright)
    caption.dress(look)
    for form in FORMS:
        wide = look.metrics.horizontalAdvance(form) + 0.5
        caption.setGeometry(QRectF(0, 0, *((caption.thickness, wide) if upright else (wide, caption.thickness))))
        assert caption.text == form
    caption.setGeometry(QRectF(0, 0, *((caption.thickness, 20) if upright else (20, caption.thickness))))
    assert caption.text.endswith("…")


def test_a_legend_has_as_many_entries_as_fit(look):
    legend = Legend()
    legend.explain([Sample("best 12", look.pen("#ffffff", 2)), Sample("bound 20", look.pen("#ffffff", 2)), Sample("x")])
    legend.dress(look)
    legend.setGeometry(QRectF(0, 0, 1000, legend.thickness))
    placed = legend.placed()
    assert len(placed) == 3
    narrow = placed[2][0].x()
    legend.setGeometry(QRectF(0, 0, narrow, legend.thickness))
    assert [sample.text for _, sample in legend.placed()] == ["best 12", "bound 20"]
    assert legend.height_for(1000) == legend.thickness
    legend.setMaximumHeight(legend.height_for(narrow))
    legend.setGeometry(QRectF(0, 0, narrow, legend.height_for(narrow)))
    assert [(at.x(), sample.text) for at, sample in legend.placed()][-1] == (0, "x")
