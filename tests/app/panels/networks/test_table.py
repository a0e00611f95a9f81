"""Networks side by side: rows appear when measured, sort, copy, and a click chooses the network."""

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.panels.networks.rows import cell_text, entries_like, network_columns
from app.panels.networks.table import SET, STALE, NetworkTableWindow, network_details
from app.session.session import Session
from app.widgets.pick_table import columns_text
from core.figures.network_table import COLUMNS, Entry, TrafficChoice, node_bandwidth, table_row
from core.job import Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Complete, Mesh, Torus
from core.network.metrics.cabling import Prices, cabling
from core.network.metrics.metrics import measure
from core.routing import DimensionOrder
from core.routing.minimal.scheme import Minimal
from core.spec import fields_of

LEFT = Qt.MouseButton.LeftButton
TORUS = Scenario(Torus(dims=(4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


FEW = ("Torus", "Mesh", "Hypercube", "Circulant")


@pytest.fixture
def opened(session_of, laid_out, monkeypatch):
    from app.panels.networks import measured_rows as module

    def few(here, nodes):
        return [offer for offer in entries_like(here, nodes) if offer[0] in FEW]

    monkeypatch.setattr(module, "entries_like", few)
    window = NetworkTableWindow(session_of(TORUS))
    window.bandwidth.setCurrentIndex(window.bandwidth.findData("own"))
    window.start()
    return laid_out(window, 1180, 760)


def row_of(window, title):
    return next(k for k, row in enumerate(window.measured.rows) if row.entry.name == title)


def click_row(window, title):
    index = window.table.view_index(row_of(window, title))
    QTest.mouseClick(window.table.viewport(), LEFT, pos=window.table.visualRect(index).center())


def head(window, title):
    return [column.title for column in window.table.source.columns].index(title)


def texts(window, column):
    place = head(window, column)
    return [window.table.sorted.index(k, place).data() for k in range(window.table.sorted.rowCount())]


def test_bandwidth_per_node_is_equal_by_default(opened):
    opened.bandwidth.setCurrentIndex(0)
    opened.start()
    builds = [row.entry.network.build() for row in opened.measured.rows]
    assert [node_bandwidth(network) for network in builds] == pytest.approx([1.7] * len(builds))
    words = "equal bandwidth per node: the links that leave a node have 1.7 GB/s in total; Halo"
    assert opened.table_card.subtitle.toolTip().startswith(words)
    opened.bandwidth.setCurrentIndex(opened.bandwidth.findData(25.0))
    opened.start()
    assert opened.table_card.subtitle.toolTip().startswith("every link has 25 GB/s; Halo")
    assert {row.entry.network.gbs for row in opened.measured.rows} == {25.0}


def test_every_family_has_a_row(session_of, show):
    window = NetworkTableWindow(session_of(TORUS))
    window.start()
    show(window, 1180, 760)
    titles = [row.entry.name for row in window.measured.rows]
    assert titles == [title for title, _ in entries_like(TORUS.network, 16)]
    assert {"Power 775 (PERCS)", "Torus", "Mesh", "Hypercube", "Fat tree", "Circulant", "CLEX"} <= set(titles)
    assert "Graph from a file" not in titles
    click_row(window, "Power 775 (PERCS)")
    assert window.state.evaluation.case.job.spec != TORUS.job or window.state.evaluation.case.network.nodes == 64
    # A job that was resized to fit the choice made here is not another job.
    assert window.message.text() == ""


def test_a_row_has_the_figures_of_its_network(opened):
    mesh = opened.measured.rows[row_of(opened, "Mesh")]
    network = Mesh(dims=(4, 4)).build()
    assert mesh.metrics == measure(network)
    assert mesh.cabling == cabling(network, Prices())
    expected = evaluate(Scenario(Mesh(dims=(4, 4)), Halo(4, 4), Sequential(), Minimal(spread="equal")).build())
    assert mesh.flowing.throughput_gbs == pytest.approx(expected.throughput_gbs)
    assert "16.00" not in texts(opened, "Nodes")
    assert texts(opened, "Diameter")[row_of(opened, "Mesh")] == "6"
    assert not opened.progress.isVisible()


def test_the_network_on_screen_is_the_current_row(opened):
    assert opened.table.source_row(opened.table.currentIndex()) == row_of(opened, "Torus")
    assert "4 × 4 = 16 nodes" in opened.detail.text()
    assert "Halo" in opened.small.text()
    assert "0 optical, 2 cabinets; " in opened.small.text()
    assert opened.plot.scatter.chosen == row_of(opened, "Torus")


def test_click_on_a_row_chooses_its_network_as_one_undo_step(opened):
    click_row(opened, "Circulant")
    session = opened.session
    assert session.state.evaluation.case.network.spec == Circulant(nodes=16, jumps=(1, 2, 4, 8))
    assert session.state.error is None
    assert len(session.state.history.steps) == 1
    assert opened.plot.scatter.chosen == row_of(opened, "Circulant")
    session.editing.undo()
    assert session.state.evaluation.case.scenario == TORUS


def test_arrows_browse_and_enter_chooses(opened):
    opened.table.setFocus()
    QTest.keyClick(opened.table, Qt.Key.Key_Down)
    below = opened.measured.rows[row_of(opened, "Torus") + 1]
    assert below.entry.name in opened.detail.text()
    assert opened.state.wanted == TORUS
    QTest.keyClick(opened.table, Qt.Key.Key_Return)
    assert opened.state.wanted.network == below.entry.network


def test_a_click_on_a_point_chooses_too(opened):
    opened.plot.build()
    dot = next(dot for dot in opened.plot.scatter.dots if dot.name == "Mesh")
    QTest.mouseClick(opened.plot.chart.viewport(), LEFT, pos=opened.plot.place_of(dot).toPoint())
    chosen = opened.state.wanted.network
    near = [dot_there.row for dot_there in opened.plot.scatter.dots if (dot_there.x, dot_there.y) == (dot.x, dot.y)]
    assert chosen in [opened.measured.rows[row].entry.network for row in near]


def test_click_on_a_head_sorts_and_keeps_the_selection(opened):
    header = opened.table.horizontalHeader()
    place = head(opened, "Links")
    where = QPoint(header.sectionViewportPosition(place) + 10, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=where)
    links = [int(text.replace(",", "")) for text in texts(opened, "Links")]
    assert links == sorted(links)
    QTest.mouseClick(header.viewport(), LEFT, pos=where)
    links = [int(text.replace(",", "")) for text in texts(opened, "Links")]
    assert links == sorted(links, reverse=True)
    click_row(opened, "Mesh")
    assert opened.state.wanted.network == Mesh(dims=(4, 4))


def test_the_axes_of_the_plot_can_be_chosen(opened):
    for box, title in ((opened.along, "Degree"), (opened.up, "Diameter")):
        index = box.findText(title)
        box.setCurrentIndex(index)
        box.activated.emit(index)
    dots = {dot.name: (dot.x, dot.y) for dot in opened.plot.scatter.dots}
    assert dots["Torus"] == (4, 4)
    assert dots["Mesh"] == (4, 6)
    assert (opened.plot.scatter.x_title, opened.plot.scatter.y_title) == ("Degree", "Diameter")


def test_another_size_restarts_the_comparison(opened):
    opened.nodes.lineEdit().setFocus()
    opened.nodes.lineEdit().selectAll()
    QTest.keyClicks(opened.nodes.lineEdit(), "64")
    QTest.keyClick(opened.nodes.lineEdit(), Qt.Key.Key_Return)
    assert opened.measured.rows[row_of(opened, "Torus")].entry.network == Torus(dims=(8, 8))
    assert opened.measured.rows[row_of(opened, "Torus")].flowing.scenario.job == Halo(8, 8)


def test_equal_degree_needs_a_degree_and_reports_unsupported_families(opened):
    assert not opened.degree.isVisible()
    QTest.mouseClick(opened.what.group.button(1), LEFT)
    assert opened.degree.isVisible()
    assert opened.degree.value == 4
    for title in ("Torus", "Mesh", "Hypercube", "Circulant"):
        row = opened.measured.rows[row_of(opened, title)]
        assert row.metrics.degree_max == 4 or any("nearest to 4" in note for note in row.notes)
    assert opened.measured.rows[row_of(opened, "Hypercube")].metrics.degree_max == 4


def test_all_links_can_have_equal_bandwidth(opened):
    index = opened.bandwidth.findData(12.5)
    opened.bandwidth.setCurrentIndex(index)
    opened.bandwidth.activated.emit(index)
    assert opened.measured.rows[row_of(opened, "Mesh")].entry.network == Mesh(dims=(4, 4), gbs=12.5)


def test_invalid_network_is_omitted_with_the_reason(opened, monkeypatch):
    from app.panels.networks import measured_rows as module

    monkeypatch.setattr(module, "entries_like", lambda here, nodes: [("Complete graph", Complete(nodes=4096))])
    opened.nodes.show_value(4096)
    opened.start()
    assert not opened.measured.rows
    assert opened.plot.scatter.dots == ()
    assert opened.message.text().startswith("Complete graph is not listed: ")
    assert "directed links" in opened.message.text()


def price(window, name, text):
    box = window.prices.fields.form.editors[name].body
    box.setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), text)
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)


def test_prices_are_the_fields_of_the_command_line_and_apply_immediately(opened):
    assert not opened.prices.isVisible()
    QTest.mouseClick(opened.prices_button, LEFT)
    assert opened.prices.isVisible()
    assert list(opened.prices.fields.form.editors) == [field.name for field in fields_of(Prices)]
    before = opened.measured.rows[row_of(opened, "Mesh")]
    price(opened, "switch", "5000")
    expected = cabling(Mesh(dims=(4, 4)).build(), Prices(switch=5000.0))
    mesh = opened.measured.rows[row_of(opened, "Mesh")]
    assert mesh.cabling == expected != before.cabling
    assert (mesh.metrics, mesh.flowing) == (before.metrics, before.flowing)
    assert f"{expected.cost:,.0f}" in texts(opened, "Cost, $")
    assert SET in opened.small.text()
    assert [dot.x for dot in opened.plot.scatter.dots if dot.name == "Mesh"] == [expected.cost]


def test_later_rows_use_the_prices_set_and_prices_can_be_restored(opened):
    QTest.mouseClick(opened.prices_button, LEFT)
    price(opened, "switches_per_cabinet", "1")
    QTest.mouseClick(opened.button, LEFT)
    mesh = opened.measured.rows[row_of(opened, "Mesh")]
    assert (mesh.cabling.cabinets, mesh.cabling.inside) == (16, 0)
    QTest.mouseClick(opened.prices.reset, LEFT)
    assert opened.measured.rows[row_of(opened, "Mesh")].cabling == cabling(Mesh(dims=(4, 4)).build(), Prices())
    assert opened.prices.fields.form.editors["switches_per_cabinet"].body.value == 8
    assert not opened.prices.reset.isEnabled()
    assert SET not in opened.small.text()


def test_invalid_price_has_an_error_and_the_last_valid_price_stays(opened):
    QTest.mouseClick(opened.prices_button, LEFT)
    before = opened.measured.rows
    line = opened.prices.fields.form.editors["port"].body.lineEdit()
    line.selectAll()
    QTest.keyClicks(line, "-4")
    assert opened.prices.fields.form.messages["port"].text() == "must be at least 0 $"
    assert opened.measured.prices == Prices()
    assert opened.measured.rows == before
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.text() == "-4"
    QTest.keyClick(opened.prices.fields.form.editors["port"].body, Qt.Key.Key_Escape)
    assert not opened.prices.fields.form.messages["port"].text()
    assert line.text() == "300"
    assert opened.measured.prices == Prices()


def test_row_measured_during_a_price_change_is_updated(opened):
    mesh = opened.measured.rows[row_of(opened, "Mesh")]
    opened.measured.prices = Prices(copper=7.0)
    opened.measured.works.done.emit("late", (mesh, Prices()))
    assert [row.cabling for row in opened.measured.rows if row.entry.name == "Mesh"] == [
        cabling(Mesh(dims=(4, 4)).build(), Prices(copper=7.0))
    ] * 2


def test_csv_copy_has_every_figure(opened):
    QTest.mouseClick(opened.copy_csv, LEFT)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert len(rows) == len(opened.measured.rows)
    mesh = next(row for row in rows if row["network"] == "Mesh")
    assert (mesh["nodes"], mesh["diameter [hops]"], mesh["limit"]) == ("16", "6", mesh["limit"])
    assert float(mesh["aspl [hops]"]) == pytest.approx(8 / 3)


def test_ctrl_c_copies_the_table_in_the_order_shown(opened):
    opened.table.sortByColumn(head(opened, "Links"), Qt.SortOrder.DescendingOrder)
    opened.table.setFocus()
    QTest.keyClick(opened.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split()[:2] == ["Network", "Nodes"]
    names = [opened.measured.rows[k].entry.name for k in opened.table.order]
    assert [line.split(":")[0] for line in lines[1:]] == names
    assert len({len(line[: line.index(":")]) for line in lines[1:]}) > 1


def test_another_job_is_reported_and_compared_on_request(opened):
    assert opened.message.text() == ""
    opened.session.choose("job", Transpose(4, 4))
    assert opened.message.text() == STALE
    QTest.mouseClick(opened.button, LEFT)
    assert opened.message.text() == ""
    assert isinstance(opened.measured.rows[0].flowing.scenario.job, Transpose)


def test_stop_keeps_finished_rows_and_closing_stops(qtbot, show):
    session = Session.of(Scenario(Torus(dims=(16, 16)), Halo(16, 16), Sequential(), DimensionOrder()))
    window = show(NetworkTableWindow(session), 1180, 760)
    window.start()
    assert window.button.text() == "Stop"
    QTest.mouseClick(window.button, LEFT)
    assert window.button.text() == "Compare"
    assert not window.measured.busy
    window.start()
    qtbot.waitUntil(lambda: bool(window.measured.rows))
    window.close()
    assert not window.measured.busy
    window.shut_down()
    session.close()


def test_main_window_opens_and_closes_the_table(formless, window, monkeypatch):
    from app.panels.networks import measured_rows as module

    monkeypatch.setattr(module, "entries_like", lambda here, nodes: [("Mesh", Mesh(dims=(4, 4)))])
    window.commands["network.compare"].trigger()
    (table,) = window.findChildren(NetworkTableWindow)
    assert table.isVisible()
    assert [row.entry.name for row in table.measured.rows] == ["Mesh"]
    window.close()
    assert not table.isVisible()


def test_unknown_figures_are_dashes_that_sort_last():
    rows = [table_row(Entry("mesh", Mesh(dims=(2, 2))), TrafficChoice(job=None), Prices())]
    columns = {column.title: column for column in network_columns(rows)}
    throughput = columns["Throughput, GB/s"]
    assert throughput.write(throughput.values[0]) == "–"
    assert throughput.values[0] == float("inf")
    assert len(columns) == len([column_spec for column_spec in COLUMNS if not column_spec.rare]) + 1
    assert cell_text("aspl", 2.5) == "2.500"
    text = columns_text(list(columns.values()), [0])
    assert text.splitlines()[1].startswith("mesh: 2 × 2 = 4 nodes")


def test_families_are_offered_once_with_the_current_network_unchanged():
    here = Torus(dims=(4, 4), gbs=3.0)
    offered = dict(entries_like(here, 16))
    assert offered["Torus"] == here
    assert len(offered) == len(entries_like(here, 16))


def test_single_cabinet_is_singular(opened):
    row = opened.measured.rows[row_of(opened, "Mesh")]
    single = replace(row, cabling=replace(row.cabling, optical=0, cabinets=1))
    assert network_details(single, Prices())[-1].startswith("24 cables, 0 optical, 1 cabinet; ")
