"""The traffic view: blocks of ranks, local traffic, distances, and pointer actions."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item, flow_item, tasks_of_flow
from app.session.session import Session
from app.storage.presets import worked_example
from app.views.heatmaps import traffic
from app.views.heatmaps.traffic import TrafficView
from core.job import Allreduce, Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
from tests.patience import wait
from tests.pointer import move

SMALL = Scenario(Torus((2, 2), slots_per_node=2), Halo(2, 4, periodic=False), Sequential(), DimensionOrder())
SIZE = (560, 240)


def text_of(view):
    return "".join(run.text for run in view.readout())


def at(view, row, col):
    return view.heat.cell_rect(row, col).center()


def test_a_cell_is_read_out_and_shares_of_volume_by_locality_are_shown(session_of, shown):
    view = shown(TrafficView(session_of(SMALL)), *SIZE)
    assert view.heat.shape == (8, 8)
    assert text_of(view) == "within nodes 40 % · rows 20 % · beyond 40 %"
    move(view.surface, QPoint(1, 1), at(view, 0, 1).toPoint(), button=Qt.MouseButton.NoButton)
    assert text_of(view) == "rank 0 → rank 1: 0.25 units in 1 flow"
    assert view.state.hover == flow_item(0, 1)
    move(view.surface, QPoint(1, 1), at(view, 0, 6).toPoint(), button=Qt.MouseButton.NoButton)
    assert text_of(view) == "rank 0 → rank 6: no traffic"
    assert view.state.hover == Item("task", 0)


def test_a_press_selects_the_flow_of_a_cell(session_of, shown):
    view = shown(TrafficView(session_of(SMALL)), *SIZE)
    QTest.mouseClick(view.surface, Qt.MouseButton.LeftButton, pos=at(view, 0, 1).toPoint())
    assert view.state.selection == flow_item(0, 1)
    assert view.state.paths_of(flow_item(0, 1)).volume == 0.25
    QTest.mouseClick(view.surface, Qt.MouseButton.LeftButton, pos=at(view, 0, 6).toPoint())
    assert view.state.selection == flow_item(0, 1)


def test_a_press_on_blocks_selects_their_largest_flow(session_of, shown):
    view = shown(TrafficView(session_of(worked_example())), *SIZE)
    matrix = view.traffic.matrix
    row, col = (int(ends[0]) for ends in np.nonzero(matrix.flows))
    place = at(view, row, col).toPoint()
    move(view.surface, QPoint(1, 1), place, button=Qt.MouseButton.NoButton)
    row, col = view.pointed
    assert matrix.flows[row, col]
    assert text_of(view).endswith(" flows · click to select the largest flow")
    QTest.mouseClick(view.surface, Qt.MouseButton.LeftButton, pos=place)
    source, destination = tasks_of_flow(view.state.selection)
    assert source in matrix.tasks(row)
    assert destination in matrix.tasks(col)
    assert text_of(view).endswith(f" · largest flow selected, task {source:,} → {destination:,}")


@pytest.mark.parametrize("width", [560, 900])
def test_texts_above_the_chart_are_not_below_the_order_box(session_of, shown, width):
    view = shown(TrafficView(session_of(SMALL)), width, 500)
    order, chart = view.order.geometry(), view._side
    assert view.order.isVisible()
    assert chart.top() >= order.bottom() or order.left() - chart.left() > 100


def test_blocks_of_many_ranks_are_named_by_their_order(session_of, shown):
    view = shown(TrafficView(session_of(worked_example())), *SIZE)
    assert view.heat.shape == (256, 256)
    view._on_moved(at(view, 0, 0))
    cell = view.pointed
    first, last = 16 * cell[0], 16 * cell[0] + 15
    assert text_of(view).startswith(f"ranks {first:,} to {last:,} → ranks ")
    view.order.setCurrentIndex(2)
    view.order.activated.emit(2)
    view.pointed = (0, 0)
    assert text_of(view).startswith("ranks 0, ")
    assert " … → ranks 0, " in text_of(view)


def test_a_press_selects_the_tasks_of_both_blocks_in_all_views(session_of, shown):
    view = shown(TrafficView(session_of(worked_example())), *SIZE)
    QTest.mouseClick(view.surface, Qt.MouseButton.LeftButton, pos=at(view, 3, 4).toPoint())
    row, col = view.pointed or view.heat.cell_at(QPointF(at(view, 3, 4).toPoint()))
    matrix = view.traffic.matrix
    assert view.state.marked.tolist() == sorted({*matrix.tasks(row).tolist(), *matrix.tasks(col).tolist()})
    QTest.mouseClick(view.surface, Qt.MouseButton.LeftButton, pos=view._side.center().toPoint())
    assert not view.state.marked.size


def test_a_step_under_the_cursor_shows_its_traffic_alone(session_of, shown):
    session = session_of(replace(SMALL, job=Allreduce(tasks=8, algorithm="recursive-doubling")))
    view = shown(TrafficView(session), *SIZE)
    flows = view.traffic.matrix.flows.sum()
    session.timekeeper.go_to(0)
    assert view.traffic.matrix.flows.sum() == 8
    assert flows == 24


def test_many_flows_are_added_up_in_the_background(qtbot, monkeypatch):
    monkeypatch.setattr(traffic, "QUICK_FLOWS", 0)
    session = Session.of(SMALL)
    view = TrafficView(session)
    qtbot.addWidget(view)
    view.resize(*SIZE)
    view.show()
    assert view.traffic is not None or view.obstructed.startswith("Adding up")
    qtbot.waitUntil(lambda: view.traffic is not None and not view.obstructed, timeout=10_000)
    np.testing.assert_allclose(view.traffic.matrix.volume.sum(), 5.0)
    session.close()
    wait(1)


def test_the_pairs_that_load_the_selected_link_are_framed(session_of, shown):
    session = session_of(SMALL)
    view = shown(TrafficView(session), *SIZE)
    before = view.grab().toImage()
    report = session.state.report
    session.select(Item("link", int(report.load.argmax())))
    assert session.state.explained.tasks.src.size
    changed = view.grab().toImage()
    src, dst = (int(end[0]) for end in (session.state.explained.tasks.src, session.state.explained.tasks.dst))
    corner = (view.surface.pos() + view.heat.cell_rect(src, dst).topLeft().toPoint()) - QPoint(1, 0)
    assert changed.pixel(corner) != before.pixel(corner)
