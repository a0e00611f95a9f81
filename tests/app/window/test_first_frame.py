"""The first frame of the window: everything is where it stays."""

from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QSpinBox

from app.widgets.layouts import lay_out
from app.window.dock_widths import SETTLED_MS
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
