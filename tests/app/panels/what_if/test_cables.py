"""Cables to add in the What-if panel, used by pointer: searched for, added up to a row, undone and removed."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.panels.what_if.cables import INTRODUCTION, STALE
from app.panels.what_if.panel import ADD, WhatIfPanel
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder, Minimal

LEFT = Qt.MouseButton.LeftButton
TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=1), Minimal(spread="equal"))


def click(widget, at=None):
    QTest.mouseClick(widget, LEFT, pos=at if at is not None else widget.rect().center())


def choose(box, value):
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def place(table, row):
    return table.visualRect(table.view_index(row)).center()


def opened(session_of, show, scenario=TORUS, cables=3):
    panel = show(WhatIfPanel(session_of(scenario)), 900, 300)
    choose(panel.what, ADD)
    choose(panel.sample, cables)
    return panel


@pytest.fixture
def panel(session_of, show):
    return opened(session_of, show)


def throughput(panel):
    return panel.state.evaluation.report.throughput_gbs


def test_a_search_lists_cables_in_their_order_with_exact_gains(panel):
    assert panel.message.text() == INTRODUCTION
    assert not panel.failures.isVisible()
    click(panel.start)
    search, table = panel.state.what_if.cables.search, panel.cables.table
    assert table.source.rowCount() == 3 == len(search.rows)
    texts = table.texts(range(3))
    assert texts[0] == ["No.", "Cable", "GB/s", "Gain", "Limited by", "Added"]
    assert [row[0] for row in texts[1:]] == ["1", "2", "3"]
    before = throughput(panel)
    for number, row in enumerate(search.rows, 1):
        after = evaluate(replace(TORUS, cables=search.cables[:number]).build()).throughput_gbs
        assert row.throughput_gbs == pytest.approx(after)
        assert row.gain == pytest.approx(100 * (after / before - 1))
        before = after
    assert panel.cables.summary.text().startswith("With 3 cables: ")
    assert not panel.message.isVisible()


def test_the_button_adds_the_rows_up_to_the_selected_one_in_one_step(panel):
    click(panel.start)
    search, table = panel.state.what_if.cables.search, panel.cables.table
    assert not panel.apply.isEnabled()
    click(table.viewport(), place(table, 1))
    assert panel.state.what_if.proposed_in(panel.state.evaluation.report) == search.cables[:2]
    choose(panel.what, "cables")
    assert panel.state.what_if.pointed is None
    choose(panel.what, ADD)
    assert panel.state.what_if.pointed == 1
    assert (panel.apply.isEnabled(), panel.apply.text()) == (True, "Add 2 cables")
    assert panel.state.wanted.cables == ()
    click(panel.apply)
    assert panel.state.wanted.cables == search.cables[:2]
    assert throughput(panel) == pytest.approx(search.rows[1].throughput_gbs)
    assert panel.state.undoes == "Add 2 cables"
    assert [row[-1] for row in table.texts(range(3))[1:]] == ["added", "added", ""]
    assert not panel.apply.isEnabled()
    assert panel.cables.cover.isHidden()
    panel.session.editing.undo()
    assert panel.state.wanted.cables == ()
    assert [row[-1] for row in table.texts(range(3))[1:]] == ["", "", ""]


def test_a_double_click_adds_the_remaining_cables_and_a_click_selects_an_added_one(panel):
    click(panel.start)
    search, table = panel.state.what_if.cables.search, panel.cables.table
    for row in (0, 2):
        click(table.viewport(), place(table, row))
        QTest.mouseDClick(table.viewport(), LEFT, pos=place(table, row))
        assert panel.state.wanted.cables == search.cables[: row + 1]
    assert panel.state.history.done == 2
    click(table.viewport(), place(table, 1))
    selected, network = panel.state.selection, panel.state.evaluation.case.network
    assert selected == Item("link", selected.index)
    assert (network.src[selected.index], network.dst[selected.index]) == (search.rows[1].src, search.rows[1].dst)
    assert selected.index >= network.without_cables.links


def test_other_scenarios_cover_the_cables_and_all_cables_are_removed_at_once(panel):
    click(panel.start)
    assert not panel.remove.isVisible()
    click(panel.cables.table.viewport(), place(panel.cables.table, 1))
    click(panel.apply)
    assert panel.remove.text() == "Remove 2 cables"
    assert panel.state.what_if.cables.search.rows[0].cable in panel.remove.toolTip()
    panel.session.choose("mapping", Random(seed=2))
    assert panel.message.text() == STALE
    assert not panel.cables.cover.isHidden()
    assert not panel.apply.isEnabled()
    assert panel.what.currentData() == ADD
    click(panel.remove)
    assert panel.state.wanted.cables == ()
    assert not panel.remove.isVisible()
    panel.session.editing.undo()
    assert len(panel.state.wanted.cables) == 2


def test_a_refusal_is_one_line_in_place(session_of, show):
    panel = opened(session_of, show, replace(TORUS, routing=DimensionOrder()))
    click(panel.start)
    assert "cannot use added cables" in panel.message.text()
    assert panel.message.text().endswith(".")
    assert not panel.cables.isVisible()
    panel = opened(session_of, show, Scenario(Torus((2049,)), Halo(3, 683), Random(seed=1), Minimal()))
    click(panel.start)
    assert "at most 2,048 can be compared" in panel.message.text()


def test_failures_and_cables_keep_their_settings(panel):
    choose(panel.what, "nodes")
    assert panel.sample.currentText() == "All 16"
    click(panel.start)
    assert panel.failures.isVisible()
    assert panel.state.failures.figures.what == "nodes"
    choose(panel.what, ADD)
    assert panel.sample.currentText() == "3 cables"
    assert not panel.failures.isVisible()
    choose(panel.what, "cables")
    assert panel.state.what_if.choice == ("cables", None)
