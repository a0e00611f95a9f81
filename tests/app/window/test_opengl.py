"""The window with machines drawn by OpenGL, as for most users."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.storage.presets import preset
from app.style.theme import LIGHT
from core.files import write_scenario
from core.network import Torus
from tests.app.views.machine.rest import at_rest


@pytest.fixture
def painted():
    """Does nothing instead of drawing with OpenGL."""


@pytest.fixture
def small(formless):
    """Without a graphics card every pixel costs."""
    formless.resize(900, 640)


@pytest.fixture
def window(small, window):
    return window


def colours(view):
    """The content of the canvas of a view."""
    return {tuple(pixel) for pixel in view.canvas.picture()[::5, ::5].reshape(-1, 3).tolist()}


def test_themes_reach_the_canvas(window):
    before = colours(window.machine)
    window.commands["view.theme.light"].trigger()
    after = colours(window.machine)
    assert QColor(LIGHT.panel).getRgb()[:3] in after - before
    assert min(len(before), len(after)) > 20


def test_both_machines_of_a_comparison_have_a_canvas(window, qtbot):
    window.commands["compare.pin"].trigger()
    for name in ("mark.all", "edit.shift-right", "edit.shift-left"):
        window.commands[name].trigger()
    pinned = window.comparing.pinned
    qtbot.waitUntil(lambda: pinned.camera == window.machine.camera and at_rest(pinned) and at_rest(window.machine))
    a, b = (view.canvas.picture().astype(int) for view in (pinned, window.machine))
    assert abs(a.shape[1] - b.shape[1]) <= 16
    width = min(a.shape[1], b.shape[1])
    assert np.abs(a[:, :width] - b[:, :width]).mean() < 4  # their border may lie a pixel apart
    assert a.std() > 5


def test_opening_a_torus_shows_it_in_the_same_window(window, tmp_path):
    path = tmp_path / "t.fabriscope.json"
    write_scenario(path, preset("torus-8x8x8-halo"))
    window.files.open(path)
    assert window.session.state.evaluation.case.network.spec == Torus()
    assert window.session.state.file.path == path
    assert window.settings.recent == [path]
    assert "t.fabriscope.json" in window.windowTitle()


def test_escape_deselects_first_and_then_shows_the_whole_machine(window, qtbot):
    home = window.machine.camera
    window.machine.open_group(4)
    qtbot.waitUntil(lambda: not window.machine.moving)
    window.session.select(Item("group", 4))
    QTest.keyClick(window.machine, Qt.Key.Key_Escape)
    assert window.session.state.selection is None
    assert window.machine.camera != home
    QTest.keyClick(window.machine, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.machine.camera == home)
