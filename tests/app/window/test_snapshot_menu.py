"""The menu of snapshots: its entries, and the effect of each on the session."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.storage.presets import preset, worked_example
from app.widgets.popup import NamePrompt
from app.window.snapshot_menu import SnapshotMenu, suggested_name
from core.job import Halo
from core.mapping import Explicit, Random, Sequential
from tests.app.sessions import session_on


@pytest.fixture
def session(qtbot):
    session = session_on(worked_example(), sync=True)
    yield session
    session.close()


@pytest.fixture
def compared():
    return []


@pytest.fixture
def menu(qtbot, session, compared):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    menu = SnapshotMenu(session, compared.append, window)
    menu.take("first")
    session.choose("mapping", Sequential())
    menu.take("second & last")
    yield menu
    window.close()


def offered(menu):
    """Return the texts of the entries, and of the entries of each submenu."""
    menu.aboutToShow.emit()
    return {
        action.text(): [entry.text() for entry in action.menu().actions() if not entry.isSeparator()]
        if action.menu()
        else None
        for action in menu.actions()
        if not action.isSeparator()
    }


def click(menu, name, entry):
    menu.aboutToShow.emit()
    (submenu,) = (action.menu() for action in menu.actions() if action.menu() and action.menu().title() == name)
    (item,) = (action for action in submenu.actions() if action.text() == entry)
    assert item.isEnabled()
    item.trigger()


def names(session):
    return [snapshot.name for snapshot in session.state.wanted.snapshots]


def typed(text):
    """Type into the prompt that is open, and press Enter."""
    (prompt,) = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, NamePrompt))
    QTest.keyClicks(prompt.field, text)
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)
    prompt.close()


def test_each_snapshot_has_an_entry(menu):
    ways = ["Restore", "Compare", "Rename …", "Delete"]
    here = ["Restore (on screen)", *ways[1:]]
    assert offered(menu) == {"Take snapshot …": None, "first": ways, "second && last": here}
    assert offered(menu) == offered(menu)


def test_taking_a_snapshot_is_unsaved_work_and_keeps_the_loads(session, menu, compared):
    assert session.state.dirty
    evaluation = session.state.evaluation
    menu.ask_take()
    typed("third <b>")
    assert names(session) == ["first", "second & last", "third <b>"]
    assert session.state.evaluation is evaluation
    assert session.state.wanted.snapshots[2].kept.mapping == Sequential()


def test_a_taken_name_is_refused_in_the_prompt(session, menu):
    menu.ask_take()
    typed("first")
    assert names(session) == ["first", "second & last"]


def test_restoring_can_be_undone(session, menu):
    before = session.state.wanted
    click(menu, "first", "Restore")
    assert session.state.evaluation.case.scenario.mapping == worked_example().mapping
    assert session.state.wanted.snapshots == before.snapshots
    assert session.state.history.undo_name == "Restore first"
    session.editing.undo()
    assert session.state.evaluation.case.scenario.mapping == Sequential()


def test_comparing_passes_the_scenario(session, menu, compared):
    click(menu, "first", "Compare")
    assert compared == [session.state.wanted.with_choice("mapping", worked_example().mapping)]


def test_renaming(session, menu):
    click(menu, "first", "Rename …")
    typed("as it was")
    assert names(session) == ["as it was", "second & last"]


def test_a_deleted_snapshot_can_be_restored(session, menu):
    before = session.state.wanted.snapshots
    click(menu, "first", "Delete")
    assert names(session) == ["second & last"]
    assert "Restore deleted first" in offered(menu)
    menu.take("first")
    menu.bring_back()
    assert names(session) == ["second & last", "first", "snapshot 3"]
    assert session.state.wanted.snapshots[2].kept == before[0].kept
    assert "Restore deleted first" not in offered(menu)


def test_a_snapshot_holds_the_scenario_on_screen_not_a_refused_one(session, menu):
    session.choose("job", Halo(rows=1000, cols=1000))
    assert session.state.error is not None
    menu.take("third")
    assert session.state.wanted.snapshots[2].kept.job == worked_example().job


def test_suggested_names_describe_the_snapshot(session, menu):
    session.choose("mapping", worked_example().mapping)
    assert suggested_name(session.state) == "mod-colour, 64.0 GB/s"
    menu.take("mod-colour, 64.0 GB/s")
    assert suggested_name(session.state) == "snapshot 4"
    session.choose("mapping", Explicit(range(4096)))
    assert suggested_name(session.state) == "custom, 10.0 GB/s"


def test_long_names_are_shortened_with_the_full_name_in_the_tooltip(session, menu):
    menu.take("x" * 90)
    assert f"{'x' * 47}…" in offered(menu)
    tips = [action.toolTip() for action in menu.actions()]
    assert any("x" * 90 in tip for tip in tips)
    assert any("Halo, 5-point on Power 775 (PERCS) · sequential · direct" in tip for tip in tips)


def test_snapshots_of_another_machine(session, menu):
    session.open(preset("torus-8x8x8-halo"), None)
    assert list(offered(menu)) == ["Take snapshot …"]
    menu.take("torus")
    session.choose("mapping", Random(seed=1))
    click(menu, "torus", "Restore")
    assert session.state.evaluation.case.scenario.mapping == preset("torus-8x8x8-halo").mapping


def test_taking_and_deleting_a_snapshot_is_reported(menu, qtbot):
    with qtbot.waitSignal(menu.done, check_params_cb=lambda text: text.startswith("Took snapshot third;")):
        menu.take(" third ")
    with qtbot.waitSignal(menu.done, check_params_cb=lambda text: text.startswith("Deleted snapshot third;")):
        click(menu, "third", "Delete")


def test_the_suggested_name_has_the_throughput_as_the_window_shows_it(session):
    session.open(preset("torus-16x16-transpose"), None)
    assert suggested_name(session.state) == "sequential, 0.425 GB/s"
