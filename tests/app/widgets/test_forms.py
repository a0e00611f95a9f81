"""Forms generated from declarations: labels to the left of their fields, or above them in a narrow form."""

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets.forms import Form
from app.widgets.labels import ElidedLabel
from core.network import Percs


@pytest.mark.parametrize(
    ("width", "scale", "above"), [(400, 1, False), (240, 1, False), (285, 2, True), (220, 2, True)]
)
def test_labels_are_above_fields_if_both_do_not_fit(show, width, scale, above):
    form = Form(Percs)
    font = form.font()
    font.setPointSizeF(font.pointSizeF() * scale)
    form.setFont(font)
    form.show_spec(Percs())
    show(form, width, 900)
    QApplication.sendPostedEvents()
    labels = [label for label in form.findChildren(ElidedLabel) if label.isVisible()]
    assert [label.shown for label in labels] == [label.text() for label in labels]
    editors = [editor.geometry() for editor in form.visible_editors]
    stacked = [below.top() > label.y() for label, below in zip(labels, editors, strict=True)]
    assert any(stacked) == above
