from PySide6.QtCore import QEvent, QObject

from app.style.theme import DARK
from app.widgets.progress_bar import STEP_MS, ActivityBar, ProgressBar


class Paints(QObject):
    def __init__(self):
        super().__init__()
        self.count = 0

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_fraction_is_painted_with_the_next_frame(qtbot):
    bar, paints = ProgressBar(100), Paints()
    qtbot.addWidget(bar)
    bar.show()
    qtbot.wait(50)
    bar.installEventFilter(paints)
    bar.show_fraction(0.5)
    assert (bar.value(), paints.count) == (500, 0)
    qtbot.waitUntil(lambda: paints.count > 0)


def test_a_chunk_moves_while_the_fraction_is_unknown_and_visible(qtbot, monkeypatch):
    monkeypatch.setattr("app.widgets.progress_bar.moves", lambda: True)
    bar, paints = ActivityBar(), Paints()
    qtbot.addWidget(bar)
    bar.installEventFilter(paints)
    bar.show_fraction(0.0, DARK)
    bar.show()
    qtbot.waitUntil(lambda: paints.count > 2)
    seen = {bar.chunk for _ in range(3) if qtbot.wait(STEP_MS) is None}
    assert len(seen) == 3
    assert all(0 <= start < end <= 1 for start, end in seen)
    bar.show_fraction(0.5, DARK)
    assert bar.chunk == (0.0, 0.5)
    qtbot.wait(STEP_MS)
    paints.count = 0
    qtbot.wait(3 * STEP_MS)
    assert paints.count == 0


def test_with_reduced_motion_nothing_moves(qtbot, monkeypatch):
    monkeypatch.setattr("app.widgets.progress_bar.moves", lambda: False)
    bar = ActivityBar()
    qtbot.addWidget(bar)
    bar.show_fraction(0.0, DARK)
    bar.show()
    chunk = bar.chunk
    qtbot.wait(2 * STEP_MS)
    assert bar.chunk == chunk
