"""Picking in the machine view, the marks covered by an item, and its readout. No Qt widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.comparison_text import compared, link_lines
from app.model.flow_text import flow_lines
from app.model.measured_text import counters_text, link_counters
from app.model.nodes import group_labels
from app.model.pointing import Item, exists, vertex_item, vertices_of
from app.model.state import State
from app.views.heatmaps.faulty_cells import faults_text
from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import Ids, MachineGeometry
from app.views.machine.scene import CurveBatch, MachineScene, bundle_batch, empty_batch, link_batch, link_width
from app.views.scale_text import full_scale_text
from app.wording.names import only_text, pair_name, speed_text
from app.wording.numbers import load_percent
from core.kernels import kernel
from core.load.scenario import Case
from core.text import plural

Floats = NDArray[np.float64]

NODE_PX = 7
"""Minimum width of a cell that can be picked; below it, the pointer refers to the group."""
REACH_PX = 5.0
"""Largest distance at which a curve is picked."""
LANDING_PX = 24.0
"""Largest distance from a box, or a node of a lattice, at which an item can be dropped on it."""
INNER, OUTER = "inner links", "links to other groups"
EVEN = "all links equally loaded"
"""Headline of a machine with equally hot links."""
SAMPLES = 14
"""Points of a curve's polyline."""


@dataclass(frozen=True, eq=False)
class Picker:
    """Finds the item drawn at a pixel; the scene is projected once for each camera."""

    scene: MachineScene
    camera: Camera
    size: Size
    more: Sequence[CurveBatch] = ()
    """Curves drawn above the scene's."""

    def at(self, x: float, y: float, *, curves: bool = True) -> Item | None:
        """Return the item at a pixel: a cell before a curve (if `curves`), and a curve before the surrounding box."""
        geometry = self.scene.geometry
        vertex = self._vertex(x, y, geometry.network.vertices)
        if vertex is not None and (not geometry.boxed or geometry.layout.cell[0] * self.camera.scale >= NODE_PX):
            return vertex_item(vertex, geometry.network)
        group = self.box_at(x, y)
        if group is not None and not np.any(self.scene.open == group):
            return Item("group", group)
        curve = self._curve(x, y) if curves else None
        if curve is not None:
            return curve
        return Item("group", group) if group is not None else None

    def node_near(self, x: float, y: float, landing: bool = False) -> int | None:
        """Return the node for a pixel, even if cells are too small to be picked.

        In a box the nearest of its nodes; elsewhere a node that covers the pixel, or is within reach. A drag that is
        `landing` may also end next to a box.
        """
        geometry = self.scene.geometry
        if not geometry.boxed:
            node = self._vertex(x, y, geometry.network.nodes)
            reach = LANDING_PX if landing else REACH_PX
            return node if node is not None else self._nearest(np.arange(geometry.network.nodes), x, y, reach)
        group = self.box_at(x, y, LANDING_PX if landing else 0.0)
        return self._nearest(geometry.members(group), x, y, np.inf) if group is not None else None

    def frame_level(self, x: float, y: float, node: int | None) -> int | None:
        """Return the level of the innermost frame around a pixel, given its nearest node, or None."""
        geometry = self.scene.geometry
        if node is None or not geometry.boxed:
            return None
        levels = geometry.network.levels
        if len(levels) < 2 or not np.any(self.scene.open == geometry.group[node]):
            return 0 if levels else None
        inner = self._nodes[np.flatnonzero(levels[1].group == levels[1].group[node]), :2]
        half = geometry.frame_reach * self.camera.scale
        inside = (inner.min(0) - half <= (x, y)).all() and ((x, y) <= inner.max(0) + half).all()
        return int(inside)

    def _nearest(self, nodes: Ids, x: float, y: float, reach: float) -> int | None:
        away = ((self._nodes[nodes, :2] - (x, y)) ** 2).sum(axis=1)
        k = int(np.argmin(away))
        return int(nodes[k]) if away[k] <= reach**2 else None

    def box_at(self, x: float, y: float, reach: float = 0.0) -> int | None:
        """Return the box around a pixel, or the nearest within reach of it."""
        geometry = self.scene.geometry
        if not geometry.boxed:
            return None
        centre = self.camera.project(geometry.box_centres, self.size)
        half = geometry.layout.boxes[:, 2:] * self.camera.scale / 2
        away = (np.abs(centre[:, :2] - (x, y)) - half).max(axis=1)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= reach else None

    @cached_property
    def _nodes(self) -> Floats:
        return self.camera.project(self.scene.geometry.layout.positions, self.size)

    @cached_property
    def _half(self) -> Floats:
        return np.asarray(self.scene.cell_sizes * (self.camera.scale / 2), np.float64)

    @cached_property
    def _samples(self) -> list[tuple[CurveBatch, Floats]]:
        samples = []
        for batch in (*self.more, self.scene.links, self.scene.bundles):
            points = batch.curves[:, ::2] if batch.straight else curve_samples(batch.curves)
            samples.append((batch, self.camera.project(points, self.size)[..., :2]))
        return samples

    def _vertex(self, x: float, y: float, among: int) -> int | None:
        hit = _covering(self._nodes[:among], self._half, x, y)
        return hit if hit >= 0 else None

    def _curve(self, x: float, y: float) -> Item | None:
        best: tuple[float, Item] | None = None
        for batch, points in self._samples:
            if not batch.count:
                continue
            away = distances(points, x, y)
            # The hottest of the curves under the pointer, which is on top, else the nearest curve.
            covered = away <= batch.width / 2 + 1
            heat = np.abs(batch.heat)
            rank = np.where(covered, 10 + heat / (1 + heat), REACH_PX - away)
            k = int(np.argmax(rank))
            if rank[k] >= 0 and (best is None or rank[k] > best[0]):
                best = float(rank[k]), Item(batch.kind, int(batch.index[k]))
        return best[1] if best is not None else None


def curve_samples(curves: NDArray[Any]) -> NDArray[Any]:
    """Return the points of polylines along quadratic curves, shape ``(n, points, d)`` for ``(n, 3, d)``."""
    t = np.linspace(0, 1, SAMPLES, dtype=np.float32)[:, None]
    weights = np.concatenate([(1 - t) ** 2, 2 * t * (1 - t), t**2], axis=1)
    return np.asarray(weights @ curves)


def load_picking_kernels() -> None:
    """Load the kernels, so that the first move of the pointer does not wait."""
    corner = np.zeros((1, 2, 3))
    distances(corner[..., :2], 0.0, 0.0)
    _covering(corner[0, :1], np.ones((1, 2)), 0.0, 0.0)


@kernel
def _covering(nodes: Floats, half: Floats, x: float, y: float) -> int:
    # The node whose cell, of at least 4 pixels, covers the pixel; in a solid the node in front, in the plane, where
    # cells may overlap, the node with the nearest centre. -1 for none.
    covering, nearest = -1, np.inf
    for node in range(nodes.shape[0]):
        across, above = abs(nodes[node, 0] - x), abs(nodes[node, 1] - y)
        if across > max(half[node, 0], 2.0) or above > max(half[node, 1], 2.0):
            continue
        away = np.hypot(across, above)
        if (
            covering < 0
            or nodes[node, 2] < nodes[covering, 2]
            or (nodes[node, 2] == nodes[covering, 2] and away < nearest)
        ):
            covering, nearest = node, away
    return covering


@kernel
def _beyond(line: Floats, axis: int, place: float) -> bool:
    # Whether a polyline is out of reach along an axis.
    low = high = line[0, axis]
    for k in range(1, line.shape[0]):
        low, high = min(low, line[k, axis]), max(high, line[k, axis])
    return bool(low > place + REACH_PX or high < place - REACH_PX)


@kernel
def distances(points: Floats, x: float, y: float) -> Floats:
    """Return the distances of polylines, shape ``(n, k, 2)``, from a pixel, ``(n,)``; infinite if out of reach."""
    nearest = np.full(points.shape[0], np.inf)
    for n in range(points.shape[0]):
        line = points[n]
        if _beyond(line, 0, x) or _beyond(line, 1, y):
            continue
        for k in range(line.shape[0] - 1):
            ahead_x, ahead_y = line[k + 1, 0] - line[k, 0], line[k + 1, 1] - line[k, 1]
            off_x, off_y = x - line[k, 0], y - line[k, 1]
            length = max(ahead_x**2 + ahead_y**2, 1e-12)
            t = min(max((off_x * ahead_x + off_y * ahead_y) / length, 0.0), 1.0)
            nearest[n] = min(nearest[n], np.hypot(off_x - t * ahead_x, off_y - t * ahead_y))
    return nearest


@dataclass(frozen=True, eq=False)
class Chosen:
    """The marks of a selected or hovered item."""

    nodes: Ids
    groups: Ids
    """Boxes."""
    batch: CurveBatch
    outlined: bool
    """Whether the curves themselves are selected, not their ends."""


def resolve(item: Item, scene: MachineScene, camera: Camera, case: Case) -> Chosen | None:
    """Return the marks of an item, or None if the machine has no such item."""
    geometry = scene.geometry
    if not exists(item, case):
        return None
    if item.kind == "link":
        ends = np.array([geometry.network.src[item.index], geometry.network.dst[item.index]], np.intp)
        return Chosen(ends, _none(), drawn_curves(np.array([item.index]), scene, camera), True)
    if item.kind == "flow":
        # Its links are drawn by `flow_path`.
        return Chosen(np.unique(vertices_of(item, case)).astype(np.intp), _none(), empty_batch("link"), False)
    if item.kind == "bundle":
        return _bundle(*divmod(item.index, geometry.groups), scene, camera)
    if item.kind == "group":
        return _group(item.index, scene)
    (vertex,) = vertices_of(item, case)
    batch = drawn_curves(_shown(geometry.links_at(vertex), scene), scene, camera)
    return Chosen(np.array([vertex]), _none(), batch, False)


def _none() -> Ids:
    return np.zeros(0, np.intp)


def _bundle(a: int, b: int, scene: MachineScene, camera: Camera) -> Chosen:
    geometry = scene.geometry
    if not geometry.boxed or np.isin([a, b], scene.open).any():
        groups = np.array([a, b]) if geometry.boxed else _none()
        return Chosen(_none(), groups, drawn_curves(geometry.links_joining(a, b), scene, camera), True)
    pair = np.flatnonzero((geometry.pairs[0] == min(a, b)) & (geometry.pairs[1] == max(a, b)))
    return Chosen(_none(), np.array([a, b]), bundle_batch(geometry, scene.shading, pair), True)


def _group(group: int, scene: MachineScene) -> Chosen:
    geometry = scene.geometry
    if not geometry.boxed:
        return Chosen(geometry.vertices_of_group(group), _none(), empty_batch("link"), False)
    if np.any(scene.open == group):
        return Chosen(_none(), np.array([group]), empty_batch("link"), False)
    touching = np.flatnonzero((geometry.pairs[0] == group) | (geometry.pairs[1] == group))
    loaded = touching[scene.shading.pair[touching] != 0]
    return Chosen(_none(), np.array([group]), bundle_batch(geometry, scene.shading, loaded), False)


def _shown(ids: Ids, scene: MachineScene) -> Ids:
    # Of a node's hundreds of links only loaded ones that pass the filter; but all of them if the filter only limits the
    # total number of links.
    loaded = ids[scene.shading.link[ids] != 0]
    return loaded if scene.links.crowded or not scene.links.count else np.intersect1d(loaded, scene.links.index)


def drawn_curves(ids: Ids, scene: MachineScene, camera: Camera) -> CurveBatch:
    """Return the curves of the visible links among `ids`: their own curves if drawn, else their bundles."""
    geometry, width = scene.geometry, link_width(scene.geometry, camera) + 0.5
    ids = geometry.drawn_of(ids)
    if not geometry.boxed:
        return link_batch(geometry, scene.shading, ids, width)
    a, b = geometry.ends[0][ids], geometry.ends[1][ids]
    opened = np.isin(a, scene.open) | np.isin(b, scene.open)
    if opened.any():
        return link_batch(geometry, scene.shading, ids[opened], width)
    pair = np.unique(np.minimum(a, b)[a != b].astype(np.int64) * geometry.groups + np.maximum(a, b)[a != b])
    keys = geometry.pairs[0].astype(np.int64) * geometry.groups + geometry.pairs[1]
    return bundle_batch(geometry, scene.shading, np.searchsorted(keys, pair))


def item_lines(item: Item, geometry: MachineGeometry, state: State) -> tuple[str, ...]:
    """Return the readout of an item: its name, then one fact per line; empty if the machine has no such item."""
    if not exists(item, state.evaluation.case):
        return ()
    name, *facts = _about(item, geometry, state)
    return (f"{name} · in step {state.moment.step + 1:,}" if state.moment is not None else name, *facts)


def _about(item: Item, geometry: MachineGeometry, state: State) -> tuple[str, ...]:
    if item.kind == "link":
        return (geometry.network.link_name(item.index), *(link_lines(state, item.index) or _load(state, item.index)))
    if item.kind == "group":
        return _about_group(geometry, state, item.index)
    if item.kind == "bundle":
        return _about_bundle(geometry, state, item.index)
    if item.kind == "flow":
        return flow_lines(item, state)
    (vertex,) = vertices_of(item, state.evaluation.case)
    about = _about_vertex(geometry, state, vertex)
    return (f"task {item.index:,} on {about[0]}", *about[1:]) if item.kind == "task" else about


def _load(state: State, link: int) -> tuple[str, ...]:
    case, report = state.evaluation.case, state.report
    if case.faults is not None and case.faults.failed[link]:
        return ("failed, carries no load",)
    heat = load_percent(float(state.utilisation[link]))
    measure = case.job.measure.suited(float(report.total_load[link]))
    own = f" ({measure.number(float(report.load[link]))} of this job)" if report.others.size else ""
    text = f"load {measure.amount(float(report.total_load[link]))}{own}, {heat} of {full_scale_text(state)}"
    text = f"{text}: bottleneck" if np.any(report.bottleneck_links == link) else text
    slow = speed_text(case, link)
    return (text, *([slow] if slow else []), *link_counters(state, link))


def _about_vertex(geometry: MachineGeometry, state: State, vertex: int) -> tuple[str, ...]:
    network, case = geometry.network, state.evaluation.case
    name = network.coordinates(vertex) or network.vertex_name(vertex)
    placed = (_placed(case, vertex),) if vertex < case.network.nodes else ()
    if case.faults is not None and case.faults.failed_nodes[vertex]:
        return (f"{name}: failed", *placed)
    cables = "" if placed else f": {plural(geometry.links_at(vertex).size, 'link')}, no tasks"
    return (name + cables, *placed, *_groups_on(state, vertex), *_hottest_at(geometry, state, vertex))


def _groups_on(state: State, vertex: int) -> tuple[str, ...]:
    groups, labels = state.groups, group_labels(state, np.array([vertex]))
    return tuple(f"{groups.name} {label}" for label in labels.values()) if groups is not None else ()


def _placed(case: Case, node: int) -> str:
    if case.allocation is not None and node not in case.allocation.nodes:
        whose = next((name for name, nodes in case.allocation.others if node in nodes), "")
        return f"allocated to job {whose}" if whose else "not allocated to the job"
    tasks = np.flatnonzero(case.mapping.nodes == node)
    names = ", ".join(f"{task:,}" for task in tasks[:8]) + (" …" if tasks.size > 8 else "")
    return f"task{'s' * (tasks.size > 1)} {names}" if tasks.size else "no tasks"


def _hottest_at(geometry: MachineGeometry, state: State, vertex: int) -> tuple[str, ...]:
    links = geometry.links_at(vertex)
    if not links.size:
        return ()
    if state.counters is not None:
        return (counters_text(state, links),)
    word, values = ("most changed link", state.link_values) if state.differing else ("hottest link", state.utilisation)
    hottest = int(links[np.argmax(np.abs(values[links]))])
    if state.differing and not values[hottest]:
        return ("no change on its links",)
    both = compared(state, np.array([hottest]))
    heat = both.text if both is not None else load_percent(float(values[hottest]))
    return (f"{word}: {geometry.network.link_name(hottest)}, {heat}",)


def _about_group(geometry: MachineGeometry, state: State, group: int) -> tuple[str, ...]:
    relative = state.utilisation
    leaves, reaches = geometry.ends[0] == group, geometry.ends[1] == group
    parts = [np.flatnonzero(links) for links in (leaves & reaches, leaves ^ reaches)]
    inside, across = (load_percent(float(relative[links].max(initial=0.0))) for links in parts)
    count = geometry.members(group).size
    nodes = plural(count, "node") if count else plural(geometry.vertices_of_group(group).size, "switch")
    name = geometry.network.group_name(group)
    both = [compared(state, links) for links in parts]
    if any(both):
        lines = [f"{which}: {fact.text}" for which, fact in zip((INNER, OUTER), both, strict=True) if fact]
        return (f"{name} · {nodes}", *lines)
    if state.counters is not None:
        lines = [f"{which}: {counters_text(state, links)}" for which, links in zip((INNER, OUTER), parts, strict=True)]
        return (f"{name} · {nodes}", *lines[not parts[0].size :])
    if not parts[0].size:
        return (f"{name} · {nodes}", f"{OUTER}: up to {across} of {full_scale_text(state)}")
    return (
        f"{name} · {nodes}",
        f"{INNER}: up to {inside} of {full_scale_text(state)}",
        f"{OUTER}: up to {across}",
    )


def _about_bundle(geometry: MachineGeometry, state: State, bundle: int) -> tuple[str, ...]:
    network, case = geometry.network, state.evaluation.case
    a, b = divmod(bundle, geometry.groups)
    onwards, back = geometry.links_between(a, b), geometry.links_between(b, a)
    name = pair_name(network, a, b, "↔")
    lines = [f"{name}: {plural(max(onwards.size, back.size), 'link')} each way"]
    for links, ends in ((onwards, (a, b)), (back, (b, a))):
        alike = max(a, b) < network.node_groups
        names = " → ".join(map(network.group_label, ends)) if alike else pair_name(network, *ends)
        both = compared(state, links)
        if both is not None:
            lines.append(f"{names}: {both.text}")
        elif links.size and state.counters is not None:
            lines.append(f"{names}: {counters_text(state, links)}")
        elif links.size:
            heat = load_percent(float(state.utilisation[links].max()))
            load = case.job.measure.suited_amount(float(state.report.total_load[links].max()))
            faults = faults_text(case.faults, links)
            figures = f"load {load}, {heat} of {full_scale_text(state)}" + f", {faults}" * bool(faults)
            lines.append(f"{names}  {faults if faults.startswith('all') else figures}")
    return tuple(lines)


def scene_headline(scene: MachineScene) -> str:
    """Return a line on the drawn parts, and on how to see more."""
    return " · ".join([*filter(None, [only_text(scene.geometry.only)]), _drawn(scene)])


def _drawn(scene: MachineScene) -> str:
    geometry = scene.geometry
    if not geometry.boxed:
        shown = EVEN if scene.shading.even else _count(scene, scene.links, "link")
        return f"{shown} · drag to rotate" if geometry.layout.solid else shown
    name = geometry.network.levels[0].name
    opened = scene.open[scene.open < geometry.network.node_groups]
    if opened.size == 1:
        return f"{geometry.network.group_name(int(opened[0]))}: {_count(scene, scene.links, 'link')}"
    if opened.size:
        return f"{plural(opened.size, name)}: {_count(scene, scene.links, 'link')}"
    shown = EVEN if scene.shading.even else _count(scene, scene.bundles, "bundle")
    return f"{shown} · zoom in to open {_article(name)} {name}"


def _article(name: str) -> str:
    # By pronunciation: an X slice.
    return "an" if name[0] in "aeioX" else "a"


def _count(scene: MachineScene, batch: CurveBatch, noun: str) -> str:
    total, signed = plural(batch.total, noun), scene.shading.signed
    if batch.count == batch.total and not signed:
        return total
    if batch.count in (batch.loaded, batch.total):
        some = f"{batch.loaded:,}" if batch.loaded else "none"
        use = scene.shading.words[0] if signed else "in use in A or B" if scene.shading.paired else "in use"
        return f"{some} of {total} {use}"
    of_each = batch.crowded and len(scene.geometry.classes) > 1
    few = "of each class" if of_each else load_percent(batch.count / batch.total)
    return f"{batch.count:,} of {total}, the {scene.shading.words[1] if signed else 'hottest'} {few}"
