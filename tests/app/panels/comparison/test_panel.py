"""Changes from A to B: the table's numbers equal numpy's, and it follows B."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel

from app.model.comparison_text import what_differs
from app.model.computation import Computation, Kind
from app.model.pointing import Item
from app.model.state_groups import ComparisonMode
from app.panels.comparison.panel import ComparisonPanel, figure_columns
from app.widgets.labels import PartsLabel
from app.wording.numbers import gbs, signed
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import edit_moving, occupants
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect, PercsIndirect
from tests.pointer import move

SMALL = Scenario(Percs(supernodes=6, d_links=4), Halo(rows=24, cols=32), Random(seed=3), PercsDirect())
SEQUENTIAL = SMALL.with_choice("mapping", Sequential())
TORUS = Scenario(Torus(dims=(4, 4)), Halo(rows=4, cols=4), Sequential(), DimensionOrder())


@pytest.fixture
def session(session_of):
    session = session_of(SMALL)
    session.pin_scenario(SEQUENTIAL, ComparisonMode.DIFFERENCE)
    return session


@pytest.fixture
def panel(session, show):
    return show(ComparisonPanel(session), 900, 300)


def texts(table, column):
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def titles(table):
    return [table.model().headerData(k, Qt.Orientation.Horizontal) for k in range(table.model().columnCount())]


def column(table, title):
    return texts(table, titles(table).index(title))


def test_headline_shows_both_throughputs_and_the_change(panel, session):
    a, b = (evaluation.report for evaluation in session.state.compared_pair)
    assert panel.headline.text().startswith(f"{a.throughput_gbs:.4g}")
    assert panel.headline.text().endswith(signed(b.throughput_gbs / a.throughput_gbs - 1))
    assert panel.verdicts.text() == a.verdict == b.verdict == "limited by D links"
    session.propose(TORUS)
    session.compare(ComparisonMode.SIDE)
    assert panel.verdicts.text() == f"limited by D links → {session.state.report.verdict}"


def test_classes_have_the_figures_of_a_and_b(panel, session):
    a, b = (evaluation.report for evaluation in session.state.compared_pair)
    assert column(panel.classes, "Class") == ["LL", "LR", "D"]
    for title, classes, field in (
        ("Max A", a.classes, "max_load"),
        ("Max B", b.classes, "max_load"),
        ("Mean A", a.classes, "mean_load"),
        ("Mean B", b.classes, "mean_load"),
        ("GB/s A", a.classes, "throughput_gbs"),
        ("GB/s B", b.classes, "throughput_gbs"),
    ):
        figures = [float(text.replace(",", "")) for text in column(panel.classes, title)]
        assert figures == pytest.approx([getattr(class_loads, field) for class_loads in classes], rel=1e-3)
    expected = [signed(y.throughput_gbs / x.throughput_gbs - 1) for x, y in zip(a.classes, b.classes, strict=True)]
    assert column(panel.classes, "Change") == expected


def test_links_that_changed_most_are_listed(panel, session):
    a, b = (evaluation.report for evaluation in session.state.compared_pair)
    gbs, longer = b.case.network.gbs, max(a.time, b.time)
    change = (b.load - a.load) / gbs
    order = np.argsort(-np.abs(np.round(change, 12)), kind="stable")[:1000]
    np.testing.assert_allclose(np.abs(change[panel.links.links]), np.abs(change[order]), atol=1e-12)
    links = panel.links.links
    shares = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(panel.links.table, "B\N{MINUS SIGN}A %")]
    np.testing.assert_allclose(shares, 100 * change[links] / longer, atol=0.051)
    loads = [float(text) for text in column(panel.links.table, "B")]
    np.testing.assert_allclose(loads, b.load[links], rtol=1e-3)
    changed = int(np.count_nonzero(np.abs(change) > 1e-9 * longer))
    assert panel.links.caption.text().startswith(f"{changed:,} links changed, 1,000 largest listed")


def test_a_row_selects_its_link_and_a_link_its_row(panel, session, qtbot):
    table = panel.links.table
    index = table.model().index(3, 0)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
    assert session.state.selection == Item("link", int(panel.links.links[3]))
    session.select(Item("link", int(panel.links.links[7])))
    assert [row.row() for row in table.selectionModel().selectedRows()] == [7]
    session.select(None)
    assert not table.selectionModel().selectedRows()


def test_hover_ends_when_the_pointer_leaves_or_the_table_hides(panel, session):
    viewport = panel.links.table.viewport()
    place = panel.links.table.visualRect(panel.links.table.model().index(2, 0)).center()
    pointed = Item("link", int(panel.links.links[2]))
    for end in (lambda: QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave)), panel.hide):
        move(viewport, place, place + QPoint(3, 0), button=Qt.MouseButton.NoButton)
        assert session.state.hover == pointed
        end()
        assert session.state.hover is None


def put(session):
    case = session.state.evaluation.case
    edit = edit_moving(
        case.mapping, [0, 700], case.mapping.slots[[700, 0]], occupants(case.mapping, case.network.slots)
    )
    session.editing.replace_edit(edit)


def test_panel_follows_a_gesture_at_a_limited_rate_and_its_end_immediately(panel, session, qtbot):
    session.set_reference(session.state.evaluation, ComparisonMode.SIDE)
    assert panel.links.caption.text() == "A is pinned. Your next changes become B."
    assert not panel.links.table.isVisible()
    session.editing.begin("try")
    put(session)
    changed = np.count_nonzero(session.state.difference)
    qtbot.waitUntil(lambda: panel.links.links.size == min(changed, 100))
    assert set(panel.links.links) <= set(np.flatnonzero(session.state.difference))
    session.editing.commit()
    assert panel.links.links.size == changed
    assert panel.links.table.isVisible()
    session.editing.undo()
    assert not panel.links.links.size
    assert not panel.links.table.isVisible()
    assert panel.links.caption.text() == "Every link carries the same load in A and B."


def test_cancelled_gesture_leaves_no_trace(panel, session):
    before, text = panel.links.links, panel.headline.text()
    session.editing.begin("try")
    put(session)
    session.editing.cancel()
    np.testing.assert_array_equal(panel.links.links, before)
    assert panel.headline.text() == text


def test_heading_lists_differing_choices(session):
    a, b = session.state.compared_pair
    moved_tasks = np.count_nonzero(a.case.mapping.nodes != b.case.mapping.nodes)
    assert what_differs(a, b) == (
        f"mapping: sequential → random · {moved_tasks} tasks moved to another node · network, job, routing: same"
    )
    assert what_differs(a, a) == "A and B are the same scenario."


@pytest.mark.parametrize("width", [120, 260, 400, 900])
def test_heading_lists_all_changes_or_counts_them(session, width):
    session.propose(session.state.wanted.with_choice("routing", PercsIndirect()))
    text = what_differs(*session.state.compared_pair)
    heading = PartsLabel(text)
    heading.setFixedWidth(width)
    assert heading.shown.startswith("2 changes"[: len(heading.shown.rstrip("…"))])
    if ":" in heading.shown:
        assert "mapping, routing" in heading.shown
    assert text in (heading.tip, heading.shown)
    assert "mapping: sequential → random" in text
    assert "routing: " in text


def test_different_networks_have_a_message(panel, session):
    session.propose(TORUS)
    assert session.state.comparison.mode is ComparisonMode.OFF
    session.compare(ComparisonMode.DIFFERENCE)
    assert panel.message.isVisible()
    assert "different networks" in panel.message.text()
    assert not panel.links.isVisible()
    assert panel.classes.isVisible()
    assert set(column(panel.classes, "Class")) == {"X", "Y", "LL", "LR", "D"}
    assert "—" in column(panel.classes, "Max A")
    assert "Choose Side by side instead" in panel.message.text()
    session.compare(ComparisonMode.SIDE)
    assert panel.message.text() == "A and B have different networks, so single links cannot be compared."
    session.propose(SMALL)
    assert not panel.message.isVisible()
    assert panel.links.table.isVisible()


def test_a_narrow_panel_shows_one_table_at_a_time(panel, qtbot):
    assert panel.classes.isVisible()
    assert panel.links.isVisible()
    QApplication.processEvents()
    assert panel.classes.geometry().right() < panel.links.geometry().left()
    panel.resize(480, 220)
    assert (panel.classes.isVisible(), panel.links.isVisible()) == (False, True)
    qtbot.mouseClick(panel.parts.group.button(0), Qt.MouseButton.LeftButton)
    assert (panel.classes.isVisible(), panel.links.isVisible()) == (True, False)
    QApplication.processEvents()
    needed = sum(panel.classes.columnWidth(k) for k in range(panel.classes.model().columnCount()))
    assert needed <= panel.classes.viewport().width()


@pytest.mark.parametrize("width", [480, 1100])
def test_all_figures_of_a_and_b_are_listed(panel, session, qtbot, width):
    panel.resize(width, 300)
    qtbot.mouseClick(panel.parts.group.button(2), Qt.MouseButton.LeftButton)
    assert (panel.classes.isVisible(), panel.links.isVisible(), panel.figures.isVisible()) == (False, False, True)
    titles, first, second, _ = (column.values for column in panel.figures.source.columns)
    a, b = (side.report.throughput_gbs for side in session.state.compared_pair)
    place = titles.index("Throughput")
    assert (first[place], second[place]) == (f"{gbs(a)} GB/s per node", f"{gbs(b)} GB/s per node")
    assert {"Hops", "Mean hops", "Idle links"} <= set(titles)
    qtbot.mouseClick(panel.parts.group.button(1), Qt.MouseButton.LeftButton)
    assert (panel.classes.isVisible(), panel.links.isVisible()) == (width == 1100, True)
    assert not panel.figures.isVisible()


def test_slow_figures_are_omitted(panel, session, monkeypatch):
    monkeypatch.setattr("app.panels.comparison.panel.MAX_COUNTED", 10)
    titles, *_ = figure_columns(*session.state.compared_pair)
    assert "Idle links" in titles.values
    assert not {"Hops", "Mean hops"} & set(titles.values)


@pytest.mark.parametrize("width", [500, 900])
@pytest.mark.parametrize("pinned", [SMALL, SEQUENTIAL, TORUS])
def test_texts_of_the_last_comparison_are_hidden_while_b_is_computed(panel, session, pinned, width):
    panel.resize(width, 300)
    session.pin_scenario(pinned, ComparisonMode.DIFFERENCE)
    texts_before, headings = labels(panel), []
    panel.subtitle_changed.connect(headings.append)
    session.show_computation(Computation(Kind.EVALUATION, "Computing: Torus"))
    assert labels(panel) == {"Computing: Torus …"}
    assert headings[-1] == "Computing: Torus …"
    assert panel.cover.isVisible()
    session.set_hottest_percent(50)  # refreshes it for another reason
    assert labels(panel) == {"Computing: Torus …"}
    session.end_computation(Kind.EVALUATION)
    assert labels(panel) == texts_before
    assert headings[-1] == what_differs(*session.state.compared_pair)
    assert panel.cover.isHidden()


def labels(panel):
    return {label.text() for label in panel.findChildren(QLabel) if label.isVisible() and label.text()}


@pytest.mark.parametrize(("width", "shown"), [(430, True), (900, False)])
def test_narrow_panel_lists_the_changes_on_their_own_line(session, show, width, shown):
    session.propose(session.state.wanted.with_choice("routing", PercsIndirect()))
    panel = show(ComparisonPanel(session), width, 300)
    assert panel.differing.isVisible() is shown
    if shown:
        assert panel.differing.shown.startswith("2 changes: mapping, routing")
