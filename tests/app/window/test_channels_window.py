"""Channels in the window: a tab for jobs that have channels, and their commands."""

import pytest

from app.model.channels_shown import drawn_channels
from app.model.state_groups import ComparisonMode
from app.storage.presets import preset
from app.window.main_window import Window
from core.job import Halo
from tests.app.sessions import session_on


@pytest.fixture
def window(settings, qtbot):
    window = Window(session_on(preset("nccl-32-gpus"), sync=True), settings)
    window.resize(1280, 800)
    window.show()
    yield window
    window.files.may_lose_changes = window.tours.may_lose_changes = lambda: True
    window.close()


def tabs(window):
    bar = window.centre.charts.tabs
    return [bar.tabText(index) for index in range(bar.count()) if bar.isTabVisible(index)]


def test_jobs_with_channels_have_a_tab_and_commands(window):
    assert "Channels" in tabs(window)
    command = window.commands["channels.draw"]
    assert command.isEnabled()
    assert not command.isChecked()
    command.trigger()
    assert drawn_channels(window.session.state) is not None
    assert window.centre.page == "channels"
    assert command.isChecked()
    command.trigger()
    assert drawn_channels(window.session.state) is None
    window.session.choose("job", Halo(rows=4, cols=8))
    assert "Channels" not in tabs(window)
    assert not command.isEnabled()
    assert not window.commands["channels.textbook"].isEnabled()


def test_a_command_compares_with_the_textbook_algorithm(window):
    window.commands["channels.textbook"].trigger()
    assert window.session.state.comparison.mode is ComparisonMode.SIDE
    assert window.comparing.pinned is not None
