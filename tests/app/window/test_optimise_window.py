"""Searching in the window: by key, button and menu, during other actions of the user."""

import multiprocessing
import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget

from app.actions.file_commands import Button, FileCommands
from app.actions.optimise import OPTIMISING
from app.model.search_run import Budget, SearchSettings
from app.model.state_groups import ComparisonMode, SearchPhase
from app.panels.optimiser.panel import STARTING
from app.session.optimiser import optimise_in_core
from app.views.machine.view import MachineOverlay
from app.window.main_window import Window
from app.window.palette_entries import palette_entries
from app.wording.numbers import gbs, significant
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.edit import occupants, swapped
from core.network import Dragonfly, Percs, Rail, Torus
from core.optimise.method import TwoOpt
from core.routing import Minimal, PercsDirect
from tests.app.climbing import Stepwise, climb
from tests.app.sessions import session_on, state_of
from tests.patience import wait
from tests.pointer import drag

LEFT = Qt.MouseButton.LeftButton
SMALL = Scenario(Percs(supernodes=4, d_links=4), Halo(rows=16, cols=24), Random(seed=3), PercsDirect())
LENT = SMALL
BUDGET = Budget(seconds=None, steps=12, seed=1, workers=1)


@pytest.fixture
def ready(lent):
    """The window on a machine of four supernodes with a bad mapping; searches are short and end automatically."""
    session = lent.session
    session.optimiser.search = climb
    session.set_search_settings(SearchSettings(budget=BUDGET))
    return lent


@pytest.fixture
def started(qtbot, settings, unadvised, painted, monkeypatch):
    """A window whose work runs in threads, after the start of a search that returns a result on request."""
    monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: Button.Discard)
    window = Window(session_on(SMALL), settings)
    session = window.session
    window.resize(1280, 800)
    window.findChild(QDockWidget, "dock-build").hide()  # filling a form that no test here checks takes long
    window.setUpdatesEnabled(False)  # no test here checks a picture
    window.show()
    slots = session.state.evaluation.case.mapping.slots
    mappings = []
    for tasks in ([0, 1], [0, 350], [7, 200], [30, 90]):
        slots = slots.copy()
        slots[tasks] = slots[tasks[::-1]]
        mappings.append((slots, session.state.report.time * 0.9 ** len(mappings) * 0.9))
    session.optimiser.search = search = Stepwise(*mappings)
    trigger(window, "optimise.start")
    yield window, search
    window.close()
    window.deleteLater()


@pytest.fixture
def running(started, qtbot):
    """The same window once the search has a result; the search continues until it is stopped."""
    window, search = started
    search.go()
    qtbot.waitUntil(lambda: window.session.state.edit.gesture.startswith("Optimise: "))
    return window, search


def trigger(window, name):
    action = window.commands[name]
    assert action.isEnabled(), name
    action.trigger()


def slots_of(window):
    return window.session.state.evaluation.case.mapping.slots.copy()


def assert_full(window):
    state = window.session.state
    full = evaluate(state.wanted.build())
    np.testing.assert_allclose(state.report.load, full.load, atol=1e-12)
    np.testing.assert_array_equal(full.case.mapping.slots, state.evaluation.case.mapping.slots)


def test_a_key_searches_and_another_keeps(ready):
    window, state = ready, ready.session.state
    QTest.keyClick(window, Qt.Key.Key_O)
    assert window.centre.charts.tabs.tabText(window.centre.charts.tabs.currentIndex()) == "Optimiser"
    assert window.session.state.search.phase is SearchPhase.FOUND
    QTest.keyClick(window, Qt.Key.Key_K)
    assert window.session.state.history.undo_name == window.session.state.search.runs[0].name
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.session.state.wanted == state.wanted
    np.testing.assert_array_equal(window.session.state.report.load, state.report.load)


@pytest.mark.parametrize(("key", "modifier"), [(Qt.Key.Key_Escape, "NoModifier"), (Qt.Key.Key_Z, "ControlModifier")])
def test_keys_that_discard_restore_the_mapping(ready, key, modifier):
    before = ready.session.state
    QTest.keyClick(ready, Qt.Key.Key_O)
    assert ready.session.state.evaluation is not before.evaluation
    QTest.keyClick(ready, key, getattr(Qt.KeyboardModifier, modifier))
    assert ready.session.state.evaluation is before.evaluation
    assert ready.session.state.history.undo_name == before.history.undo_name
    (run,) = ready.session.state.search.runs
    assert f"Run {run.number} was discarded" in ready.statusBar().currentMessage()


def test_the_toolbar_has_a_button(ready):
    button = ready.toolbar.options.buttons["optimise.start"]
    assert not button.icon().isNull()
    QTest.mouseClick(button, LEFT)
    assert ready.session.state.search.phase is SearchPhase.FOUND


def test_a_command_searches_for_an_order_of_hosts(ready):
    command = ready.commands["optimise.host-order"]
    assert command.text() == "Best node order"
    trigger(ready, "optimise.host-order")
    assert ready.session.state.search.settings.unit == "node"
    assert ready.session.state.search.runs[0].request.constraints.unit == "node"
    assert ready.optimiser.form.unit.currentText() == "node"


@pytest.mark.parametrize(("network", "title"), [
    (Torus(dims=(4, 4)), None),
    (Rail(units=1, servers=3, gpus=4, spines=0), "Best server order"),
    (Dragonfly(2, 1, 3, nodes_per_router=4, nics=2), "Best host order"),
], ids=["one task a node", "servers", "NICs"])  # fmt: skip
def test_networks_whose_hosts_have_several_tasks_have_an_order_of_hosts(network, title):
    spec = next(spec for spec in OPTIMISING if spec.id == "optimise.host-order")
    state = state_of(Scenario(network, Halo(rows=2, cols=4), Random(), Minimal()))
    assert spec.enabled(state) == (title is not None)
    assert title in (None, spec.text(state))


def test_commands_apply_when_they_can(ready):
    actions = ready.commands
    enabled = {spec.id for spec in actions.specs if spec.id.startswith("optimise.") and actions[spec.id].isEnabled()}
    assert enabled >= {"optimise.start", "optimise.show"}
    assert not enabled & {"optimise.stop", "optimise.keep", "optimise.discard", "optimise.pin", "optimise.unpin"}
    ready.session.mark([1, 2])
    trigger(ready, "optimise.pin")
    assert ready.session.state.search.pinned_tasks.tolist() == [1, 2]
    ready.session.mark([])
    trigger(ready, "optimise.mark-pinned")
    assert ready.session.state.marked.tolist() == [1, 2]
    trigger(ready, "optimise.unpin")
    assert ready.session.state.search.pinned_tasks.size == 0
    trigger(ready, "optimise.start")
    assert actions["optimise.keep"].isEnabled()
    assert "Keep best" in {
        entry.text
        for entry in palette_entries(ready.commands, ready.files, ready.tours, ready.build, ready.views.values())
    }
    trigger(ready, "optimise.explain")
    assert ready.session.state.comparison.mode is ComparisonMode.DIFFERENCE
    trigger(ready, "optimise.discard")
    assert not actions["optimise.keep"].isEnabled()


def undo(window):
    return window.commands["edit.undo"]


def test_undo_waits_until_a_search_has_changed_something(started, qtbot):
    window, search = started
    session, before = window.session, slots_of(window)
    assert session.state.search.phase is SearchPhase.RUNNING
    assert not undo(window).isEnabled()
    assert not window.toolbar.options.buttons["edit.undo"].isEnabled()
    search.go()
    qtbot.waitUntil(undo(window).isEnabled)
    assert undo(window).text().replace("&", "").startswith("Undo optimise: ")
    assert not np.array_equal(slots_of(window), before)
    QTest.mouseClick(window.toolbar.options.buttons["edit.undo"], LEFT)
    np.testing.assert_array_equal(slots_of(window), before)
    assert session.state.search.phase is SearchPhase.NONE
    assert not undo(window).isEnabled()


def test_undo_takes_the_last_step_back_while_a_search_has_found_nothing(started, qtbot):
    window = started[0]
    session = window.session
    session.optimiser.stop()
    qtbot.waitUntil(lambda: session.state.search.phase is SearchPhase.NONE)
    before = slots_of(window)
    case = session.state.evaluation.case
    edit = swapped(case.mapping, before[:1], before[40:41], occupants(case.mapping, case.network.slots))
    session.editing.apply(edit, "Swap two")
    changed = slots_of(window)
    trigger(window, "optimise.start")
    assert undo(window).text().replace("&", "") == "Undo swap two"
    QTest.mouseClick(window.toolbar.options.buttons["edit.undo"], LEFT)
    np.testing.assert_array_equal(slots_of(window), before)
    assert session.state.search.phase is SearchPhase.NONE
    assert window.statusBar().currentMessage().startswith("Stopped before the first mapping was tried.")
    assert session.state.history.redo_name == "Swap two"
    assert not np.array_equal(changed, before)


def test_a_search_says_at_once_that_it_is_starting(started, qtbot):
    window, search = started
    panel = window.optimiser
    assert panel.isVisible()
    assert panel.plot.picture.empty
    assert panel.plot.message == STARTING
    assert panel.button.text() == "Stop (starting …)"
    assert window.centre.charts.subtitle.text() == "run 1: starting …"
    # A mapping that is received before any other was evaluated is the start.
    qtbot.waitUntil(lambda: window.session.state.search.runs[0].result is not None)
    wait(50)
    assert panel.plot.picture.empty
    assert window.centre.charts.subtitle.text() == "run 1: starting …"
    search.go()
    qtbot.waitUntil(lambda: not panel.plot.picture.empty)
    assert panel.button.text() == "Stop"
    assert "searching" in window.centre.charts.subtitle.text()


class PaintWatch(QObject):
    """Records at every paint event the headline's text, and the report of the machine and of the tables."""

    def __init__(self, window):
        super().__init__()
        self.window, self.seen = window, []
        inspector = window.bottleneck
        overlay = window.machine.findChild(MachineOverlay)
        for watched in (inspector.headline.number, inspector.hottest.table.viewport(), overlay, window.job):
            watched.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            window = self.window
            machine = window.machine.shading_source[0]
            table = window.bottleneck.hottest.table.model().index(0, 3).data()
            shown = window.bottleneck.headline.number.text(), table, round(machine.load.max(), 9)
            self.seen.append((shown, (gbs(machine.throughput_gbs), significant(machine.load.max()), shown[2])))
        return False


def test_all_views_of_loads_change_together(started, qtbot):
    window, search = started
    window.setUpdatesEnabled(True)
    session, watch = window.session, PaintWatch(window)
    for _ in range(4):
        search.go()
        evaluation = session.state.evaluation
        qtbot.waitUntil(lambda evaluation=evaluation: session.state.evaluation is not evaluation)
        qtbot.waitUntil(lambda: bool(watch.seen) and watch.seen[-1][1][2] == round(session.state.report.load.max(), 9))
    assert len({shown for shown, _ in watch.seen}) >= 3
    assert all(shown == machine for shown, machine in watch.seen)


def test_stop_answers_and_leaves_the_choice(running, qtbot):
    window, search = running
    assert window.optimiser.button.text() == "Stop"
    QTest.mouseClick(window.optimiser.button, LEFT)
    qtbot.waitUntil(lambda: window.session.state.search.phase is SearchPhase.FOUND)
    assert search.stopped.is_set()
    assert window.optimiser.keep.isVisible()
    QTest.mouseClick(window.optimiser.keep, LEFT)
    assert len(window.session.state.history.steps) == 1
    assert_full(window)


def test_a_drag_during_a_search_starts_from_the_mapping_on_screen(running, qtbot):
    window, search = running
    steps, slots = len(window.session.state.history.steps), slots_of(window)
    window.session.mark([])
    window.session.set_tool("swap")
    assert window.session.state.search.phase is SearchPhase.RUNNING
    for row in (3, 12):
        QTest.mouseClick(window.job.event_widget, LEFT, pos=cell(window.job, row, 5))
    qtbot.waitUntil(lambda: window.session.state.search.runs[0].ended)
    names = [step.name for step in window.session.state.history.steps]
    assert len(names) == steps + 2
    assert names[-2].startswith("Optimise: ")
    assert names[-1].startswith("Swap")
    assert search.stopped.is_set()
    assert_full(window)
    trigger(window, "edit.undo")
    np.testing.assert_array_equal(slots_of(window), slots)


def cell(grid, row, col):
    return grid.heat.cell_rect(row, col).center().toPoint()


def test_selections_and_another_tool_do_not_disturb_a_search(running):
    window, search = running
    window.session.set_tool("select")
    drag(window.job.event_widget, cell(window.job, 1, 1), cell(window.job, 6, 6))
    assert window.session.state.marked.size
    trigger(window, "select.hottest")
    assert window.session.state.search.phase is SearchPhase.RUNNING
    assert not search.stopped.is_set()
    trigger(window, "optimise.discard")


def test_the_pointer_has_no_readout_of_a_search(running):
    window, _ = running
    assert not window.tip.isVisible()
    trigger(window, "optimise.discard")


def test_unsaved_results_survive_a_crash(running, qtbot):
    window, _ = running
    with qtbot.waitSignal(window.autosave.written):
        window.autosave.flush()
    trigger(window, "optimise.discard")


def test_closing_the_window_ends_a_search(running):
    window, search = running
    window.close()
    assert search.stopped.is_set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("search")]


def test_the_search_resumes_where_it_stopped(ready):
    """No stand-in: a few thousand mappings of the machine on screen, evaluated in this thread."""
    session = ready.session
    session.optimiser.search = optimise_in_core
    session.set_search_settings(
        SearchSettings(method=TwoOpt(), budget=Budget(seconds=None, steps=3000, seed=1, workers=1))
    )
    before = session.state
    trigger(ready, "optimise.start")
    run = session.state.search.runs[-1]
    assert run.best > run.start
    assert session.state.report.throughput_gbs == pytest.approx(run.best)
    assert_full(ready)
    first = run.best, run.steps
    trigger(ready, "optimise.resume")
    run = session.state.search.runs[-1]
    assert run.best >= first[0]
    assert run.steps == 2 * first[1]
    trigger(ready, "optimise.discard")
    assert session.state.evaluation is before.evaluation


def test_closing_the_window_ends_the_processes_of_a_search(running, qtbot):
    window, _ = running
    trigger(window, "optimise.discard")
    window.session.optimiser.search = optimise_in_core
    window.session.set_search_settings(SearchSettings(budget=Budget(workers=2)))
    trigger(window, "optimise.start")
    qtbot.waitUntil(lambda: bool(multiprocessing.active_children()))
    window.close()
    assert not multiprocessing.active_children()


def test_best_swaps_by_key_are_one_step_with_a_run(lent):
    before = lent.session.state.wanted
    QTest.keyClick(lent, Qt.Key.Key_S)
    run = lent.session.state.search.runs[-1]
    assert lent.session.state.history.undo_name == f"Apply {run.result.swaps} best swaps"
    trigger(lent, "edit.undo")
    assert lent.session.state.wanted == before
