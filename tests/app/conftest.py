"""Sessions that answer at once, widgets on the screen, a window on the worked example with settings of its own."""

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QDockWidget

from app.storage.presets import worked_example
from app.storage.settings import Settings
from app.style.theme import DARK
from tests.app.scenarios import HALO
from tests.app.sessions import session_on

BRISK_MS = 30
"""Longer than one frame, so that something moves."""


@pytest.fixture
def session_of(qapp):
    opened = []

    def open_session(scenario, theme=DARK):
        opened.append(session_on(scenario, theme=theme, sync=True))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.fixture
def session(session_of):
    return session_of(HALO)


class Log(list):
    """What changed in a session, one after the other."""

    def __init__(self, session):
        super().__init__()
        session.changed.connect(self.append)

    def of(self, flag):
        return [changes for changes in self if changes & flag]


@pytest.fixture
def log_of():
    return Log


@pytest.fixture
def show(qtbot):
    """Show a widget in the active window."""

    def show_widget(widget, width=330, height=940):
        widget.resize(width, height)
        qtbot.addWidget(widget)
        with qtbot.waitExposed(widget):
            widget.show()
        widget.activateWindow()
        qtbot.waitUntil(widget.isActiveWindow)
        return widget

    return show_widget


@pytest.fixture
def shown(qtbot):
    """Show a view."""

    def show_view(view, width=340, height=340):
        qtbot.addWidget(view)
        view.resize(width, height)
        view.show()
        return view

    return show_view


@pytest.fixture
def settings(tmp_path):
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), tmp_path / "autosave")


@pytest.fixture
def unadvised(monkeypatch):
    """Let windows look for no swaps by themselves: that takes as long as all else a window does."""
    monkeypatch.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", 24 * 3600 * 1000)


@pytest.fixture
def painted(monkeypatch):
    """Draw machines as where there is no OpenGL.

    Without a graphics card a canvas costs more than all else that a window does; what it shows is tested beside it.
    """
    monkeypatch.setattr("app.views.machine.view.opengl_version", lambda: None)


@pytest.fixture
def brisk(monkeypatch):
    """Let machines move in two pictures or three: to draw ten on the way costs more than all that a test asks."""
    from app.views.machine.camera_control import CameraController

    animate = CameraController._animate_to
    monkeypatch.setattr(CameraController, "_animate_to", lambda self, goal, ms: animate(self, goal, min(ms, BRISK_MS)))


@pytest.fixture
def scenario():
    """What the window opens."""
    return worked_example()


@pytest.fixture
def unshown(qapp, scenario, settings, unadvised, painted, brisk, monkeypatch):
    """The window before it is shown, which takes half the time: its commands, files, menus and title work already."""
    from app.actions.file_commands import Button, FileCommands
    from app.actions.tour_commands import TourCommands
    from app.window.main_window import Window

    # A test that fails must not wait for an answer for ever.
    monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: Button.Discard)
    monkeypatch.setattr(TourCommands, "ask_about_changes", lambda self: Button.Discard)
    settings.theme = "dark"
    window = Window(session_on(scenario, theme=DARK, sync=True), settings)
    window.resize(1280, 800)
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture(scope="module")
def shared(qapp, started_timers, tmp_path_factory):
    """One window on the worked example, shown, for all tests of a module that leave it as it is."""
    from app.window.main_window import Window

    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", 24 * 3600 * 1000)
        patched.setattr("app.views.machine.view.opengl_version", lambda: None)
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat), folder)
        settings.theme = "dark"
        window = Window(session_on(worked_example(), theme=DARK, sync=True), settings)
        patched.setattr(window.files, "may_lose_changes", lambda: True)
        window.show()
        window.activateWindow()
        yield window
        window.close()
        window.deleteLater()


@pytest.fixture
def in_front(shared, qtbot):
    """The same window, which has the keys again after other windows."""
    shared.activateWindow()
    qtbot.waitUntil(shared.isActiveWindow)
    return shared


@pytest.fixture
def formless(unshown):
    """The window without the form at its left: to fill and draw that takes a third of what a window takes to show."""
    form = unshown.findChild(QDockWidget, "dock-build")
    unshown.resize(unshown.width() - form.width(), unshown.height())
    form.hide()
    return unshown


@pytest.fixture
def window(unshown, qtbot):
    unshown.show()
    unshown.activateWindow()
    qtbot.waitUntil(unshown.isActiveWindow)
    return unshown
