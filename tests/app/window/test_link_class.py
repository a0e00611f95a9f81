"""Only the links of one class, from a click on its bar: table, machine, heatmaps and histogram, and how it ends."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.model.pointing import Item
from app.views.machine.faults import faulty_batches
from app.views.machine.picker import resolve
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Complete, LinkFault, Percs, Torus
from core.routing import DimensionOrder
from core.routing.minimal.scheme import Minimal


def click_bar(window, name):
    bars = window.bottleneck.bars
    row = next(k for k, bar in enumerate(bars.bars) if bar.name == name)
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=bars.track(row).center().toPoint())


def class_names(window, links):
    network = window.session.state.evaluation.case.network
    return {network.classes[k].name for k in network.class_of[links].tolist()}


def test_a_click_on_a_bar_filters_every_view_and_another_click_shows_all(lent):
    network, charts = lent.session.state.evaluation.case.network, lent.views["distribution"]
    for name in ("D", "LR"):
        click_bar(lent, name)
        report, links = lent.session.state.report, network.link_class(name).links
        table = lent.bottleneck.hottest
        assert table.heading.text() == f"Only {name} links"
        assert table.links[0] - links.start == np.argmax(report.utilisation[links])
        assert class_names(lent, table.links) == {name}
        charts.catch_up()
        assert [histogram.name for histogram in charts.histograms] == [name]
        relative = np.zeros(network.links)
        relative[links] = report.utilisation[links]
        hottest = np.zeros(network.nodes)
        np.maximum.at(hottest, network.src, relative)
        np.maximum.at(hottest, network.dst, relative)
        lent.machine.catch_up()
        np.testing.assert_allclose(lent.machine.scene.shading.node, hottest)
        assert (lent.machine.scene.bundles.count > 0) == (name == "D")
        for view, absent, text in (("matrix", "LR", "no LR links between groups"), ("inner", "D", "no D links inside")):
            lent.views[view].catch_up()
            assert (lent.views[view].summary() == text) == (name == absent)
    click_bar(lent, "LR")
    assert lent.session.state.style.link_class == ""
    assert len(class_names(lent, lent.bottleneck.hottest.links)) == 2


def test_the_table_stays_where_it_is(lent):
    table = lent.bottleneck.hottest.table
    before = table.mapTo(lent, QPoint())
    click_bar(lent, "D")
    QApplication.processEvents()
    assert lent.bottleneck.hottest.clear.isVisible()
    assert table.mapTo(lent, QPoint()) == before
    QTest.mouseClick(lent.bottleneck.hottest.clear, Qt.MouseButton.LeftButton)
    assert lent.session.state.shown_class is None
    assert lent.bottleneck.hottest.heading.text() == "Hottest links"


def test_edits_keep_it_and_a_network_without_the_class_ends_it(lent):
    session = lent.session
    click_bar(lent, "D")
    session.propose(replace(session.state.wanted, mapping=Random(seed=1)), name="Map at random")
    assert session.state.shown_class.name == "D"
    session.propose(replace(session.state.wanted, network=Percs(supernodes=16)), name="Fewer supernodes")
    assert session.state.shown_class.name == "D"
    session.open(Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder()), None)
    assert session.state.style.link_class == ""
    session.editing.undo()
    assert session.state.style.link_class == ""


def test_escape_ends_it_after_the_selection_and_before_the_camera_moves(lent):
    session, escape = lent.session, lent.commands["select.none"].trigger
    click_bar(lent, "D")
    session.select(Item("node", 3))
    lent.machine.open_group(2)
    camera = lent.machine.camera
    escape()
    assert (session.state.selection, session.state.style.link_class) == (None, "D")
    escape()
    assert session.state.style.link_class == ""
    assert lent.machine.camera == camera
    escape()
    assert lent.machine.controller.fits_all


def test_the_only_class_is_no_filter(lent):
    session = lent.session
    session.open(Scenario(Complete(16), Halo(4, 4), Sequential(), Minimal()), None)
    click_bar(lent, "link")
    session.set_link_class("link")
    assert session.state.style.link_class == ""
    assert not lent.commands["view.link-class"].isEnabled()


def test_commands_choose_a_class_and_show_all(lent):
    session = lent.session
    assert not lent.commands["view.all-classes"].isEnabled()
    lent.commands["view.link-class"].trigger()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["All links", "LL links", "LR links", "D links"]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(menu, key)
    assert session.state.style.link_class == "LR"
    lent.commands["view.all-classes"].trigger()
    assert session.state.style.link_class == ""


def test_both_sides_of_a_comparison_and_their_difference_show_only_it(lent):
    session = lent.session
    lent.commands["compare.pin"].trigger()
    session.propose(replace(session.state.wanted, mapping=Random(seed=1)), name="Map at random")
    click_bar(lent, "D")
    links = session.state.evaluation.case.network.link_class("D").links
    others = np.delete(np.arange(session.state.evaluation.case.network.links), links)
    assert not session.state.reference_utilisation[others].any()
    pinned = lent.comparing.pinned
    pinned.catch_up()
    assert pinned.scene.geometry.only.name == "D"
    assert pinned.scene.bundles.index.tolist() == lent.machine.scene.bundles.index.tolist()
    lent.commands["compare.difference"].trigger()
    values = session.state.link_values
    assert not values[others].any()
    np.testing.assert_array_equal(values[links], session.state.difference[links])
    lent.comparing.panel.catch_up()
    assert class_names(lent, lent.comparing.panel.links.links) == {"D"}


def test_a_selected_link_of_another_class_is_read_out_with_its_true_load(lent):
    session = lent.session
    click_bar(lent, "LL")
    link = int(session.state.report.bottleneck_links[0])
    session.select(Item("link", link))
    lent.machine.catch_up()
    assert "100 %" in lent.machine.readout_text
    scene, camera = lent.machine.scene, lent.machine.camera
    assert resolve(Item("link", link), scene, camera, session.state.evaluation.case).batch.count == 0


def test_failed_links_of_other_classes_are_not_drawn(lent):
    session = lent.session
    network = session.state.evaluation.case.network
    fault = LinkFault.of(network, network.link_class("D").links.start)
    session.propose(replace(session.state.wanted, faults=(fault,)), name="Fail a link")
    for name, marks in (("LR", 0), ("D", 1)):
        session.set_link_class(name)
        lent.machine.catch_up()
        batches = faulty_batches(lent.machine.scene, lent.machine.camera, session.state.evaluation.case.faults)
        assert sum(batch.count for batch in batches) == marks
        lent.machine.grab()
