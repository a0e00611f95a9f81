"""Channels in the window: a tab for jobs that have channels, and their commands."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QFileDialog

from app.model.channels_shown import drawn_channels
from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode, SearchPhase
from app.storage.presets import preset
from app.window.main_window import Window
from core.job import Halo
from core.load.evaluate import evaluate
from core.mapping import FromFile
from tests.app.sessions import session_on


@pytest.fixture
def opened(settings, qtbot):
    """Open a window on a preset."""
    windows = []

    def opened(name):
        windows.append(Window(session_on(preset(name), sync=True), settings))
        windows[-1].resize(1280, 800)
        windows[-1].show()
        return windows[-1]

    yield opened
    for window in windows:
        window.files.may_lose_changes = window.tours.may_lose_changes = lambda: True
        window.close()


@pytest.fixture
def window(opened):
    return opened("nccl-32-gpus")


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


def test_the_best_order_of_hosts_is_exported_for_a_launcher(opened, monkeypatch, tmp_path):
    window = opened("nccl-64-gpus-alternating-hosts")
    session, path = window.session, tmp_path / "hosts.txt"
    session.set_search_settings(SearchSettings(budget=Budget(seconds=None, steps=300, seed=1, workers=1)))
    assert window.commands["optimise.host-order"].text() == "Best host order"
    window.commands["optimise.host-order"].trigger()
    assert session.state.search.phase is SearchPhase.FOUND
    window.commands["optimise.keep"].trigger()
    assert session.state.report.throughput_gbs == pytest.approx(320)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), "*"))
    window.files.exchange.ask_export("slurm-hostfile", "mapping")
    hosts = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    ran = session.state.evaluation.case.job.logged_hosts.names
    assert sorted(hosts) == sorted(ran)
    assert hosts != list(ran)
    assert all(len(set(hosts[first : first + 8])) == 1 for first in range(0, 64, 8))
    read = replace(preset("nccl-64-gpus-alternating-hosts"), mapping=FromFile(file=str(path)))
    assert evaluate(read.build()).throughput_gbs == pytest.approx(320)
