"""A window on the worked example, with settings of its own."""

import pytest
from PySide6.QtCore import QSettings

from app.presets import worked_example
from app.session import Session
from app.settings import Settings
from app.theme import DARK


@pytest.fixture
def settings(tmp_path):
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), tmp_path / "autosave")


@pytest.fixture
def window(qtbot, settings, monkeypatch):
    from app.file_commands import Answer, FileCommands
    from app.window import Window

    monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: Answer.Discard)
    settings.theme = "dark"
    window = Window(Session(worked_example(), theme=DARK, sync=True), settings)
    window.resize(1280, 800)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()
    window.deleteLater()
