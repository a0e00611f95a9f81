from PySide6.QtCore import QEvent, QObject

from app.widgets.progress_bar import ProgressBar


class Paints(QObject):
    def __init__(self):
        super().__init__()
        self.count = 0

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_a_fraction_is_painted_with_everything_else_not_at_once(qtbot):
    bar, paints = ProgressBar(100), Paints()
    qtbot.addWidget(bar)
    bar.show()
    qtbot.wait(50)
    bar.installEventFilter(paints)
    bar.show_fraction(0.5)
    assert (bar.value(), paints.count) == (500, 0)
    qtbot.waitUntil(lambda: paints.count > 0)
