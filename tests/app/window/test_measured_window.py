"""Counters in the window: the choice of colours in the toolbar, and the inspector."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.model.measurement import LinkSource
from app.model.pointing import Item
from app.style.theme import DARK
from app.window.main_window import Window
from core.job import Halo
from core.load.neighbours import Neighbour
from core.mapping import Sequential
from core.network import SlimFly
from tests.app.measured import measured_scenario, planted
from tests.app.sessions import session_on

SLOW_LINK, OTHER_LINK, MISSING = planted()


@pytest.fixture
def window(tmp_path, settings, qtbot):
    window = Window(session_on(measured_scenario(tmp_path), theme=DARK, sync=True), settings)
    window.resize(1600, 1000)
    window.show()
    yield window
    window.files.may_lose_changes = window.tours.may_lose_changes = lambda: True
    window.close()


def press(box, key, times=1):
    """Choose an entry of a combo box with the keyboard."""
    for _ in range(times):
        QTest.keyClick(box, key)


def test_toolbar_chooses_the_quantity(window):
    box = window.toolbar.source
    assert box.isVisible()
    press(box, Qt.Key.Key_Down)
    assert window.session.state.source is LinkSource.PREDICTED
    press(box, Qt.Key.Key_Down, 2)
    assert window.session.state.source is LinkSource.DIFFERENCE
    assert window.machine.scene.shading.signed
    assert not window.toolbar.scale.isEnabled()
    press(box, Qt.Key.Key_Up, 3)
    assert window.session.state.source is LinkSource.LOAD
    assert window.toolbar.scale.isEnabled()


def test_menu_and_toolbar_agree(window):
    window.commands["view.measured"].trigger()
    assert window.toolbar.source.currentText() == "Measured"
    assert window.commands["view.measured"].isChecked()


def test_the_choice_is_remembered_between_starts(window, settings, tmp_path):
    press(window.toolbar.source, Qt.Key.Key_Down, 2)
    window.files.may_lose_changes = lambda: True
    window.close()
    assert settings.link_values == "measured"
    again = Window(session_on(measured_scenario(tmp_path), theme=DARK, sync=True), settings)
    assert again.session.state.source is LinkSource.MEASURED
    assert again.toolbar.source.currentText() == "Measured"
    again.close()


def test_scene_keeps_the_quantity(window, tmp_path, monkeypatch):
    press(window.toolbar.source, Qt.Key.Key_Down, 3)
    window.commands["tour.add"].trigger()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "talk"), ""))
    window.commands["tour.save"].trigger()
    assert window.session.state.tour.tour.scenes[0].link_values == "difference"
    press(window.toolbar.source, Qt.Key.Key_Up, 3)
    window.session.presentation.go(0)
    assert window.session.state.source is LinkSource.DIFFERENCE
    assert window.toolbar.source.currentText() == "Difference"


def test_inspector_has_both_bandwidths(window):
    window.session.select(Item("link", SLOW_LINK))
    text = window.bottleneck.causes.counters.text()
    assert text.startswith("measured 0.")
    assert "predicted" in text
    window.session.select(Item("link", MISSING[0]))
    assert window.bottleneck.causes.counters.text().startswith("no counter, predicted")


def test_inspector_lists_the_jobs_predicted_on_a_link(window):
    causes, state = window.bottleneck.causes, window.session.state
    window.session.select(Item("link", SLOW_LINK))
    assert causes.shared.isVisible()
    assert causes.shared.text() == "Jobs predicted on this link"
    (own,) = causes.jobs.parts
    assert (own.text, own.share) == (state.wanted.job_names[0], 1)
    unused = int(np.argmin(state.report.total_load))
    assert state.report.total_load[unused] == 0
    window.session.select(Item("link", unused))
    assert causes.note.text() == "No traffic is predicted on this link."
    assert causes.jobs.parts == ()
    other = Neighbour(name="other", job=Halo(rows=2, cols=2), mapping=Sequential(), allocation="0,5,10,15")
    smaller = replace(state.wanted, job=Halo(rows=3, cols=4), mapping=Sequential(), neighbours=(other,))
    window.session.propose(replace(smaller, allocation="1-4,6-9,11-14"))
    state = window.session.state
    assert state.refusal is None
    both = int(np.argmax(np.minimum(state.report.load, state.report.others)))
    window.session.select(Item("link", both))
    assert [part.text for part in causes.jobs.parts] == [*state.wanted.job_names]


def test_tab_is_there_while_the_scenario_has_counters(window, qtbot):
    charts, panel = window.centre.charts, window.measured
    index = charts.pages.indexOf(panel)
    assert charts.tabs.isTabVisible(index)
    window.commands["view.counters"].trigger()
    assert panel.isVisible()
    window.session.propose(replace(window.session.state.wanted, measured=None))
    assert not charts.tabs.isTabVisible(index)
    model = window.toolbar.source.model()
    qtbot.waitUntil(lambda: not model.item(list(LinkSource).index(LinkSource.MEASURED)).isEnabled())
    assert model.item(list(LinkSource).index(LinkSource.HARM)).isEnabled()
    window.session.editing.undo()
    assert charts.tabs.isTabVisible(index)
    qtbot.waitUntil(window.toolbar.source.isVisible)


def test_commands_add_and_remove_the_background(window):
    add, remove = window.commands["jobs.unknown"], window.commands["jobs.known"]
    assert add.isEnabled()
    assert not remove.isEnabled()
    add.trigger()
    assert window.session.state.measurement.comparison.hot.size == 0
    remove.trigger()
    assert window.session.state.measurement.comparison.hot.size == 1
    assert not remove.isEnabled()


def test_another_network_drops_counters_of_other_links(window):
    window.session.choose_network(SlimFly(q=5))
    assert window.session.state.evaluation.case.scenario.measured is None
    assert window.session.state.refusal is None
    window.session.editing.undo()
    assert window.session.state.measurement is not None
