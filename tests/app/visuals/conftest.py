"""A canvas in a window, on which one scene unit is one logical pixel and y points down."""

import numpy as np
import pytest
from PySide6.QtWidgets import QMainWindow
from vispy.scene import SceneCanvas

from app.visuals import use_best_gl

BACKGROUND = (27, 30, 36)
SIZE = 120


@pytest.fixture
def make_canvas(qapp, qtbot):
    """Make canvases, each in a window of its own, that close with the test."""
    windows = []

    def make(**options):
        use_best_gl()
        colour = tuple(channel / 255 for channel in BACKGROUND)
        canvas = SceneCanvas(keys=None, size=(SIZE, SIZE), bgcolor=colour, **options)
        window = QMainWindow()
        windows.append(window)  # qtbot holds it weakly
        qtbot.addWidget(window, before_close_func=lambda _window: canvas.close())
        canvas.native.setFixedSize(SIZE, SIZE)
        window.setCentralWidget(canvas.native)
        with qtbot.waitExposed(window):
            window.show()
        return canvas

    return make


@pytest.fixture
def canvas(make_canvas):
    return make_canvas()


@pytest.fixture
def picture():
    """Draw a canvas and return its colours as integers, shape (height, width, 3)."""

    def draw(canvas):
        return canvas.render(alpha=False).astype(int)

    return draw


@pytest.fixture(scope="session")
def lut():
    """256 opaque colours that differ from each other, from blue to yellow by way of red."""
    t = np.linspace(0, 1, 256)
    colours = np.stack([np.sqrt(t), t**2, 0.8 * (1 - t), np.ones(256)], axis=1)
    return np.rint(colours * 255).astype(np.uint8)
