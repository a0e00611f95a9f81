"""Boxes that may be narrower than their entries: elided texts end in an ellipsis, and are in the tool tip."""

from PySide6.QtCore import Qt

from app.widgets.combo_box import ComboBox

LONG = "Recursive bisection of the graph of tasks"


def test_narrow_box_shortens_its_entry_and_has_the_full_text_in_its_tool_tip(qtbot):
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["Halo", LONG])
    box.setToolTip("Where tasks go")
    assert box.minimumSizeHint().width() < box.sizeHint().width()
    box.setCurrentText(LONG)
    box.resize(box.minimumSizeHint())
    assert box.shown.endswith("…")
    assert LONG.startswith(box.shown[:-1])
    assert len(box.shown) > 8
    assert box.tip == f"{LONG}\nWhere tasks go"
    box.resize(box.sizeHint())
    assert box.shown == LONG
    assert box.tip == "Where tasks go"


def test_the_wheel_does_not_take_the_focus(qtbot):
    box = ComboBox()
    qtbot.addWidget(box)
    assert box.focusPolicy() == Qt.FocusPolicy.StrongFocus
