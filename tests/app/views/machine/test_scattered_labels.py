"""Names of vertices in no order: at every zoom they are spread over the picture, and lie in it."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.views.machine import scattered_labels
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.overlay import paint_overlay
from app.views.machine.paint import HEAD, fit
from app.views.machine.picture import Picture
from app.views.machine.scattered_labels import NEAREST, TILE_PX, spread_over
from app.views.machine.scene import compose
from core.job import Permutation
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.routing import Minimal
from tests.app.sessions import state_of

SIZE = (1000, 800)
places = arrays(np.float64, st.tuples(st.integers(1, 60), st.just(2)), elements=st.floats(-9, 9, width=32))


@given(places, st.floats(0.3, 12))
def test_named_places_are_apart_and_no_place_is_far_from_them(at, side):
    chosen = at[spread_over(at, side)]
    away = np.hypot(*(chosen[:, None] - chosen[None]).transpose(2, 0, 1))
    assert (away[~np.eye(len(chosen), dtype=bool)] >= NEAREST * side * (1 - 1e-9)).all()
    nearest = np.hypot(*(at[:, None] - chosen[None]).transpose(2, 0, 1)).min(axis=1)
    assert (nearest <= (np.sqrt(2) + NEAREST) * side).all()


def test_named_places_do_not_depend_on_distant_places():
    at = np.random.default_rng(5).uniform(0, 50, (4000, 2))
    some = at[:, 0] < 30
    chosen = set(map(tuple, at[spread_over(at, 4.0)][:, :2].tolist()))
    part = set(map(tuple, at[some][spread_over(at[some], 4.0)].tolist()))
    left = {place for place in chosen if place[0] < 20}
    assert left == {place for place in part if place[0] < 20}


@pytest.fixture(scope="module")
def geometry(tmp_path_factory, qapp):
    folder = tmp_path_factory.mktemp("scattered")
    graph = nx.random_geometric_graph(480, 0.09, seed=3)  # from 500 on networkx takes four times as long
    graph = nx.convert_node_labels_to_integers(graph.subgraph(max(nx.connected_components(graph), key=len)))
    (folder / "g.txt").write_text("".join(f"{a} {b}\n" for a, b in graph.edges))
    scenario = Scenario(Edges(file="g.txt"), Permutation(tasks=len(graph)), Sequential(), Minimal(), folder=folder)
    state = state_of(scenario)
    return MachineGeometry(state.evaluation.case.network), state


def written(geometry, state, camera, monkeypatch):
    """The names in a picture: their rectangles, by vertex, or by name if that is not a number."""
    names = {}
    original = scattered_labels.write

    def note(picture, text, rect, *rest, **more):
        names[int(text) if text.isdigit() else text] = rect
        original(picture, text, rect, *rest, **more)

    monkeypatch.setattr(scattered_labels, "write", note)
    scene = compose(geometry, LinkShading(geometry, state.link_values), camera, SIZE, 100.0)
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    picture = Picture(painter, scene, camera, SIZE, state)
    paint_overlay(picture)
    painter.end()
    return names, picture


def assert_clear(names, cells=()):
    """No name overlaps another one or a mark, and all lie in the picture."""
    rects = list(names.values())
    assert all(QRectF(0, 0, *SIZE).contains(rect) for rect in rects)
    assert not any(a.intersects(b) for k, a in enumerate(rects) for b in rects[:k])
    assert not any(a.intersects(QRectF(*cell)) for a in rects for cell in cells)


@pytest.mark.parametrize("zoom", [4, 9])
def test_nearly_all_vertices_are_named_where_there_is_room(geometry, zoom, monkeypatch):
    geometry, state = geometry
    camera = fit(geometry, SIZE, HEAD).zoomed(zoom, 500, 400, SIZE)
    names, picture = written(geometry, state, camera, monkeypatch)
    if not names:  # near enough for names in the marks themselves
        assert picture.cells[:, 2].max() > 25
        return
    assert_clear(names, picture.cells[picture.in_sight].tolist())
    assert len(names) > 0.5 * picture.in_sight.size


@pytest.mark.parametrize("zoom", [1, 1.7])
def test_names_of_crowded_vertices_are_evenly_spread(geometry, zoom, monkeypatch):
    geometry, state = geometry
    home = fit(geometry, SIZE, HEAD)
    names, picture = written(geometry, state, home.zoomed(zoom, 500, 400, SIZE), monkeypatch)
    seen = [vertex for vertex in picture.in_sight.tolist() if (picture.at(geometry.layout.positions[vertex]) > 0).all()]
    assert len(names) >= min(10, len(seen) / 4)
    at = picture.at(geometry.layout.positions)
    chosen = at[list(names)]
    side = TILE_PX
    away = np.hypot(*(chosen[:, None] - chosen[None]).transpose(2, 0, 1)) + 1e6 * np.eye(len(chosen))
    assert away.min() > 0.5 * side
    nearest = np.hypot(*(at[seen][:, None] - chosen[None]).transpose(2, 0, 1)).min(axis=1)
    assert np.quantile(nearest, 0.95) < 2.2 * side
    assert_clear(names)


def test_names_stay_while_the_picture_moves(geometry, monkeypatch):
    geometry, state = geometry
    camera = fit(geometry, SIZE, HEAD).zoomed(2, 500, 400, SIZE)
    before, _ = written(geometry, state, camera, monkeypatch)
    after, _ = written(geometry, state, camera.panned(37, -22), monkeypatch)
    inside = QRectF(60, 60, SIZE[0] - 420, SIZE[1] - 200)
    kept = [vertex for vertex, rect in before.items() if inside.contains(rect)]
    assert kept
    assert set(kept) <= set(after)


def test_few_switches_are_named_before_nodes(tmp_path, qapp, monkeypatch):
    switches = [f"leaf-switch-{k}" for k in range(1, 4)]
    lines = [f"SwitchName={name} Nodes=n{k}[01-20]" for k, name in enumerate(switches)]
    (tmp_path / "topology.conf").write_text("\n".join([*lines, "SwitchName=root-switch Switches=leaf-switch-[1-3]"]))
    names, _ = of_file(tmp_path / "topology.conf", monkeypatch)
    assert names.keys() > {*switches, "root-switch"}
    assert_clear(names)


@pytest.mark.parametrize("nodes", [5, 16, 50])
def test_all_vertices_of_small_graphs_are_named(tmp_path, qapp, monkeypatch, nodes):
    ends = nx.random_labeled_tree(nodes, seed=1).edges | nx.cycle_graph(nodes).edges
    (tmp_path / "own.txt").write_text("".join(f"workstation{a} workstation{b}\n" for a, b in ends))
    names, picture = of_file(tmp_path / "own.txt", monkeypatch)
    assert_clear(names, picture.cells.tolist())
    assert len(names) >= 0.9 * nodes


def test_hosts_of_trees_are_named_below_their_marks(tmp_path, qapp, monkeypatch):
    lines = [f"SwitchName=s{k} Nodes=n{4 * k:03},n{4 * k + 1:03},n{4 * k + 2:03},n{4 * k + 3:03}" for k in range(4)]
    (tmp_path / "topology.conf").write_text("\n".join([*lines, "SwitchName=root Switches=s[0-3]"]))
    names, picture = of_file(tmp_path / "topology.conf", monkeypatch)
    assert_clear(names, picture.cells.tolist())
    hosts = {host: names[host] for host in picture.geometry.network.hosts}
    for rect, cell in zip(hosts.values(), picture.cells[:16].tolist(), strict=True):
        assert rect.top() > cell[1] + cell[3]
        assert rect.center().x() == pytest.approx(cell[0] + cell[2] / 2, abs=1)


def of_file(path, monkeypatch):
    """The names on the picture of a graph's file."""
    network = Edges(file=path.name)
    tasks = network.build(path.parent).nodes
    state = state_of(Scenario(network, Permutation(tasks=tasks), Sequential(), Minimal(), folder=path.parent))
    geometry = MachineGeometry(state.evaluation.case.network)
    return written(geometry, state, fit(geometry, SIZE, HEAD), monkeypatch)
