"""What to draw of a machine, and in which detail: arrays in, arrays out; no Qt, no OpenGL.

From far, a group of the coarsest level is a box of cells, and the links between two groups are one curve, a bundle. A
box that is large on the screen opens: its inner links appear, and its bundles part into links between cells.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.views.machine.camera import Camera, Size
from app.views.machine.geometry import Floats, Ids, LinkShading, MachineGeometry
from core.load.compare import strongest
from core.load.evaluate import TOLERANCE

Kind = Literal["link", "bundle"]

BUNDLE_LIMIT = 1024
"""Bundles drawn at most; more are neither told apart nor drawn fast."""
CURVE_LIMIT = 2000
"""Links drawn as curves at most in opened boxes."""
CROSSING_LIMIT = 6000
"""Links drawn at most where they cross the whole picture."""
CROSSED = 2.0
"""How often chords of a circle may cover the picture, were each a pixel wide: of long ones fewer are drawn."""
MEASURED = 500
"""Links from which their mean length is told."""
STRAIGHT_LIMIT = 40_000
"""Straight links of a lattice drawn at most."""
OPEN_PX = 160
"""Width of a box on the screen from which it opens."""
OPEN_STEP_PX = 5
"""Distance of neighbours on the screen from which boxes that are lattices open: below, no link is told from another."""
CLOSED_CELL = 2.2
"""Size of the cells of such boxes while closed, relative to open ones: they nearly touch, as in a map of heat."""
SPREAD_PX = (160.0, 420.0)
"""Widths of an open box between which its cells shrink further to make room for the links."""
INNER_IDLE = 300
"""Links inside an open box up to which those that carry nothing are drawn too."""
CLEAR, FULL, CLEAREST = 0.15, 0.6, 0.55
"""Parts of open boxes that their links cover: up to the first, cold ones are so opaque; from the second on faint."""
IDLE_LIMIT = 60
"""Curves up to which those that carry nothing are drawn too: of more they would make a grey ball."""
PASSING_BY, PASSING_WIDTH = 1.2, 0.3
"""Length of links in nested grids from which they pass by other nodes; and their width, relative to short ones."""
PASSING = 0.3
"""Opacity of the bundles that pass by an open box."""
MAX_KEPT = 5000
"""Up to so many values the strongest are found by keeping them."""
INK_BUDGET, MIN_INK_BUDGET, EVEN_INK_BUDGET, CALM_INK = 0.4, 0.03, 0.2, 0.12
"""Part of the picture that links may cover with all that are at least as hot: of more each is thinner than it was.

It is the smaller the more of the picture all together would cover, as `CALM_INK` over that: a calm rest sets off what
is hot. But the hottest, if they are many and equal, have `EVEN_INK_BUDGET`.
"""
BOLD, BOLD_PX = 0.006, 2.75
"""Part of the picture that the hottest may cover, at their usual width, to be this wide instead; colder ones less."""
THINNEST: dict[Kind, float] = {"link": 0.08, "bundle": 0.3}
"""Width in pixels that curves keep at least: what is below a pixel is faint."""
MIN_CELL_PX = 4.0
"""Width of nodes at least, where links cross all of the picture."""
DOT = 0.35
"""Size of a lattice's node none of whose links is drawn, relative to the others."""


@dataclass(frozen=True, eq=False)
class CurveBatch:
    """Curves to draw; all are links, or all bundles."""

    kind: Kind
    index: Ids
    """(n,) link ids, or ``a * groups + b`` with the hotter direction of the bundle first."""
    curves: NDArray[np.float32]
    """(n, 3, 3) start, control and end."""
    width: NDArray[np.float32]
    """(n,) logical pixels."""
    heat: Floats
    """(n,) relative load."""
    total: int
    """How many there are to choose from."""
    loaded: int = 0
    """How many of these carry anything."""
    crowded: bool = False
    """Whether more are asked for than can be told apart: then they are the hottest of each class."""

    @property
    def count(self) -> int:
        """Return the number of curves."""
        return self.index.size

    @cached_property
    def straight(self) -> bool:
        """Return whether none of the curves bends."""
        bend = self.curves[:, 1] - (self.curves[:, 0] + self.curves[:, 2]) / 2
        return bool(np.abs(bend).max(initial=0) < 1e-5)

    def only(self, which: NDArray[np.bool_]) -> "CurveBatch":
        """Return some of them."""
        return CurveBatch(
            self.kind, self.index[which], self.curves[which], self.width[which], self.heat[which], self.total
        )

    def among(self, values: Floats) -> "CurveBatch":
        """Return the same curves, chosen from those of these loads."""
        return replace(self, total=values.size, loaded=int(np.count_nonzero(values)))


@dataclass(frozen=True, eq=False)
class MachineScene:
    """Everything to draw for one view of one report."""

    geometry: MachineGeometry
    shading: LinkShading
    bundles: CurveBatch
    links: CurveBatch
    open: Ids
    """Boxes drawn in detail."""
    cell_scale: Floats
    """(vertices,) size of each cell relative to the layout's."""
    least_opacity: float = 0.0
    """How opaque links are at least: where an open box has few they are all seen."""
    _cells: dict[tuple[Camera, Size], Floats] = field(default_factory=dict, repr=False)

    def cells(self, camera: Camera, size: Size) -> Floats:
        """Return left, top, width and height of every cell, shape ``(vertices, 4)``, pixels: a gap between large ones.

        Those last asked for are kept: to find a hundred thousand takes longer than to draw all else above the canvas.
        """
        if (camera, size) not in self._cells:
            extent = np.maximum(self.cell_sizes * camera.scale, 1.0)
            gap = np.clip((extent - 3) / 3, 0, 1)
            at = camera.project(self.geometry.layout.positions, size)[:, :2]
            found = np.column_stack([at - (extent - gap) / 2, extent - gap])
            found.setflags(write=False)
            self._cells.clear()
            self._cells[camera, size] = found
        return self._cells[camera, size]

    @property
    def bundle_opacity(self) -> float:
        """Return how visible bundles are: around an open box they only pass by."""
        return PASSING if self.open.size else 1.0

    def marks(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the curves that are, or hold, a bottleneck, ``(n, 3, 3)``, and their widths ``(n,)``."""
        seen = (self.links,) if self.open.size else (self.bundles, self.links)
        both = [batch.only(self.shading.marked(batch.heat)) for batch in seen]
        curves = np.concatenate([batch.curves for batch in both])
        return curves, np.concatenate([batch.width for batch in both])

    @property
    def cell_sizes(self) -> NDArray[np.float32]:
        """Return the sizes of the cells, shape ``(vertices, 2)``, world units."""
        return np.asarray(self.cell_scale[:, None] * self.geometry.marks, np.float32)


def compose(
    geometry: MachineGeometry, shading: LinkShading, camera: Camera, size: Size, percent: float
) -> MachineScene:
    """Return what to draw as seen by a camera, of links and bundles only the hottest `percent`."""
    composer = _Composer(geometry, shading, camera, size, percent)
    return composer.boxes() if geometry.boxed else composer.lattice()


def empty_batch(kind: Kind) -> CurveBatch:
    """Return no curves."""
    none = np.zeros(0)
    return CurveBatch(kind, none.astype(np.intp), np.zeros((0, 3, 3), np.float32), none.astype(np.float32), none, 0)


def share(total: int, percent: float) -> int:
    """Return how many are the hottest so many percent, at least one of any."""
    return min(total, max(1, int(np.ceil(total * percent / 100 - 1e-9))))


def hottest_indices(values: Floats, count: int) -> Ids:
    """Return where the `count` largest values are, ascending; among equals at the border an even sample.

    A sample, since the first of equal bundles would be those of the first few groups, as if these were special.
    """
    if count >= values.size:
        return np.arange(values.size)
    border = _border(values, count)
    slack = abs(border) * TOLERANCE
    above = np.flatnonzero(values > border + slack)
    equal = np.flatnonzero(np.abs(values - border) <= slack)
    picked = equal[(np.arange(count - above.size) * equal.size) // max(count - above.size, 1)]
    return np.sort(np.concatenate([above, picked]))


def _border(values: Floats, count: int) -> float:
    """Return the least of the `count` largest values, none of which is negative."""
    if count > MAX_KEPT:
        return float(-np.partition(-values, count - 1)[count - 1])
    # Where many values are equal, partitioning takes ten times as long as keeping the strongest in one pass.
    kept = strongest(values, count)
    return float(values[kept[-1]]) if kept.size == count else 0.0


def open_boxes(geometry: MachineGeometry, camera: Camera, size: Size) -> Ids:
    """Return the boxes that are seen and large enough to be drawn in detail."""
    boxes = geometry.layout.boxes
    width, height = boxes[:, 2] * camera.scale, boxes[:, 3] * camera.scale
    centre = camera.project(geometry.box_centres, size)
    seen = (np.abs(centre[:, 0] - size[0] / 2) < (size[0] + width) / 2) & (
        np.abs(centre[:, 1] - size[1] / 2) < (size[1] + height) / 2
    )
    if geometry.in_rows:
        return np.flatnonzero(seen & (camera.scale >= OPEN_STEP_PX))
    return np.flatnonzero(seen & (width >= OPEN_PX))


def bundle_batch(geometry: MachineGeometry, shading: LinkShading, which: Ids) -> CurveBatch:
    """Return the bundles of some of the machine's pairs of groups."""
    a, b = geometry.pairs[0][which], geometry.pairs[1][which]
    links = np.maximum(geometry.bundle_sizes[a, b], geometry.bundle_sizes[b, a])
    index = np.where(shading.backwards[which], b * geometry.groups + a, a * geometry.groups + b)
    # 1 px for one link, 4 for 32; bolder where there are few, thinner where so many would make one area.
    dense = np.clip(np.sqrt(150 / max(which.size, 1)), 0.5, 1.8)
    width = np.clip((1 + 0.6 * np.log2(np.maximum(links, 1))) * dense, 0.5, 4.0).astype(np.float32)
    curves = geometry.layout.bundle_curves(a, b)
    return CurveBatch("bundle", index.astype(np.intp), curves, width, shading.pair[which], which.size)


def link_batch(geometry: MachineGeometry, shading: LinkShading, ids: Ids, width: float) -> CurveBatch:
    """Return some links."""
    network = geometry.network
    curves = geometry.layout.link_curves(ids, network.src[ids], network.dst[ids])
    return CurveBatch("link", ids, curves, np.full(ids.size, width, np.float32), shading.link[ids], ids.size)


def link_width(geometry: MachineGeometry, camera: Camera) -> float:
    """Return the width of links, pixels, in steps of a quarter: so that a little zooming changes nothing."""
    if geometry.boxed and not geometry.in_rows:
        width = np.interp(geometry.layout.boxes[0, 2] * camera.scale, [OPEN_PX, 900], [1.0, 2.5])
    else:
        # As wide as the lanes leave room for.
        width = np.clip(camera.scale * (0.06 if geometry.layout.solid else 0.1), 1.0, 7.0)
        if not geometry.layout.near:
            # The more cross each other the thinner.
            width = min(width, max(3.0 * np.sqrt(150 / min(geometry.network.links, CURVE_LIMIT)), 1.0))
    return float(np.round(4 * width) / 4)


def _length(curves: NDArray[np.floating]) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(curves, axis=1), axis=2).sum(axis=1), np.float64)


def detail(geometry: MachineGeometry, camera: Camera, size: Size) -> tuple[object, ...]:
    """Return what a scene takes from the camera: where this stays the same, so does the scene."""
    if not geometry.boxed:
        return link_width(geometry, camera), camera.step
    opened = open_boxes(geometry, camera, size)
    if geometry.in_rows:
        many = opened.size > 0 and geometry.network.links > STRAIGHT_LIMIT
        seen_area = _surroundings(camera, size) if many else ()
        return (*opened.tolist(), link_width(geometry, camera), camera.step, seen_area)
    return (*opened.tolist(), link_width(geometry, camera), camera.step, *_spread(geometry, camera, opened).tolist())


def _hot(values: Floats, percent: float, limit: int, idle: int) -> Ids:
    """Return which to draw: the hottest, and up to `idle` of those that carry nothing, if all are wanted."""
    chosen = hottest_indices(values, min(share(values.size, percent), limit))
    if chosen.size == values.size <= idle:
        return chosen
    return chosen[values[chosen] > 0]


def _surroundings(camera: Camera, size: Size) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return two corners of what is in sight, world units, in steps: a little panning and zooming changes nothing."""
    left, top = camera.world(0, 0, size)
    right, bottom = camera.world(*size, size)
    step = 2 ** np.ceil(np.log2(max(right - left, top - bottom))) / 4
    low = step * np.floor((np.array([left, bottom]) + camera.pivot[:2]) / step)
    high = step * np.ceil((np.array([right, top]) + camera.pivot[:2]) / step)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def _spread(geometry: MachineGeometry, camera: Camera, opened: Ids) -> Floats:
    # In steps, so that a little zooming moves no geometry.
    width = geometry.layout.boxes[opened, 2] * camera.scale
    return np.asarray(np.round(np.interp(width, SPREAD_PX, [0.7, 0.5]), 1), np.float64)


@dataclass(frozen=True, eq=False)
class _Composer:
    """What a scene is made of."""

    geometry: MachineGeometry
    shading: LinkShading
    camera: Camera
    size: Size
    percent: float

    def lattice(self) -> MachineScene:
        """Return the scene of a machine without boxes."""
        links = self._lattice_links()
        links = self._faded_by_density(links, self.shading.rank[links.index])
        # Where links cross all of the picture few are drawn, and nodes stand apart from them.
        sizes = self._lattice_scale(links, whole=links.count == links.total or not self.geometry.layout.near)
        sizes *= self._magnified()
        return MachineScene(self.geometry, self.shading, empty_batch("bundle"), links, np.zeros(0, np.intp), sizes)

    def boxes(self) -> MachineScene:
        """Return the scene of a machine with boxes."""
        links = self._links_of_grids() if self.geometry.in_rows else self._open_links()
        sizes = self._grid_scale(links) if self.geometry.in_rows else self._cell_scale()
        opacity = 0.0 if self.geometry.in_rows else self._clarity(links)
        return MachineScene(self.geometry, self.shading, self._bundles(), links, self.opened, sizes, opacity)

    @cached_property
    def opened(self) -> Ids:
        """Return the boxes drawn in detail."""
        return open_boxes(self.geometry, self.camera, self.size)

    def _touching_open(self, a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return which pairs of groups have one whose box is open; -1: no group."""
        is_open = np.zeros(self.geometry.groups + 1, np.bool_)
        is_open[self.opened] = True
        return np.asarray(is_open[a] | is_open[b])

    def _link_batch(self, ids: Ids, among: Floats) -> CurveBatch:
        width = link_width(self.geometry, self.camera)
        return link_batch(self.geometry, self.shading, ids, width).among(among)

    def _bundles(self) -> CurveBatch:
        rank, (a, b) = self.shading.pair_rank, self.geometry.pairs
        chosen = _hot(rank, self.percent, BUNDLE_LIMIT, IDLE_LIMIT)
        # An open box shows its links instead.
        chosen = chosen[~self._touching_open(a[chosen], b[chosen])]
        batch = bundle_batch(self.geometry, self.shading, chosen).among(rank)
        return self._faded_by_density(batch, rank[chosen])

    def _open_links(self) -> CurveBatch:
        if not self.opened.size:
            return empty_batch("link")
        a, b = self.geometry.ends
        ids = np.flatnonzero(self._touching_open(a, b))
        inner, rank = a[ids] == b[ids], self.shading.rank
        kept = []
        for part, idle in ((ids[inner], INNER_IDLE * self.opened.size), (ids[~inner], IDLE_LIMIT)):
            kept.append(part[_hot(rank[part], self.percent, CURVE_LIMIT // 2, idle)])
        return self._link_batch(np.sort(np.concatenate(kept)), rank[ids])

    def _links_of_grids(self) -> CurveBatch:
        """Return the links of open boxes that are lattices; of too many the hottest of those in sight."""
        if not self.opened.size:
            return empty_batch("link")
        links, rank = self.geometry.network.links, self.shading.rank
        some = share(links, self.percent) > STRAIGHT_LIMIT
        ids = self._in_reach() if some else np.arange(links)
        batch = self._link_batch(ids[_hot(rank[ids], self.percent, STRAIGHT_LIMIT, STRAIGHT_LIMIT)], rank)
        # Those that pass by other nodes share their room with many.
        passing = np.linalg.norm(batch.curves[:, 2] - batch.curves[:, 0], axis=1) > PASSING_BY
        width = np.where(passing, np.maximum(batch.width * PASSING_WIDTH, 1.0), batch.width).astype(np.float32)
        return replace(batch, width=width, crowded=some)

    def _in_reach(self) -> Ids:
        """Return the links of nodes in sight, or close to it."""
        low, high = (np.array(corner) for corner in _surroundings(self.camera, self.size))
        at, network = self.geometry.layout.positions[:, :2], self.geometry.network
        inside: NDArray[np.bool_] = np.all((at >= low) & (at <= high), axis=1)
        return np.flatnonzero(inside[network.src] | inside[network.dst])

    def _lattice_links(self) -> CurveBatch:
        limit = STRAIGHT_LIMIT if self.geometry.layout.near else self._crossing_limit()
        rank = self.shading.rank
        some = share(rank.size, self.percent) > limit
        chosen = self._hot_of_each(limit) if some else _hot(rank, self.percent, limit, limit)
        return replace(self._link_batch(chosen, rank), crowded=some)

    def _crossing_limit(self) -> int:
        layout, network = self.geometry.layout, self.geometry.network
        if not layout.circle or network.links <= 1:
            return CROSSING_LIMIT
        some = np.unique(np.linspace(0, network.links - 1, MEASURED).astype(np.intp))
        mean = float(_length(layout.link_curves(some, network.src[some], network.dst[some])).mean())
        return min(CROSSING_LIMIT, int(CROSSED * self._room / max(mean, 1e-9)))

    def _hot_of_each(self, limit: int) -> Ids:
        """Return the hottest links of each class, so that none is missing; what one leaves over the others share."""
        kept, left, rank = [], limit, self.shading.rank
        classes = sorted(self.geometry.network.classes, key=lambda link_class: link_class.count)
        for place, link_class in enumerate(classes):
            few = hottest_indices(rank[link_class.links], left // (len(classes) - place))
            left -= few.size
            kept.append(few + link_class.links.start)
        chosen: Ids = np.sort(np.concatenate(kept))
        return chosen[rank[chosen] > 0]

    def _faded_by_density(self, batch: CurveBatch, strength: Floats) -> CurveBatch:
        """Return curves so thin that what lies below them is seen: the hottest bold, colder ones the thinner.

        `strength` says how hot each is, shape ``(n,)``.

        Links that cover all of the picture would be one bright area, whatever they carry. So each shares a measure of
        ink with those that are as hot or hotter: where all are equal all grow faint, and a single hot one stands out.
        """
        if batch.straight or self.geometry.layout.solid:
            # The links of a lattice run beside each other; and in a solid the cold ones are faint already.
            return batch
        ink = _length(batch.curves) * batch.width / self._room
        order = np.argsort(-strength, kind="stable")
        falling = -strength[order]
        # Equal ones are equally thin: each counts all of them.
        last = np.searchsorted(falling, falling * (1 - TOLERANCE), side="right") - 1
        covered = np.empty(batch.count)
        covered[order] = np.cumsum(ink[order])[last]
        measure = min(max(CALM_INK / max(float(ink.sum()), 1e-9), MIN_INK_BUDGET), INK_BUDGET)
        measure = max(measure, min(float(covered.min(initial=INK_BUDGET)), EVEN_INK_BUDGET))
        width = batch.width * np.minimum(measure / np.maximum(covered, measure), 1.0)
        bolder = np.maximum(BOLD_PX - batch.width, 0) * np.minimum(BOLD / np.maximum(covered, BOLD), 1.0)
        width = width + bolder * strength / max(float(strength.max(initial=0.0)), 1e-12)
        return replace(batch, width=np.maximum(width, THINNEST[batch.kind]).astype(np.float32))

    @property
    def _room(self) -> float:
        """Return the length that lines a pixel wide have if they cover the picture."""
        low, high = self.geometry.bounds
        return float(np.prod((high - low)[:2])) * self.camera.step

    def _clarity(self, links: CurveBatch) -> float:
        """Return how opaque the links of open boxes are at least: the less they cover the more, in steps."""
        a, b = (end[links.index] for end in self.geometry.ends)
        inside = np.unique(a[(a == b) & (a >= 0)])
        if not inside.size:
            return 0.0
        ink = _length(links.curves[a == b]) @ links.width[a == b] / self.camera.step
        covered = ink / float(np.prod(self.geometry.layout.boxes[inside, 2:], axis=1).sum())
        return float(np.round(np.interp(covered, [CLEAR, FULL], [CLEAREST, 0.0]), 2))

    def _magnified(self) -> Floats | float:
        """Return how much larger nodes and switches are drawn than they are, where they would vanish."""
        if self.geometry.layout.near or self.geometry.layout.solid:
            return 1.0
        largest = self.geometry.marks.max(axis=1).astype(np.float64)
        return np.asarray(np.maximum(1.0, MIN_CELL_PX / (largest * self.camera.step)), np.float64)

    def _lattice_scale(self, links: CurveBatch, *, whole: bool) -> Floats:
        # Of a node whose links are filtered out only a dot is left: it must not hide the others.
        network = self.geometry.network
        sizes = np.full(network.vertices, 1.0 if whole else DOT)
        sizes[network.src[links.index]] = sizes[network.dst[links.index]] = 1.0
        return sizes

    def _grid_scale(self, links: CurveBatch) -> Floats:
        if not self.opened.size:
            return np.full(self.geometry.network.vertices, CLOSED_CELL)
        # Out of sight links are left out too, where there are many.
        return self._lattice_scale(links, whole=links.count == links.total or links.crowded)

    def _cell_scale(self) -> Floats:
        by_group = np.ones(self.geometry.groups + 1)  # the last is that of switches in no group, -1
        by_group[self.opened] = _spread(self.geometry, self.camera, self.opened)
        return by_group[self.geometry.network.group_of]
