"""A canvas in a window, on which one scene unit is one logical pixel and y points down."""

from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from vispy.scene import SceneCanvas
from vispy.scene.widgets import Widget

from app.visuals import use_best_gl
from tests import patience

BACKGROUND = (27, 30, 36)
SIZE = 120


@contextmanager
def opened(**options):
    """A canvas in a separate window."""
    use_best_gl()
    colour = tuple(channel / 255 for channel in BACKGROUND)
    canvas = SceneCanvas(keys=None, size=(SIZE, SIZE), bgcolor=colour, **options)
    window = QMainWindow()
    canvas.native.setFixedSize(SIZE, SIZE)
    window.setCentralWidget(canvas.native)
    window.show()
    assert QTest.qWaitForWindowExposed(window, 1000 * patience.SECONDS)
    yield canvas
    canvas.close()
    window.close()
    window.deleteLater()


@pytest.fixture
def make_canvas(qapp):
    """Make canvases that close with the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(opened(**options))


@pytest.fixture(scope="module")
def kept_canvas(qapp):
    with opened() as canvas:
        yield canvas


@pytest.fixture
def canvas(kept_canvas):
    """An empty canvas: opening one takes longer than most drawings on it."""
    yield kept_canvas
    for node in [node for node in kept_canvas.scene.children if not isinstance(node, Widget)]:
        node.parent = None


@pytest.fixture
def space(canvas):
    """A view of the canvas whose camera a test sets."""
    view = canvas.central_widget.add_view()
    yield view
    canvas.central_widget.remove_widget(view)


@pytest.fixture
def picture():
    """Draw a canvas and return its colours as integers, shape (height, width, 3)."""

    def draw(canvas):
        return canvas.render(alpha=False).astype(int)

    return draw


@pytest.fixture(scope="session")
def lut():
    """256 distinct opaque colours, from blue to yellow via red."""
    t = np.linspace(0, 1, 256)
    colours = np.stack([np.sqrt(t), t**2, 0.8 * (1 - t), np.ones(256)], axis=1)
    return np.rint(colours * 255).astype(np.uint8)
