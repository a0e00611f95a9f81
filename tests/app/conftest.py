"""Sessions that answer at once, widgets on the screen, a window on the worked example with separate settings."""

from contextlib import contextmanager

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QDockWidget, QSplitter

from app.storage.presets import worked_example
from app.storage.settings import Settings
from app.style.theme import DARK
from tests.app.scenarios import HALO
from tests.app.sessions import begin_again, session_on

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


@pytest.fixture(autouse=True)
def application_font_kept():
    """Restore the application's font, which pages of a tour and windows set, since other tests measure texts in it."""
    before = QApplication.instance()
    font = before.font() if before is not None else QFont()
    yield
    now = QApplication.instance()
    if now is not None and now.font() != font:
        QApplication.setFont(font)


class Log(list):
    """The changes of a session, in order."""

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
def laid_out(show):
    """Show a widget in the active window without drawing it, for tests that check no picture of it."""

    def lay_out(widget, *size):
        widget.setUpdatesEnabled(False)
        return show(widget, *size)

    return lay_out


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
    """Keep windows from searching for swaps automatically, which takes as long as the rest of a window's work."""
    monkeypatch.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", 24 * 3600 * 1000)


@pytest.fixture
def painted(monkeypatch):
    """Draw machines as without OpenGL.

    Without a graphics card a canvas costs more than the rest of a window; its content is tested separately.
    """
    monkeypatch.setattr("app.views.machine.view.opengl_version", lambda: None)


@pytest.fixture
def brisk(monkeypatch):
    """Let machines move in two or three frames: ten would cost more than the test itself."""
    from app.views.machine.camera_control import CameraController

    animate = CameraController._animate_to
    monkeypatch.setattr(CameraController, "_animate_to", lambda self, goal, ms: animate(self, goal, min(ms, BRISK_MS)))


@pytest.fixture
def scenario():
    """The scenario that the window opens."""
    return worked_example()


@pytest.fixture
def unshown(qapp, scenario, settings, unadvised, painted, brisk, monkeypatch):
    """The window before it is shown, which takes half the time: its commands, files, menus and title work already."""
    from app.window.main_window import Window

    ask_nobody(monkeypatch)
    settings.theme = "dark"
    window = Window(session_on(scenario, theme=DARK, sync=True), settings)
    window.resize(1280, 800)
    yield window
    window.close()
    window.deleteLater()


def ask_nobody(patched):
    """Let windows discard unsaved changes: a failing test must not wait for an answer for ever."""
    from app.actions.file_commands import Button, FileCommands
    from app.actions.tour_commands import TourCommands

    for commands in (FileCommands, TourCommands):
        patched.setattr(commands, "ask_about_changes", lambda self: Button.Discard)


@contextmanager
def window_for_many(folder, scenario):
    """A window for all tests of a module, not shown yet, and the storage of its settings."""
    from app.window.main_window import Window

    with pytest.MonkeyPatch.context() as patched:
        ask_nobody(patched)
        patched.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", 24 * 3600 * 1000)
        patched.setattr("app.views.machine.view.opengl_version", lambda: None)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        settings = Settings(store, folder)
        settings.theme = "dark"
        window = Window(session_on(scenario, theme=DARK, sync=True), settings)
        yield window, store
        window.close()
        window.deleteLater()


@pytest.fixture(scope="module")
def shared(qapp, started_timers, tmp_path_factory):
    """One window on the worked example, shown, for all tests of a module that leave it as it is."""
    with window_for_many(tmp_path_factory.mktemp("shared"), worked_example()) as (window, _):
        window.show()
        window.activateWindow()
        yield window


@pytest.fixture(scope="module")
def lending(qapp, started_timers, tmp_path_factory, request):
    """The window that `lent` lends, on the module's `LENT` or the worked example."""
    scenario = getattr(request.module, "LENT", None) or worked_example()
    with window_for_many(tmp_path_factory.mktemp("lent"), scenario) as (window, store):
        window.resize(1280, 800)
        window.setUpdatesEnabled(False)
        window.show()
        window.activateWindow()
        yield (
            window,
            store,
            window.session.state,
            {splitter: splitter.saveState() for splitter in window.findChildren(QSplitter)},
        )


@pytest.fixture
def lent(lending, brisk, qtbot):
    """A window that tests of a module use in turn: each finds it as opened, with its state, sizes and settings.

    It lays out its content without drawing it, which would take as long again: for tests that check no picture.
    """
    window, store, first, sizes = lending
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.centre.charts.tabs.setCurrentIndex(0)
    begin_again(window.session, first)
    for splitter, size in sizes.items():
        splitter.restoreState(size)
    store.clear()
    window.settings.theme = "dark"
    window.resize(1280, 800)
    window.fit()
    window.setFocus()


@pytest.fixture
def in_front(shared, qtbot):
    """The same window, which has the keyboard focus again after other windows."""
    shared.activateWindow()
    qtbot.waitUntil(shared.isActiveWindow)
    return shared


@pytest.fixture
def formless(unshown):
    """The window without the form at its left, whose filling and drawing takes a third of the time to show a window."""
    form = unshown.findChild(QDockWidget, "dock-build")
    unshown.resize(unshown.width() - form.width(), unshown.height())
    unshown.session.set_panel_visible("build", False)
    return unshown


@pytest.fixture
def window(unshown, qtbot):
    unshown.show()
    unshown.activateWindow()
    qtbot.waitUntil(unshown.isActiveWindow)
    return unshown
