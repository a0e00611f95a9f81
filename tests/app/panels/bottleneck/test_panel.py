"""The Bottleneck panel: the largest number, the distance from the best, and the last valid state after an error."""

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind
from app.model.places import EditBase
from app.model.pointing import Item
from app.panels.bottleneck.panel import BottleneckPanel
from app.storage.presets import preset
from app.style.theme import LIGHT
from app.widgets.layouts import lay_out
from app.wording.numbers import gbs, percent
from core.job import AllToAll, Flows, Halo
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, Sequential
from core.mapping.targets import Target
from core.network import LinkFault, Mesh, Percs, Torus
from core.network.families.hypercube import Hypercube
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from core.routing.minimal.scheme import Minimal
from core.text import as_sentence
from tests.patience import wait

TORUS = Scenario(Torus((8, 8, 8)), Halo(16, 32), Sequential(), DimensionOrder())


@pytest.fixture
def panel(session, laid_out):
    return laid_out(BottleneckPanel(session))


def test_worked_example_shows_throughput_bound_and_links(panel, session):
    head = panel.headline
    assert head.number.text() == "64.0"
    assert head.unit.text() == "GB/s per node"
    assert head.limit.text() == "Bottleneck: LR"
    assert not head.change.isVisible()
    best = session.state.report.throughput(session.state.evaluation.bounds[0].time)
    assert panel.bound.text.text() == f"{percent(64 / best)} of the upper bound, {gbs(best)} GB/s"
    assert not panel.bound.reason.isVisible()


def test_a_mapping_at_its_upper_bound_is_called_optimal(panel, session):
    session.open(preset("power775-optimal-halo-16-supernodes-4-d-links"), None)
    assert panel.headline.number.text() == "128"
    assert panel.bound.text.text() == "Optimal: equals its upper bound, 128 GB/s"


def test_the_proof_of_the_bound_unfolds_in_full(panel, session):
    reason, why = panel.bound.reason, panel.bound.why
    below = panel.hottest.mapTo(panel, QPoint()).y()
    QTest.mouseClick(why, Qt.MouseButton.LeftButton)
    wait(50)
    bound = session.state.evaluation.bounds[0]
    claim, *steps = reason.text().splitlines()
    assert claim == as_sentence(bound.reason)
    assert steps == list(bound.steps)
    assert why.text() == "Hide"
    assert panel.hottest.mapTo(panel, QPoint()).y() > below
    line = reason.fontMetrics().lineSpacing()
    assert reason.height() > 2 * line
    assert reason.height() >= reason.heightForWidth(reason.width())
    QTest.mouseClick(why, Qt.MouseButton.LeftButton)
    wait(50)
    assert (reason.isVisible(), why.text()) == (False, "Why?")
    assert panel.hottest.mapTo(panel, QPoint()).y() == below


def test_several_limiting_classes_are_listed_in_brief(panel, session):
    session.open(Scenario(Hypercube(dimensions=6), AllToAll(64), Sequential(), Minimal(spread="equal")), None)
    limit = panel.headline.limit
    assert limit.text() == "Bottleneck: X, Y and 4 more"
    assert limit.toolTip() == "Throughput limited by X, Y, Z, W, D5 and D6 links"
    assert limit.wordWrap()


def test_number_is_the_largest_text(panel):
    number = panel.headline.number
    others = [label.fontInfo().pixelSize() for label in panel.findChildren(QLabel) if label is not number]
    assert number.fontInfo().pixelSize() >= 3 * max(others)


def test_change_since_the_last_edit(panel, session):
    session.choose("mapping", Sequential())
    head = panel.headline
    assert (head.number.text(), head.change.text()) == ("10.0", "▼ −54.0 since mod-colour")
    assert head.change.property("role") == "bad"
    session.choose("mapping", ModColour())
    assert (head.number.text(), head.change.text()) == ("64.0", "▲ +54.0 since sequential")
    assert head.change.property("role") == "good"
    session.choose("mapping", ModColour())
    session.choose("network", Percs(32, 4, ll_gbs=22.0))
    assert head.change.text() == "unchanged"


def test_a_disconnected_network_never_shows_a_gain(panel, session):
    flows = Flows(src=(0, 2, 4, 6), dst=(1, 3, 5, 7), volume=(10.0, 5.0, 5.0, 5.0))
    scenario = Scenario(Mesh((8,)), flows, Sequential(), DimensionOrder())
    session.propose(scenario)
    session.propose(replace(scenario, faults=(LinkFault(src=0, dst=1),)))
    head, theme = panel.headline, session.state.style.theme
    assert session.state.report.disconnected.volume == 10
    assert session.state.report.throughput_gbs > session.state.baseline.performance.gbs
    assert head.disconnected.isVisible()
    assert head.disconnected.text() == "1 flow disconnected"
    assert theme.bad in head.disconnected.styleSheet()
    assert theme.dim in head.number.styleSheet()
    assert "of connected flows" in head.unit.text()
    assert not head.change.isVisible()
    session.propose(scenario)
    assert not head.disconnected.isVisible()
    assert not head.number.styleSheet()
    assert "still" not in head.unit.text()
    # Connecting it again is not a loss.
    assert not head.change.isVisible()


def test_disconnected_job_shows_no_slowdown(panel, session):
    flows = Flows(src=(0, 1), dst=(1, 0), volume=(1.0, 1.0))
    beside = Neighbour(job=Flows(src=(0, 1), dst=(1, 0), volume=(1.0, 1.0)), mapping=Sequential(), allocation="6-7")
    scenario = Scenario(Mesh((8,)), flows, Sequential(), DimensionOrder(), allocation="0-1", neighbours=(beside,))
    session.propose(scenario)
    assert "as fast as alone" in panel.headline.unit.text()
    session.propose(replace(scenario, faults=(LinkFault(src=0, dst=1),)))
    assert session.state.report.disconnected
    assert "alone" not in panel.headline.unit.text()


def test_manual_mapping_is_called_the_last_change(panel, session):
    edit, name = EditBase(session.state.evaluation.case).exchange(Target(1, 0), Target(1, 90))
    session.editing.apply(edit, name)
    assert panel.headline.change.text() == "▼ −24.0 since the last change"
    session.editing.undo()
    assert panel.headline.change.text() == "▲ +24.0 since the last change"


def test_time_of_traced_flows_follows_the_throughput(panel, session):
    job = Flows(src=(0,), dst=(9,), volume=(5e3,), unit="MB")
    session.open(Scenario(Percs(2, 4), job, Sequential(), PercsDirect()), None)
    assert panel.headline.unit.text() == "GB/s per node · 59.52\N{NO-BREAK SPACE}ms · volumes in MB"
    assert [column.title for column in panel.hottest.table.source.columns][3] == "MB"
    job = Flows(src=(0,), dst=(9,), volume=(5.0,), unit="messages")
    session.open(Scenario(Percs(2, 4), job, Sequential(), PercsDirect()), None)
    assert panel.headline.unit.text() == "GB/s per node for equal messages"
    session.open(TORUS, None)
    assert panel.headline.unit.text() == "GB/s per node"


def test_unit_is_shown_in_full_in_a_narrow_panel(session, show):
    panel = show(BottleneckPanel(session), 260, 600)
    job = Flows(src=(0,), dst=(9,), volume=(15437.0,), unit="messages")
    session.open(Scenario(Percs(2, 4), job, Sequential(), PercsDirect()), None)
    lay_out()
    unit = panel.headline.unit
    assert unit.wordWrap()
    assert unit.height() >= unit.heightForWidth(unit.width()) > unit.fontMetrics().lineSpacing()
    assert max(map(unit.fontMetrics().horizontalAdvance, unit.text().split())) <= unit.width()


def test_job_without_traffic_has_a_message_and_no_table(panel, session):
    session.open(Scenario(Percs(2, 4), AllToAll(1), Sequential(), PercsDirect()), None)
    assert panel.headline.number.text() == "—"
    assert panel.headline.limit.text() == "No link carries anything."
    assert panel.idle.isVisible()
    assert not panel.hottest.isVisible()
    assert not panel.bound.isVisible()
    session.open(TORUS, None)
    assert panel.hottest.isVisible()
    assert not panel.idle.isVisible()


def test_fully_disconnected_job_has_a_message_at_the_top(panel, session):
    scenario = Scenario(Mesh((1, 2)), Halo(1, 2), Sequential(), DimensionOrder())
    session.open(replace(scenario, faults=(LinkFault(src=0, dst=1),)), None)
    wait(50)
    assert panel.headline.number.text() == "—"
    assert panel.idle.text() == "All flows between nodes are disconnected, so no link carries load."
    assert "throughput" not in panel.disconnected.text.text()
    assert panel.headline.y() < 20
    assert panel.idle.geometry().bottom() < 300


@pytest.mark.parametrize("value", ["10,240", "0.8175", "2.441e-05", "1,234,567"])
def test_long_number_shrinks_and_is_never_elided(panel, value):
    number = panel.headline.number
    number.setText(value)
    panel.headline.fit_number()
    panel.resize(290, 760)
    wait(20)
    assert number.width() >= number.fontMetrics().horizontalAdvance(value)
    assert number.geometry().right() <= panel.width()


def test_last_good_numbers_stay_after_an_error(panel, session):
    rows = panel.hottest.links.tolist()
    session.choose("mapping", Blocks(3, 16))
    assert session.state.error is not None
    assert panel.headline.number.text() == "64.0"
    assert panel.hottest.links.tolist() == rows


def test_table_and_causes_follow_each_other(panel, session):
    panel.hottest.table.setFocus()
    place = panel.hottest.table.visualRect(panel.hottest.table.model().index(0, 1)).center()
    QTest.mouseClick(panel.hottest.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    first = panel.causes.title.text()
    assert session.state.selection == Item("link", int(panel.hottest.links[0]))
    QTest.keyClick(panel.hottest.table, Qt.Key.Key_Down)
    assert session.state.selection == Item("link", int(panel.hottest.links[1]))
    assert panel.causes.title.text() != first


def test_the_focus_goes_from_hidden_causes_to_the_table_not_to_a_button(panel, session, qtbot):
    session.select(Item("link", int(session.state.report.hottest(1)[0])))
    panel.activateWindow()
    tasks = panel.causes.tasks
    tasks.setFocus()
    qtbot.waitUntil(tasks.hasFocus)
    QTest.keyClick(tasks, Qt.Key.Key_Down)
    assert session.state.selection.kind == "flow"
    session.select(None)
    assert not tasks.isVisible()
    assert panel.hottest.table.hasFocus()
    assert session.state.selection is None


def test_theme_repaints_without_losing_anything(panel, session):
    session.select(Item("link", int(panel.hottest.links[0])))
    colours = [part.colour for part in panel.causes.roles.parts]
    session.set_theme(LIGHT)
    assert [part.colour for part in panel.causes.roles.parts] != colours
    assert panel.hottest.table.selectionModel().selectedRows()[0].row() == 0


def test_congruence_classes_are_computed_when_unfolded(panel, session):
    fold = panel.congruence
    assert fold.button.text() == "By congruence class"
    assert fold.table.source.rowCount() == 0
    QTest.mouseClick(fold.button, Qt.MouseButton.LeftButton)
    expected = session.state.report.congruence()
    assert fold.table.isVisible()
    assert fold.table.source.rowCount() == len(expected)
    columns = [column.values for column in fold.table.source.columns]
    assert list(zip(*columns, strict=True)) == expected
    session.choose("routing", PercsIndirect())
    means = [row[2] for row in session.state.report.congruence()]
    assert fold.table.source.columns[2].values == means


def test_network_without_congruence_has_no_fold(panel, session):
    session.open(TORUS, None)
    assert not panel.congruence.isVisible()


def test_hidden_panel_catches_up(panel, session):
    panel.hide()
    session.choose("mapping", Sequential())
    assert panel.headline.number.text() == "64.0"
    panel.show()
    assert panel.headline.number.text() == "10.0"


@pytest.mark.parametrize("width", [290, 330])
def test_panel_fits_its_width_with_background_jobs(panel, session, width):
    session.open(preset("dragonfly-two-jobs-scattered"), None)
    session.select(Item("link", int(panel.hottest.links[0])))
    panel.resize(width, 760)
    wait(20)
    area = panel.findChild(QScrollArea)
    assert panel.causes.jobs.isVisible()
    assert "slower than alone" in panel.headline.unit.text()
    assert area.widget().width() == area.viewport().width()


@pytest.mark.parametrize("width", [290, 330])
@pytest.mark.parametrize("scenario", [None, TORUS], ids=["percs", "torus"])
def test_panel_fits_its_width_and_elides_no_number(panel, session, width, scenario):
    if scenario is not None:
        session.open(scenario, None)
    session.select(Item("link", int(panel.hottest.links[0])))
    panel.resize(width, 760)
    wait(20)
    area = panel.findChild(QScrollArea)
    assert area.widget().width() == area.viewport().width()
    table = panel.hottest.table
    assert sum(table.columnWidth(column) for column in range(5)) <= table.viewport().width()
    for column in (3, 4):
        texts = [table.model().index(row, column).data() for row in range(20)]
        wide = max(map(table.fontMetrics().horizontalAdvance, texts))
        # Loads give way to names.
        assert table.columnWidth(column) > wide or (column == 3 and table.isColumnHidden(column))


def test_large_machine_is_shown_in_a_fraction_of_its_evaluation(session_of, show):
    session = session_of(Scenario(Percs(512, 1), Halo(256, 256), ModColour(), PercsDirect()))
    panel = show(BottleneckPanel(session))
    session.choose("mapping", Sequential())
    started = time.thread_time()  # other programs do not count
    panel.refresh(ChangeSet.ALL)
    assert time.thread_time() - started < session.state.evaluation.seconds


@pytest.mark.parametrize(("unit", "words"), [("auto", "volumes assumed to be in GB"), ("GB", "volumes in GB")])
def test_unit_of_a_file_follows_the_number(panel, session, tmp_path, unit, words):
    (tmp_path / "m.csv").write_text("0,1\n1,0\n")
    job = Flows(file=str(tmp_path / "m.csv"), unit=unit)
    session.open(Scenario(Percs(2, 4), job, Sequential(), PercsDirect()), None)
    assert panel.headline.unit.text().endswith(f" · {words}")


def test_running_computation_replaces_outdated_facts_without_moving_widgets(panel, session):
    places = [widget.geometry() for widget in (panel.headline, panel.bars, panel.hottest)]
    session.show_computation(Computation(Kind.EVALUATION, "Computing: Indirect routing"))
    QApplication.processEvents()
    head = panel.headline
    assert panel.cover.isVisible()
    assert head.pending.isVisible()
    assert head.pending.text == "Computing: Indirect routing …"
    assert not head.limit.isVisible()
    assert [widget.geometry() for widget in (panel.headline, panel.bars, panel.hottest)] == places
    QTest.mouseClick(head.pending.cancel, Qt.MouseButton.LeftButton)
    assert panel.cover.isHidden()
    assert (head.pending.isVisible(), head.limit.isVisible()) == (False, True)


def test_facts_stay_while_a_file_is_read(panel, session):
    session.show_computation(Computation(Kind.FILE, "Reading x.json"))
    assert panel.cover.isHidden()
    assert panel.headline.limit.isVisible()


def test_swaps_are_searched_after_a_cancelled_computation(session_of, show, monkeypatch, qtbot):
    monkeypatch.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", 10)
    session = session_of(TORUS)
    session.show_computation(Computation(Kind.EVALUATION, "Computing: Indirect routing"))
    swaps = show(BottleneckPanel(session)).swaps
    qtbot.waitUntil(lambda: not swaps._idle.isActive())
    assert session.advisor.current is None
    session.cancel_pending()
    qtbot.waitUntil(lambda: session.advisor.current is not None)
