"""The paths of a flow on the machine: their links stand out, the others are dimmed, both tasks are named."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.model.pointing import Item, flow_item
from app.storage.presets import preset, worked_example
from app.views.machine import flow_path
from app.views.machine.scene import link_batch
from core.job import Flows, Halo, Transpose
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Mesh, Torus
from core.routing import Adaptive, DimensionOrder, Valiant

MESH = Scenario(Mesh((5, 5)), Halo(5, 5, periodic=False), Sequential(), DimensionOrder())


def pixels(view):
    image = view.grab().toImage()
    return np.array(image.constBits()).reshape(image.height(), image.width(), 4)[:, :, 2::-1].astype(int)


def beside(view, links, reach):
    """A pixel on the halo of each link, at its middle, as rows and columns."""
    curves = link_batch(view.scene.geometry, view.scene.shading, links, 1.0).curves
    start, control, end = np.moveaxis(view.camera.project(curves, view._size)[..., :2], 1, 0)
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    at = (start + 2 * control + end) / 4 + reach * np.stack([-along[:, 1], along[:, 0]], axis=1)
    col, row = np.rint(at).astype(int).T
    return row, col


def rgb(colour):
    return np.array(QColor(colour).getRgb()[:3])


def test_links_of_the_path_stand_out_and_others_are_dimmed(machine):
    view = machine(MESH)
    before = pixels(view)
    view.session.select(flow_item(0, 24))
    paths, network = view.state.drawn_paths, view.state.evaluation.case.network
    assert (paths.count, paths.best.size) == (1, 8)
    after, accent = pixels(view), rgb(view.state.style.theme.accent)
    width = flow_path.link_width(view.scene.geometry, view.camera) / 2 + 1.5
    for row, col in zip(*beside(view, paths.links, width), strict=True):
        assert np.abs(after[row, col] - accent).max() < 40
    others = np.setdiff1d(np.arange(network.links), paths.links)
    back = {(network.dst[link], network.src[link]) for link in paths.links}
    others = others[[(network.src[link], network.dst[link]) not in back for link in others]]
    panel = rgb(view.state.style.theme.panel)
    on_links = beside(view, others, 0.0)
    assert (np.abs(after[on_links] - panel).sum(1) <= np.abs(before[on_links] - panel).sum(1)).mean() > 0.9
    view.session.select(None)
    np.testing.assert_array_equal(pixels(view), before)


def test_hovering_draws_a_path_and_ends_with_it(machine):
    view = machine(MESH)
    before = pixels(view)
    view.session.hover(flow_item(3, 20))
    assert (pixels(view) != before).any()
    assert view.readout_text.startswith("task 3 → 20\nfrom (0,3) to (4,0)\n1 path, 7 hops\nnothing is sent\n")
    view.session.hover(None)
    np.testing.assert_array_equal(pixels(view), before)


def test_source_and_destination_differ_without_colour(machine):
    view = machine(MESH)
    view.session.select(flow_item(6, 18))
    picture, accent = pixels(view), rgb(view.state.style.theme.accent)
    cells = view.scene.cells(view.camera, view._size)
    above, below = (int(cells[6, 1]) - 8, int(cells[6, 0])), (int(cells[18, 1] + cells[18, 3]) + 10, int(cells[18, 0]))
    filled = [(picture[row, col : col + 20] == accent).all(-1).mean() for row, col in (above, below)]
    assert filled[0] > filled[1]


@pytest.mark.parametrize(
    ("scenario", "flow"),
    [
        (worked_example(), (1452, 7)),
        (preset("fat-tree-512-nodes"), (3, 500)),
        (preset("dragonfly-1056-nodes"), (3, 900)),
        (preset("circulant-1024-nodes"), (3, 600)),
        (Scenario(Torus((8, 8, 8)), Halo(16, 32), Sequential(), DimensionOrder()), (3, 300)),
        (Scenario(Torus((16, 16)), Transpose(16, 16), Sequential(), Adaptive()), (50, 156)),
        (Scenario(Torus((16, 16)), Transpose(16, 16), Sequential(), Valiant()), (50, 156)),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else value.network.tag(),
)
def test_every_layout_draws_paths(machine, scenario, flow):
    view = machine(scenario)
    before = pixels(view)
    view.session.select(flow_item(*flow))
    assert view.state.drawn_paths.links.size
    after = pixels(view)
    accent = rgb(view.state.style.theme.accent)
    assert (np.abs(after - accent).max(-1) < 40).sum() > 100 + (np.abs(before - accent).max(-1) < 40).sum()


def test_tasks_of_a_node_are_named_together(machine):
    view = machine(
        Scenario(Torus((4,), slots_per_node=2), Flows(8, (0,), (1,), (1.0,)), Sequential(), DimensionOrder())
    )
    view.session.select(flow_item(0, 1))
    assert not view.state.drawn_paths.links.size
    view.grab()
    assert "both tasks are on node (0), so no link is crossed" in view.readout_text


def test_another_job_without_the_task_clears_the_flow(machine):
    view = machine(MESH)
    view.session.select(flow_item(0, 24))
    view.session.choose("job", Halo(4, 5, periodic=False))
    assert view.state.selection is None
    assert view.state.flow_paths == ()
    view.session.select(flow_item(0, 6))
    view.session.choose("routing", Adaptive())
    assert view.state.drawn_paths.count == 2
    view.session.select(Item("link", 3))
    assert view.state.drawn_paths is None
