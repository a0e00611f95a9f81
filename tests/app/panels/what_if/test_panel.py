"""The What-if panel, used by pointer: failures evaluated, sorted, selected and applied; samples, and a narrow panel."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.model.state_groups import ComparisonMode
from app.model.what_if import DRAWS, MOST_AT_ONCE, FailureChoice
from app.panels.what_if.failures import INTRODUCTION, STALE
from app.panels.what_if.panel import ADD, CURVE, WhatIfPanel
from core.figures.resilience import CurveLength, curve_of, evaluator
from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import FatTree, Percs, Torus
from core.routing import Minimal, PercsDirect

LEFT = Qt.MouseButton.LeftButton
TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))
TREE = Scenario(FatTree(2, 2), AllToAll(tasks=4), Random(seed=1), Minimal())
PERCS = Scenario(Percs(supernodes=4, drawers=2, nodes_per_drawer=8), Halo(8, 8), Random(seed=1), PercsDirect())


@pytest.fixture
def panel(session_of, show):
    return show(WhatIfPanel(session_of(TORUS)), 900, 300)


def click(widget, at=None):
    QTest.mouseClick(widget, LEFT, pos=at if at is not None else widget.rect().center())


def place(table, row):
    return table.visualRect(table.view_index(row)).center()


def test_start_lists_every_cable_with_its_throughput_worst_first(panel):
    assert panel.message.text() == INTRODUCTION
    assert panel.failures.isHidden()
    click(panel.start)
    failures = panel.state.failures
    assert panel.failures.table.source.rowCount() == 32 == len(failures.faults)
    for row, fault in zip(failures.figures.rows, failures.faults, strict=True):
        fresh = evaluate(replace(TORUS, faults=(fault,)).build())
        assert row.throughput_gbs == pytest.approx(fresh.throughput_gbs)
    texts = panel.failures.table.texts(range(2))
    assert texts[0][:3] == ["Failure", "GB/s", "Slow-down"]
    assert texts[1][2].startswith("+")
    assert len(panel.failures.curve.curves[0].points) == 11
    assert not panel.message.text()


def test_a_click_selects_the_component_and_a_double_click_applies_its_failure(panel):
    click(panel.start)
    failures, viewport = panel.state.failures, panel.failures.table.viewport()
    assert not panel.apply.isEnabled()
    click(viewport, place(panel.failures.table, 0))
    assert panel.state.selection == failures.items[0] == Item("link", failures.faults[0].link(TORUS.machine()))
    assert panel.state.wanted.faults == ()
    assert panel.apply.isEnabled()
    QTest.mouseDClick(viewport, LEFT, pos=place(panel.failures.table, 0))
    assert panel.state.wanted.faults == failures.faults[:1]
    assert panel.state.report.throughput_gbs == pytest.approx(failures.figures.rows[0].throughput_gbs)
    assert panel.message.text() == STALE
    assert not panel.failures.cover.isHidden()
    panel.session.editing.undo()
    assert panel.state.wanted.faults == ()
    assert panel.state.failures is failures
    assert not panel.message.text()
    assert panel.failures.cover.isHidden()


def test_the_button_applies_the_failure_of_the_row_on_screen_after_sorting(panel):
    click(panel.start)
    panel.failures.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    click(
        panel.failures.table.viewport(),
        panel.failures.table.visualRect(panel.failures.table.sorted.index(0, 0)).center(),
    )
    click(panel.apply)
    best = panel.state.what_if.failures.figures.best
    assert panel.state.report.throughput_gbs == pytest.approx(best.throughput_gbs)
    assert panel.state.undoes == f"Fail {best.failure}"


@pytest.mark.parametrize(("what", "kind"), [("bundles", "bundle"), ("nodes", "node")])
def test_other_components_are_selected_as_such(session_of, show, what, kind):
    panel = show(WhatIfPanel(session_of(PERCS)), 900, 300)
    assert [panel.what.itemData(place) for place in range(panel.what.count())] == ["cables", "nodes", "bundles", ADD]
    panel.what.setCurrentIndex(panel.what.findData(what))
    panel.what.activated.emit(panel.what.currentIndex())
    click(panel.start)
    click(panel.failures.table.viewport(), place(panel.failures.table, 0))
    assert panel.state.selection.kind == kind
    assert panel.state.failures.figures.what == what


def test_samples_are_offered_only_of_many_components(session_of, show):
    panel = show(WhatIfPanel(session_of(TORUS)), 900, 300)
    sizes = [panel.sample.itemData(place) for place in range(panel.sample.count())]
    assert sizes == [None]
    panel.session.choose("network", Torus((16, 16)))
    assert [panel.sample.itemData(place) for place in range(panel.sample.count())] == [None, 256]
    panel.session.what_if.choose(FailureChoice("cables", 256))
    assert panel.sample.currentText() == "256 at random"


def test_a_narrow_panel_shows_table_or_curve(session_of, show):
    panel = show(WhatIfPanel(session_of(TORUS)), 470, 260)
    click(panel.start)
    assert panel.failures.table.isVisible()
    assert not panel.failures.curve.isVisible()
    click(panel.pages.group.button(CURVE))
    assert panel.failures.curve.isVisible()
    assert not panel.apply.isVisible()
    assert not panel.failures.table.isVisible()


def test_the_curve_shows_a_beside_b_while_they_are_compared(panel):
    session, curve = panel.session, panel.failures.curve
    click(panel.start)
    assert [each.name for each in curve.curves] == ["B"]
    session.set_reference(session.state.evaluation, ComparisonMode.OFF)
    session.choose("mapping", Random(seed=2))
    click(panel.start)
    assert len(curve.curves) == 1
    session.compare(ComparisonMode.SIDE)
    a, b = curve.curves
    assert (a.name, b.name) == ("A", "B")
    assert b.points == session.state.what_if.failures.curve.points
    fresh = evaluate(TORUS.build())
    assert a.points == curve_of(fresh, "cables", CurveLength(MOST_AT_ONCE), DRAWS, 0, evaluator(fresh))
    legend = [sample.text for sample in curve.chart.plot.legend.samples]
    assert legend[:3] == ["A", "B", "5 to 95 % of draws"]
    assert curve.chart.plot.title.forms[0] == "Throughput, GB/s"
    session.compare(ComparisonMode.OFF)
    assert len(curve.curves) == 1


def test_curves_of_different_machines_are_relative(panel):
    session, curve = panel.session, panel.failures.curve
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    session.choose("network", Torus((4, 8)))
    click(panel.start)
    assert [each.components for each in curve.curves] == [32, 64]
    chart = curve.chart
    assert (chart.plot.title.forms[0], chart.below.unit) == ("Relative throughput, %", "% of cables")
    assert chart.area.home[0] == (0.0, pytest.approx(100 * 10 / 32))


def test_a_without_such_components_has_no_curve(session_of, show):
    session = session_of(TORUS)
    panel = show(WhatIfPanel(session), 900, 300)
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    session.propose(TREE)
    session.what_if.choose(FailureChoice("switches"))
    session.what_if.start()
    assert len(panel.failures.curve.curves) == 1
    assert panel.message.text() == "A: this network has no switches; choose cables or nodes or bundles."
