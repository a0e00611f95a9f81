"""The surface: painted by hand, it reports the left button and the pointer, and keeps no other events."""

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.views.heatmaps.surface import Surface
from tests.patience import wait
from tests.pointer import drag, move

NO_BUTTON = Qt.MouseButton.NoButton


class Frame(QWidget):
    """Receives the events that the surface leaves to others."""

    def __init__(self):
        super().__init__()
        self.arranged, self.left_over = [], []
        self.surface = Surface(lambda size: self.arranged.append(size), self.draw, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.surface)

    def draw(self, painter):
        painter.fillRect(QRectF(0, 0, 20, 10), QColor("#ff0000"))

    def mousePressEvent(self, event):
        self.left_over.append(event.button())


@pytest.fixture
def frame(qtbot):
    frame = Frame()
    qtbot.addWidget(frame)
    frame.resize(120, 80)
    frame.show()
    return frame


def test_arranged_in_pixels_of_the_widget(frame):
    assert frame.arranged[-1] == QSizeF(120, 80)
    frame.resize(200, 90)
    wait(10)
    assert frame.arranged[-1] == QSizeF(200, 90)
    image = frame.grab().toImage()
    assert image.pixelColor(19, 9).name() == "#ff0000"
    assert image.pixelColor(20, 9).name() != "#ff0000"


def test_only_the_pointer_and_the_left_button_are_reported(frame):
    pressed, moved, left = [], [], []
    frame.surface.pressed.connect(pressed.append)
    frame.surface.moved.connect(moved.append)
    frame.surface.left.connect(lambda: left.append(True))
    area = frame.surface
    drag(area, QPoint(10, 10), QPoint(30, 20), steps=2)
    assert pressed == [QPointF(10, 10)]
    assert moved == [QPointF(20, 15), QPointF(30, 20)]
    QTest.mousePress(area, Qt.MouseButton.RightButton, pos=QPoint(5, 5))
    assert frame.left_over == [Qt.MouseButton.RightButton]
    QTest.mouseRelease(area, Qt.MouseButton.RightButton, pos=QPoint(5, 5))
    assert len(pressed) == 1
    move(area, QPoint(30, 20), QPoint(31, 20), steps=1, button=NO_BUTTON)
    assert moved[-1] == QPointF(31, 20)
    assert not left


def test_draws_into_any_rectangle_at_its_size(frame):
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    painter = QPainter(image)
    frame.surface.paint_to(painter, QRectF(50, 40, 300, 200))
    painter.end()
    assert frame.arranged[-1] == QSizeF(300, 200)
    red = [(x, y) for x in range(400) for y in range(300) if image.pixelColor(x, y).name() == "#ff0000"]
    assert (min(red), max(red)) == ((50, 40), (69, 49))
