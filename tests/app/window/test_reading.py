"""Accessibility of the window: keyboard access, names for screen readers, space for longer words and larger type."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget

from app.model.pointing import Item
from app.model.view_table import VIEWS
from app.panels.networks.table import NetworkTableWindow
from app.window.dock_widths import SETTLED_MS
from tests import patience
from tests.app.undrawn import undrawn
from tests.app.window.reading import controls, cut_off, lengthen, nameless, overlapping, seen, words

PAGES = [*(view.id for view in VIEWS if view.slot == "charts"), "optimiser", "routes"]
TURNS = 10
SIZES = pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)], ids=str)


@pytest.fixture
def window(shared):
    shared.set_font_scale(1.0)
    shared.show_page(PAGES[0])
    settle()
    return shared


def settle():
    QApplication.processEvents()
    for _ in range(8):  # layouts depend on each other
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def sized(window, size, scale=1.0):
    window.set_font_scale(scale)
    window.resize(*size)
    settle()
    assert (window.width(), window.height()) == size


def unreadable(root):
    """What cannot be read once the layout has come to rest, which takes a few turns of the event loop."""
    for _ in range(TURNS):
        settle()
        problems = "\n".join(cut_off(root) + overlapping(root))
        if not problems:
            break
        patience.wait(SETTLED_MS // 5)
    return problems


def unreadable_if_longer(root):
    plain = lengthen(root)
    problems = unreadable(root)
    for write, text in plain:
        write(text)
    return problems


# In sequence, and never with a smaller window than before: docks squeezed by it would count as resized by the user.
@pytest.mark.parametrize("scale", [0.8, 1.0, 1.5, 2.0])
@SIZES
def test_texts_are_complete_at_every_type_size(shared, size, scale):
    with undrawn(shared) as window:
        sized(window, size, scale)
        for page in PAGES:
            window.show_page(page)
            assert unreadable(window) == ""


@SIZES
def test_texts_a_third_longer_have_room(window, size):
    with undrawn(window):
        sized(window, size)
        patience.wait(SETTLED_MS + 50)  # until docks have the width that the previous test requested
        for page in PAGES:
            window.show_page(page)
            assert unreadable_if_longer(window) == ""
    assert (window.width(), window.height()) == size


def test_all_follows_the_size_of_type_and_comes_back_and_half_is_left_to_the_views(window):
    docks = window.findChildren(QDockWidget)

    def widths():
        patience.wait(SETTLED_MS + 50)
        settle()
        return [dock.width() for dock in docks]

    with undrawn(window):
        sized(window, (1600, 1000))
        widths()
    window.resizeDocks(docks, [250, 330], Qt.Orientation.Horizontal)
    usual = widths()

    def comes_back():
        before = window.grab().toImage()
        with undrawn(window):
            window.set_font_scale(1.25)
            assert all(np.array(widths()) > usual)
            window.set_font_scale(2.0)
            assert sum(widths()) < 800
            window.set_font_scale(1.0)
            assert widths() == usual
        return window.grab().toImage() == before

    # A background computation may finish between two pictures.
    assert any(comes_back() for _ in range(3))
    with undrawn(window):
        for scale in (1.3, 1.6, 2.0):
            window.set_font_scale(scale)
            patience.wait(SETTLED_MS * 0.6)  # as fast as keys are pressed
        window.set_font_scale(1.0)
        assert widths() == usual
        # Dragged widths keep their proportions.
        window.resizeDocks(docks, [300, 400], Qt.Orientation.Horizontal)
        dragged = widths()
        window.set_font_scale(1.1)
        assert all(np.array(widths()) > dragged)
        window.set_font_scale(1.0)
        assert widths() == pytest.approx(dragged, abs=2)


def test_other_windows_are_readable_and_have_names(window, monkeypatch):
    monkeypatch.setattr(NetworkTableWindow, "start", lambda self: None)  # it would measure all networks
    with undrawn(window):
        for page in PAGES:
            window.show_page(page)  # the content of some is made then
        window.commands["select.hottest"].trigger()
        window.open("network-table")
        window.open("studies")
        settle()
        both = window._networks, window._studies
        shapes = [[unreadable_if_longer(dialog) for dialog in both]]
        for scale in (0.8, 1.5, 2.0):
            window.set_font_scale(scale)
            shapes.append([unreadable(dialog) for dialog in both])
        named, count = nameless(window), len(controls(window))
        for dialog in both:
            dialog.close()
    assert shapes == 4 * [["", ""]]
    assert named == []
    assert count > 200


def focus_stops(window):
    """Yield each widget that Tab reaches."""
    window.raise_()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    window.job.surface.setFocus()
    first = QApplication.focusWidget()
    yield first
    for _ in range(300):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if QApplication.focusWidget() is first:
            return
        yield QApplication.focusWidget()
    raise AssertionError("Tab does not come back")


@pytest.mark.parametrize("page", ["timeline", "optimiser"])
def test_tab_reaches_every_control_and_the_focus_is_visible(window, page):
    sized(window, (1600, 1000))
    window.show_page(page)
    window.commands["select.hottest"].trigger()
    settle()
    stops, unseen = [], []
    for widget in focus_stops(window):
        settle()
        focused = widget.grab().toImage()
        widget.clearFocus()
        settle()
        if widget.grab().toImage() == focused:
            unseen.append(f"{type(widget).__name__} {widget.accessibleName()}")
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        stops.append(widget)
    shown = {widget for widget in {*controls(window)} & {*seen(window)} if widget.isEnabled()}
    reached = {widget for widget in shown if widget in stops or widget.focusProxy() in stops}
    # In a group of choices Tab reaches the checked one, and arrow keys the others.
    groups = {button.group() for button in reached if isinstance(button, QAbstractButton) and button.group()}
    missed = {
        control
        for control in shown - reached
        if not (isinstance(control, QAbstractButton) and control.group() in groups)
    }
    # Or a key has the same effect from anywhere.
    assert [words(control) for control in missed if "Ctrl+" not in control.toolTip()] == []
    assert unseen == []


def test_views_describe_what_they_show(window):
    window.session.select(None)
    for view in window.views.values():
        view.catch_up()
        assert view.accessibleName() == window.centre.cards[view.id].title.text() or view.title
    described = window.machine.accessibleDescription()
    assert "64.0 GB/s per node" in described
    assert "LR 1 · d0 · 0 → 1 · d1 · 8" in described
    window.session.select(Item("group", 3))
    settle()
    assert window.machine.accessibleDescription().endswith("Selected: Supernode 3")
