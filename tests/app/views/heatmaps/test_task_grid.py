"""The job grid: each task at its place, in the colour of its node's group."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor

from app.model.pointing import Item
from app.style.colour import category_colours, lookup_table
from app.style.theme import DARK, LIGHT
from app.views.drawing import quiet
from app.views.heatmaps.task_grid import LOAD, NODE, JobGridView, on_grid
from core.job import Flows, Halo, Training
from core.load.scenario import Scenario
from core.mapping import Blocks, Random, Sequential
from core.mapping.edit import occupants
from core.mapping.rearrange import put
from core.mapping.targets import Target
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from tests.app.views.seen import colour_at, colours, text_of
from tests.contrast import contrast
from tests.pointer import move, press

SMALL = Scenario(Percs(supernodes=4), Halo(rows=16, cols=32), Blocks(rows=8, cols=16), PercsDirect())
TRACED = Scenario(
    Torus(dims=(6, 6)),
    Flows(tasks=30, src=(0, 1, 29), dst=(1, 2, 3), volume=(1.0, 2.0, 1.0)),
    Random(seed=4),
    DimensionOrder(),
)
NO_BUTTON = Qt.MouseButton.NoButton


def corner_of(view, task):
    """A pixel of a task's cell without line or name, which are at the corners of cells."""
    row, col = divmod(task, view.heat.shape[1])
    rect = view.heat.cell_rect(row, col)
    return rect.topLeft() + QPointF(2, rect.height() / 2)


def colour_of(view, task):
    return colour_at(view.surface, corner_of(view, task))


def point_at(view, task):
    where = corner_of(view, task).toPoint()
    move(view.surface, where + QPoint(1, 0), where, steps=1, button=NO_BUTTON)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("by", "size"), [("supernode", 32), ("drawer", 8), (NODE, 1)])
def test_tasks_have_the_colour_of_where_they_sit(session_of, shown, theme, by, size):
    session = session_of(SMALL, theme)
    view = shown(JobGridView(session), 900, 560)
    view.set_colouring(by)
    nodes = session.state.evaluation.case.mapping.nodes
    expected, seen = category_colours(128 // size, theme.dark), colours(view.surface)
    for task in range(0, 512, 37):
        assert seen(corner_of(view, task)) == QColor(*expected[nodes[task] // size].tolist()).name()


def test_tasks_have_the_colour_of_the_hottest_link_at_their_node(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    view.set_colouring(LOAD)
    network, relative = session.state.evaluation.case.network, session.state.utilisation
    table, seen = lookup_table("heat", True), colours(view.surface)
    for task in range(0, 512, 37):
        node = session.state.evaluation.case.mapping.nodes[task]
        heat = relative[(network.src == node) | (network.dst == node)].max()
        expected = table[min(int(np.float32(heat) * 256), 255)]
        assert seen(corner_of(view, task)) == QColor(*expected.tolist()).name()
    assert view.shows_loads()


def test_pointing_at_a_task_reads_it_out(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    assert text_of(view) == "512 tasks on 128 nodes"
    point_at(view, 5 * 32 + 20)
    assert session.state.hover == Item("task", 180)
    node = int(session.state.evaluation.case.mapping.nodes[180])
    label = session.state.evaluation.case.network.label(node)
    assert text_of(view) == f"task 180 (5, 20) on {label}"
    view.set_colouring(LOAD)
    assert text_of(view).startswith(f"task 180 (5, 20) on {label} · hottest link ")
    press(view.surface, corner_of(view, 33).toPoint())
    assert session.state.selection == Item("task", 33)
    view.surface.leaveEvent(None)
    assert session.state.hover is None


def test_cells_beyond_the_last_task_are_no_tasks(session_of, shown):
    session = session_of(TRACED)
    view = shown(JobGridView(session))
    assert view.heat.shape == (5, 6)
    session.choose("job", structs.replace(TRACED.job, tasks=32))
    assert view.heat.shape == (6, 6)
    assert view.item_at(corner_of(view, 31)) == Item("task", 31)
    assert view.item_at(corner_of(view, 32)) is None
    assert colour_of(view, 32) == quiet(DARK).name()
    view.set_colouring(LOAD)
    assert colour_of(view, 35) == quiet(DARK).name()
    point_at(view, 31)
    assert text_of(view).startswith("task 31 on (")


def test_offers_the_levels_of_the_network(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session))
    subtitles = []
    view.subtitle_changed.connect(subtitles.append)
    view.set_colouring("drawer")
    session.propose(TRACED)
    assert view.colouring == "row"
    view.set_colouring("drawer")
    assert view.colouring == "row"
    view.set_colouring(NODE)
    session.propose(replace(SMALL, network=Percs(supernodes=5)))
    assert view.colouring == NODE
    assert subtitles[0] == "16 × 32 tasks, coloured by drawer"
    assert subtitles[1] == "30 tasks, coloured by row"
    assert subtitles[-1] == "16 × 32 tasks, coloured by node"


@pytest.mark.parametrize(
    ("item", "tasks"),
    [
        (Item("task", 7), lambda node: None),
        (Item("node", 3), lambda node: node == 3),
        (Item("group", 2), lambda node: node // 32 == 2),
        (Item("bundle", 4 * 1 + 3), lambda node: np.isin(node // 32, [1, 3])),
        (Item("link", 0), lambda node: np.isin(node, [0, 1])),
    ],
)
def test_tasks_of_everything(session_of, item, tasks):
    session = session_of(SMALL)
    view = JobGridView(session)
    view.catch_up()
    case = session.state.evaluation.case
    expected = tasks(case.mapping.nodes)
    expected = np.arange(512) == 7 if expected is None else expected
    assert view.tasks_of(item).tolist() == expected.tolist()


def test_a_selection_in_another_view_is_outlined(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    session.select(Item("group", 1))
    mask = on_grid(view.tasks_of(Item("group", 1)), session.state.evaluation.case.job, 0)
    row, col = np.argwhere(mask)[0].tolist()
    edge = view.heat.cell_rect(row, col).topLeft()
    inside = view.heat.cell_rect(row + 2, col + 2).topLeft()
    seen = colours(view.surface)
    assert seen(edge + QPointF(3, 0)) == DARK.accent
    assert seen(edge + QPointF(0, 3)) == DARK.accent
    assert seen(inside + QPointF(3, 1)) != DARK.accent
    assert text_of(view) == "supernode 1: 128 tasks"


def test_tasks_that_cause_a_links_load_are_highlighted(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    link = int(session.state.report.bottleneck_links[0])
    session.select(Item("link", link))
    assert text_of(view) == "caused by   senders   receivers"
    alone = set(session.state.explanation.tasks.src.tolist()) - set(session.state.explanation.tasks.dst.tolist())
    task = min(alone)
    row, col = divmod(task, 32)
    assert colour_at(view.surface, view.heat.cell_rect(row, col).topLeft() + QPointF(4, 0)) == DARK.roles[1]
    idle = int(np.flatnonzero(session.state.report.load == 0)[0])
    session.select(Item("link", idle))
    assert text_of(view).startswith("nodes ")


def test_a_task_that_no_longer_exists_is_forgotten(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session))
    session.select(Item("task", 500))
    session.propose(replace(SMALL, job=Halo(rows=8, cols=8), mapping=Sequential()))
    assert session.state.evaluation.case.job.tasks == 64
    assert text_of(view) == "64 tasks on 16 nodes"
    assert view.grab().width() == view.width()


def test_regions_have_their_names_where_there_is_room(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    image = view.surface.grab().toImage()
    rect = view.heat.rect
    for row, col in ((4, 8), (4, 24), (12, 8), (12, 24)):
        centre = rect.topLeft() + QPointF(col * view.heat.cell[0], row * view.heat.cell[1])
        around = [
            image.pixelColor(round(centre.x()) + dx, round(centre.y()) + dy).getRgb()[:3]
            for dx in range(-5, 6)
            for dy in range(-6, 7)
        ]
        assert contrast(around, around[0]).max() > 3.9


def test_the_colouring_falls_back_only_while_the_network_lacks_it(session_of, shown):
    ring = replace(SMALL, network=Torus(dims=(512,)), mapping=Sequential(), routing=DimensionOrder())
    session = session_of(SMALL)
    view = shown(JobGridView(session), 400, 400)
    assert view.colouring == "supernode"
    session.propose(ring)
    assert view.colouring == NODE
    session.propose(SMALL)
    assert view.colouring == "supernode"
    view.set_colouring("drawer")
    session.propose(ring)
    session.propose(SMALL)
    assert view.colouring == "drawer"


def test_a_point_has_a_place_in_cells_even_outside_the_grid(session_of, shown):
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    centre = view.heat.cell_rect(3, 7).center()
    hit = view.hit_at(centre)
    assert hit.place == pytest.approx((3.5, 7.5))
    assert hit.task == 3 * 32 + 7
    assert hit.item == Item("task", hit.task)
    assert hit.node == session.state.evaluation.case.mapping.nodes[hit.task]
    assert (view.cell_hit(3, 7).task, view.cell_hit(3, 7).place) == (hit.task, pytest.approx(hit.place))
    beside = view.hit_at(view.heat.rect.topLeft() - QPointF(view.heat.cell[0], 0))
    assert beside.place == pytest.approx((0, -1))
    assert (beside.task, beside.node, beside.item) == (None, None, None)


def test_names_wait_on_large_grids_until_a_gesture_ends(session_of, shown, monkeypatch):
    monkeypatch.setattr("app.views.heatmaps.task_grid.MAX_LIVE", 100)
    monkeypatch.setattr(JobGridView, "immediate", True)  # as while the pointer is over it
    session = session_of(SMALL)
    view = shown(JobGridView(session), 900, 560)
    session.editing.begin("Turn")
    before = view.regions[1]
    case = session.state.evaluation.case
    rows = np.arange(512).reshape(16, 32)[:8, :16].ravel()
    edit = put(case.mapping, rows, Target(0, 3).slots(case.network), occupants(case.mapping, case.network.slots)).edit
    session.editing.replace_edit(edit)
    assert view.regions[1].value.size < before.value.size
    session.editing.commit()
    assert sorted(view.regions[1].value.tolist()) == sorted(before.value.tolist())


def test_groups_of_the_job_colour_its_tasks_and_the_state_knows(session_of, shown):
    job = Training(tensor=2, data=3, pipeline=5, layers=10, hidden=8, sequence=4, micro_batches=2)
    session = session_of(Scenario(Torus((6, 6)), job, Random(seed=3), DimensionOrder()))
    view = shown(JobGridView(session), 600, 560)
    before = view.colouring
    view.set_colouring("data group")
    groups = session.state.groups
    assert groups.name == "data group"
    assert "by data group" in view.subtitle()
    expected, seen = category_colours(groups.count, True), colours(view.surface)
    for task in range(30):
        assert seen(corner_of(view, task)) == QColor(*expected[groups.group[task]].tolist()).name()
    point_at(view, 7)
    session.hover(Item("task", 7))
    assert text_of(view).endswith(f"data group {groups.group[7]}")
    session.choose("job", Halo(5, 6))
    assert (view.colouring, session.state.groups) == (before, None)
    session.editing.undo()
    assert view.colouring == "data group"
    view.set_colouring(LOAD)
    assert (view.colouring, session.state.style.groups) == (LOAD, "")
