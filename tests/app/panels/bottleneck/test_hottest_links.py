"""The table of hottest links: sorting, keyboard, one selection with all other views."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.model.places import EditBase
from app.model.pointing import Item
from app.panels.bottleneck.hottest_links import GLANCE_MS, MAX_LINKS, HottestLinks
from app.storage.presets import preset
from core.job import Halo
from core.load.evaluate import evaluate
from core.mapping import Random, Sequential
from core.mapping.edit import edit_moving, occupants
from core.network import Percs
from core.routing import PercsIndirect
from tests import pointer


@pytest.fixture
def hot(session, show):
    table = HottestLinks(session)
    table.show_report(session.state.report)
    session.changed.connect(lambda changes: table.table.show_selection(session.state.selection))
    return show(table, 300, 300)


def cells(hot, row):
    model = hot.table.model()
    return [model.index(row, column).data() for column in range(model.columnCount())]


def place_of(hot, row):
    return hot.table.visualRect(hot.table.model().index(row, 1)).center()


def click_head(hot, column):
    head = hot.table.horizontalHeader()
    at = QPoint(head.sectionViewportPosition(column) + 4, 6)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_rows_show_the_figures_of_the_report(hot, session):
    report = session.state.report
    assert hot.links.tolist() == report.hottest(MAX_LINKS).tolist()
    network, link = report.case.network, int(hot.links[0])
    ends = [network.label(int(end[link])).replace(" · ", "·") for end in (network.src, network.dst)]
    assert cells(hot, 0) == ["LR", *ends, "0.3125", "100"]
    near = np.count_nonzero(report.utilisation >= 0.99)
    assert hot.caption.text() == f"{near} within 1 %"


def test_nearly_hottest_links_are_counted_over_several_phases(session):
    session.open(preset("nas-lu-skeleton"), None)
    report = session.state.report
    hottest = report.utilisation.max()
    assert hottest < 1
    table = HottestLinks(session)
    table.show_report(report)
    near = np.count_nonzero(report.utilisation >= 0.99 * hottest)
    assert table.caption.text() == f"{near} within 1 %"
    table.deleteLater()


def test_passing_reports_are_shown_at_a_limited_rate(hot, session, qtbot):
    report = session.state.report
    others = [evaluate(replace(report.case.scenario, mapping=Random(seed)).build()) for seed in (1, 2)]
    rows = [other.hottest(MAX_LINKS).tolist() for other in others]
    qtbot.wait(GLANCE_MS)
    for other in others:
        hot.show_report(other, passing=True)
        assert hot.links.tolist() == rows[0] != rows[1]
    qtbot.waitUntil(lambda: hot.links.tolist() == rows[1])
    hot.show_report(report)
    assert hot.links.tolist() == report.hottest(MAX_LINKS).tolist()


def test_click_on_a_head_sorts(hot, session):
    report = session.state.report
    click_head(hot, 3)
    first, last = (hot.table.source_row(hot.table.model().index(row, 0)) for row in (0, hot.links.size - 1))
    assert report.load[hot.links[first]] == report.load[hot.links].min()
    assert report.load[hot.links[last]] == report.load[hot.links].max()
    click_head(hot, 1)
    sources = [
        int(report.case.network.src[hot.links[hot.table.source_row(hot.table.model().index(row, 0))]])
        for row in range(hot.links.size)
    ]
    assert sources == sorted(sources)


def test_click_on_a_row_selects_the_link_once(hot, session, log_of):
    log = log_of(session)
    QTest.mouseClick(hot.table.viewport(), Qt.MouseButton.LeftButton, pos=place_of(hot, 2))
    assert session.state.selection == Item("link", int(hot.links[2]))
    assert len(log.of(ChangeSet.SELECTION)) == 1


def test_down_key_selects_the_next_link_in_the_order_on_screen(hot, session):
    click_head(hot, 1)
    QTest.mouseClick(hot.table.viewport(), Qt.MouseButton.LeftButton, pos=place_of(hot, 0))
    for row in (1, 2):
        QTest.keyClick(hot.table, Qt.Key.Key_Down)
        source = hot.table.source_row(hot.table.model().index(row, 0))
        assert session.state.selection == Item("link", int(hot.links[source]))


def test_link_selected_elsewhere_is_highlighted_without_an_echo(hot, session, log_of):
    log = log_of(session)
    session.select(Item("link", int(hot.links[300])))
    index = hot.table.selectionModel().selectedRows()[0]
    assert index.row() == 300
    assert hot.table.viewport().rect().contains(hot.table.visualRect(index).center())
    assert len(log.of(ChangeSet.SELECTION)) == 1


def test_link_outside_the_table_clears_its_selection(hot, session):
    session.select(Item("link", int(hot.links[0])))
    coldest = int(session.state.report.load.argmin())
    for item in (Item("link", coldest), Item("task", 7), None):
        session.select(item)
        assert hot.table.selectionModel().selectedRows() == []
        assert session.state.selection == item


def test_pointer_over_a_row_hovers_its_link_until_it_leaves(hot, session):
    pointer.move(hot.table.viewport(), place_of(hot, 0), place_of(hot, 3), button=Qt.MouseButton.NoButton)
    assert session.state.hover == Item("link", int(hot.links[3]))
    QApplication.sendEvent(hot.table.viewport(), QEvent(QEvent.Type.Leave))
    assert session.state.hover is None


def test_selected_link_stays_selected_when_loads_change(hot, session):
    session.select(Item("link", int(hot.links[5])))
    session.choose("job", Halo(64, 64, periodic=False))
    hot.show_report(session.state.report)
    hot.table.show_selection(session.state.selection)
    rows = hot.table.selectionModel().selectedRows()
    if session.state.selection.index in hot.links:
        assert hot.links[hot.table.source_row(rows[0])] == session.state.selection.index
    else:
        assert rows == []


def test_links_without_load_are_not_listed(session, show):
    session.choose("job", Halo(2, 2))
    session.choose("mapping", Sequential())
    table = HottestLinks(session)
    table.show_report(session.state.report)
    assert table.links.size == 0
    assert table.caption.text() == "0 within 1 %"
    table.deleteLater()


@pytest.mark.parametrize(
    ("choice", "spec"), [("mapping", Random(seed=5)), ("network", Percs(32, 8)), ("routing", PercsIndirect())]
)
def test_another_scenario_scrolls_to_the_hottest_link(hot, session, choice, spec):
    scroll_down(hot)
    session.choose(choice, spec)
    hot.show_report(session.state.report)
    assert row_at_top(hot) == 0


def test_an_edit_keeps_the_row_at_the_top(hot, session):
    scroll_down(hot)
    link = hot.table.item_at(QPoint(1, 1))
    edit, name = EditBase(session.state.evaluation.case).exchange_tasks(0, 1)
    for change in (lambda: session.editing.apply(edit, name), session.editing.undo):
        change()
        hot.show_report(session.state.report)
        assert hot.table.item_at(QPoint(1, 1)) == link
        assert row_at_top(hot) > 0


def test_unscrolled_table_shows_the_hottest_links_after_an_edit(hot, session):
    before, case = hot.table.item_at(QPoint(1, 1)), session.state.evaluation.case
    taken = occupants(case.mapping, case.network.slots)
    session.editing.apply(edit_moving(case.mapping, np.arange(32), case.mapping.slots[-32:], taken), "Move far")
    hot.show_report(session.state.report)
    assert row_at_top(hot) == 0
    assert hot.table.item_at(QPoint(1, 1)) != before
    assert before.index in hot.links


def scroll_down(hot):
    for _ in range(6):
        QTest.keyClick(hot.table, Qt.Key.Key_PageDown)
    hot.table.clearSelection()
    assert row_at_top(hot) > 10


def row_at_top(hot):
    return hot.table.indexAt(QPoint(1, 1)).row()


def test_narrow_table_omits_the_load_before_it_elides_ends(hot):
    table, units = hot.table, 3
    font = table.font()
    for width, scale, out in ((300, 1, False), (391, 2, True), (600, 2, False), (391, 1, False)):
        table.setFont(type(font)(font.family(), font.pointSize() * scale))
        hot.resize(width, 300)
        QApplication.sendPostedEvents()
        assert table.isColumnHidden(units) == out
        assert table.horizontalScrollBar().maximum() == 0
    assert cells(hot, 0)[units] == "0.3125"


def test_count_wraps_to_its_own_line_in_a_narrow_panel(hot):
    for width in (300, 200):
        hot.resize(width, 300)
        QApplication.sendPostedEvents()
        assert (hot.caption.y() > hot.heading.y()) == (width == 200)
        assert hot.caption.geometry().right() == hot.width() - 1
    assert hot.minimumSizeHint().width() <= 200


def test_percentages_are_relative_to_the_colour_scale(hot, session):
    case = session.state.evaluation.case
    taken = occupants(case.mapping, case.network.slots)
    session.editing.begin("Move far")
    session.editing.append_edit(edit_moving(case.mapping, np.arange(32), case.mapping.slots[-32:], taken))
    hot.show_report(session.state.report)
    over = session.state.report.time / session.state.full_scale_time
    assert over > 1
    assert cells(hot, 0)[-1] == f"{100 * over:.0f}"
    session.editing.commit()
    hot.show_look()
    assert cells(hot, 0)[-1] == "100"
