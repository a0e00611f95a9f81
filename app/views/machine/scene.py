"""The scene of a machine at a level of detail: arrays in, arrays out; no Qt, no OpenGL.

Zoomed out, a group of the coarsest level is a box of cells, and the links between two groups are one curve, a bundle. A
box that is large on the screen opens: its inner links appear, and its bundles split into links between cells.
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
"""Maximum number of bundles drawn: more are neither distinguishable nor fast to draw."""
CURVE_LIMIT = 2000
"""Maximum number of links drawn as curves in open boxes."""
CROSSING_LIMIT = 6000
"""Maximum number of links drawn if they cross the entire picture."""
MAX_COVERAGE = 2.0
"""Maximum coverage of the picture by chords of a circle, a pixel wide: of long ones fewer are drawn."""
SAMPLED_LINKS = 500
"""Links sampled for their mean length."""
STRAIGHT_LIMIT = 40_000
"""Maximum number of straight links of a lattice drawn."""
OPEN_PX = 160
"""Minimum width of an open box on the screen."""
OPEN_STEP_PX = 5
"""Minimum distance of neighbours on the screen in open boxes that are lattices, so that links are distinguishable."""
CLOSED_CELL = 2.2
"""Size of the cells of such boxes while closed, relative to open ones: they nearly touch, as in a heatmap."""
SPREAD_PX = (160.0, 420.0)
"""Widths of an open box between which its cells shrink to make room for the links."""
INNER_IDLE = 300
"""Maximum number of links inside an open box for which idle ones are drawn too."""
CLEAR, FULL, CLEAREST = 0.15, 0.6, 0.55
"""Coverage of open boxes by links: up to `CLEAR` cold ones have opacity `CLEAREST`; from `FULL` on they are faint."""
IDLE_LIMIT = 60
"""Maximum number of curves for which idle ones are drawn too: more would make a grey ball."""
PASSING_BY, PASSING_WIDTH = 1.2, 0.3
"""Minimum length of links in nested grids that pass other nodes, and their width relative to short ones."""
PASSING = 0.3
"""Opacity of the bundles that pass by an open box."""
MAX_KEPT = 5000
"""Maximum number of values selected by keeping the strongest instead of partitioning."""
INK_BUDGET, MIN_INK_BUDGET, EVEN_INK_BUDGET, CALM_INK = 0.4, 0.03, 0.2, 0.12
"""Fraction of the picture that links may cover together with all links at least as hot; beyond it links get thinner.

The budget is `CALM_INK` over the coverage of all links, within `MIN_INK_BUDGET` and `INK_BUDGET`: the more links, the
fainter the cold ones. The hottest, if they are many and equal, have `EVEN_INK_BUDGET`.
"""
BOLD, BOLD_PX = 0.006, 2.75
"""Largest coverage of the hottest links, at their usual width, for them to be `BOLD_PX` wide; colder ones less."""
THINNEST: dict[Kind, float] = {"link": 0.25, "bundle": 0.3}
"""Minimum width of curves in pixels; below a pixel they are drawn translucent."""
MIN_CELL_PX = 4.0
"""Minimum width of nodes if links cross the entire picture."""
DOT = 0.35
"""Relative size of a lattice's node without drawn links."""


@dataclass(frozen=True, eq=False)
class CurveBatch:
    """Curves to draw, all links or all bundles."""

    kind: Kind
    index: Ids
    """(n,) link ids, or ``a * groups + b`` with the hotter direction of the bundle first."""
    curves: NDArray[np.float32]
    """(n, 3, 3) start, control and end."""
    width: NDArray[np.float32]
    """(n,) logical pixels."""
    heat: Floats
    """(n,) utilisation."""
    total: int
    """Number of curves to choose from."""
    loaded: int = 0
    """Number of these curves that are loaded."""
    crowded: bool = False
    """Whether more curves pass the filter than can be distinguished; then these are the hottest of each class."""

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
        """Return the curves of an index or mask."""
        return CurveBatch(
            self.kind, self.index[which], self.curves[which], self.width[which], self.heat[which], self.total
        )

    def among(self, values: Floats) -> "CurveBatch":
        """Return the same curves with `total` and `loaded` counted from these values."""
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
    """Least opacity of links: where an open box has few, cold ones are visible too."""
    _cells: dict[tuple[Camera, Size], Floats] = field(default_factory=dict, repr=False)

    def cells(self, camera: Camera, size: Size) -> Floats:
        """Return left, top, width and height of every cell, ``(vertices, 4)``, pixels, with gaps between large ones.

        The last result is cached: computing a hundred thousand takes longer than everything else drawn above the
        canvas.
        """
        if (camera, size) not in self._cells:
            extent = np.maximum(self.cell_sizes * camera.scale, 1.0)
            gap = np.clip((extent - 3) / 3, 0, 1)
            at = camera.project(self.geometry.layout.positions, size)[:, :2]
            rects = np.column_stack([at - (extent - gap) / 2, extent - gap])
            rects.setflags(write=False)
            self._cells.clear()
            self._cells[camera, size] = rects
        return self._cells[camera, size]

    @property
    def bundle_opacity(self) -> float:
        """Return the opacity of bundles, lower around an open box."""
        return PASSING if self.open.size else 1.0

    def marks(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the curves that are, or contain, a bottleneck, ``(n, 3, 3)``, and their widths ``(n,)``."""
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
    """Return the scene for a camera, with only the hottest `percent` of links and bundles."""
    composer = _Composer(geometry, shading, camera, size, percent)
    return composer.boxes() if geometry.boxed else composer.lattice()


def empty_batch(kind: Kind) -> CurveBatch:
    """Return an empty batch."""
    none = np.zeros(0)
    return CurveBatch(kind, none.astype(np.intp), np.zeros((0, 3, 3), np.float32), none.astype(np.float32), none, 0)


def share(total: int, percent: float) -> int:
    """Return the number of the hottest `percent`, at least one unless there are none."""
    return min(total, max(1, int(np.ceil(total * percent / 100 - 1e-9))))


def hottest_indices(values: Floats, count: int) -> Ids:
    """Return the indices of the `count` largest values, ascending; of equal values at the threshold an even sample.

    A sample, since the first of equal bundles would all belong to the first few groups.
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
    # If many values are equal, partitioning takes ten times as long as keeping the strongest in one pass.
    kept = strongest(values, count)
    return float(values[kept[-1]]) if kept.size == count else 0.0


def open_boxes(geometry: MachineGeometry, camera: Camera, size: Size) -> Ids:
    """Return the visible boxes that are large enough to be open."""
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
    """Return the bundles of some pairs of groups."""
    a, b = geometry.pairs[0][which], geometry.pairs[1][which]
    links = np.maximum(geometry.bundle_sizes[a, b], geometry.bundle_sizes[b, a])
    index = np.where(shading.backwards[which], b * geometry.groups + a, a * geometry.groups + b)
    # 1 px for one link, 4 for 32; wider if there are few, thinner if there are many.
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
    """Return the width of links in pixels, in steps of a quarter, so that slight zooming does not change it."""
    if geometry.boxed and not geometry.in_rows:
        width = np.interp(geometry.layout.boxes[0, 2] * camera.scale, [OPEN_PX, 900], [1.0, 2.5])
    else:
        # As wide as the lanes allow.
        width = np.clip(camera.scale * (0.06 if geometry.layout.solid else 0.1), 1.0, 7.0)
        if not geometry.layout.near:
            # The more links cross each other, the thinner.
            width = min(width, max(3.0 * np.sqrt(150 / min(geometry.network.links, CURVE_LIMIT)), 1.0))
    return float(np.round(4 * width) / 4)


def _length(curves: NDArray[np.floating]) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(curves, axis=1), axis=2).sum(axis=1), np.float64)


def detail(geometry: MachineGeometry, camera: Camera, size: Size) -> tuple[object, ...]:
    """Return the properties of the camera that determine a scene: while they are equal, so is the scene."""
    if not geometry.boxed:
        return link_width(geometry, camera), camera.step
    opened = open_boxes(geometry, camera, size)
    if geometry.in_rows:
        many = opened.size > 0 and geometry.network.links > STRAIGHT_LIMIT
        seen_area = _surroundings(camera, size) if many else ()
        return (*opened.tolist(), link_width(geometry, camera), camera.step, seen_area)
    return (*opened.tolist(), link_width(geometry, camera), camera.step, *_spread(geometry, camera, opened).tolist())


def _hot(values: Floats, percent: float, limit: int, idle: int) -> Ids:
    """Return which curves to draw: the hottest; idle ones only if all are requested and at most `idle`."""
    chosen = hottest_indices(values, min(share(values.size, percent), limit))
    if chosen.size == values.size <= idle:
        return chosen
    return chosen[values[chosen] > 0]


def _surroundings(camera: Camera, size: Size) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return two corners of the visible area, world units, in steps, so that slight panning changes nothing."""
    left, top = camera.world(0, 0, size)
    right, bottom = camera.world(*size, size)
    step = 2 ** np.ceil(np.log2(max(right - left, top - bottom))) / 4
    low = step * np.floor((np.array([left, bottom]) + camera.pivot[:2]) / step)
    high = step * np.ceil((np.array([right, top]) + camera.pivot[:2]) / step)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def _spread(geometry: MachineGeometry, camera: Camera, opened: Ids) -> Floats:
    # In steps, so that slight zooming does not change the geometry.
    width = geometry.layout.boxes[opened, 2] * camera.scale
    return np.asarray(np.round(np.interp(width, SPREAD_PX, [0.7, 0.5]), 1), np.float64)


@dataclass(frozen=True, eq=False)
class _Composer:
    """Composes a scene."""

    geometry: MachineGeometry
    shading: LinkShading
    camera: Camera
    size: Size
    percent: float

    def lattice(self) -> MachineScene:
        """Return the scene of a machine without boxes."""
        links = self._lattice_links()
        links = self._faded_by_density(links, self.shading.rank[links.index])
        # Where links cross the whole picture few are drawn, and nodes are enlarged to stand out.
        sizes = self._lattice_scale(links, full_size=links.count == links.total or not self.geometry.layout.near)
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
        """Return which pairs of groups include an open box; -1 for no group."""
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
        """Return the links of open boxes that are lattices; if they are too many, the hottest visible ones."""
        if not self.opened.size:
            return empty_batch("link")
        drawn, rank = self.geometry.drawn, self.shading.rank
        some = share(drawn.size, self.percent) > STRAIGHT_LIMIT
        ids = self._in_reach() if some else drawn
        batch = self._link_batch(ids[_hot(rank[ids], self.percent, STRAIGHT_LIMIT, STRAIGHT_LIMIT)], rank[drawn])
        if not self.geometry.layout.near:
            return replace(self._faded_by_density(batch, rank[batch.index]), crowded=some)
        # Links that pass other nodes share the room with many others.
        passing = np.linalg.norm(batch.curves[:, 2] - batch.curves[:, 0], axis=1) > PASSING_BY
        width = np.where(passing, np.maximum(batch.width * PASSING_WIDTH, 1.0), batch.width).astype(np.float32)
        return replace(batch, width=width, crowded=some)

    def _in_reach(self) -> Ids:
        """Return the links of nodes inside or near the visible area."""
        low, high = (np.array(corner) for corner in _surroundings(self.camera, self.size))
        at, network = self.geometry.layout.positions[:, :2], self.geometry.network
        inside: NDArray[np.bool_] = np.all((at >= low) & (at <= high), axis=1)
        return self.geometry.drawn_of(np.flatnonzero(inside[network.src] | inside[network.dst]))

    def _lattice_links(self) -> CurveBatch:
        limit = STRAIGHT_LIMIT if self.geometry.layout.near else self._crossing_limit()
        drawn = self.geometry.drawn
        rank = self.shading.rank[drawn]
        some = share(drawn.size, self.percent) > limit
        chosen = self._hot_of_each(limit) if some else drawn[_hot(rank, self.percent, limit, limit)]
        return replace(self._link_batch(chosen, rank), crowded=some)

    def _crossing_limit(self) -> int:
        layout, network = self.geometry.layout, self.geometry.network
        if not layout.circle or network.links <= 1:
            return CROSSING_LIMIT
        some = np.unique(np.linspace(0, network.links - 1, SAMPLED_LINKS).astype(np.intp))
        mean = float(_length(layout.link_curves(some, network.src[some], network.dst[some])).mean())
        return min(CROSSING_LIMIT, int(MAX_COVERAGE * self._room / max(mean, 1e-9)))

    def _hot_of_each(self, limit: int) -> Ids:
        """Return the hottest links of each class, so that every class is drawn; unused quotas go to other classes."""
        kept, left, rank = [], limit, self.shading.rank
        classes = sorted(self.geometry.classes, key=lambda link_class: link_class.count)
        for place, link_class in enumerate(classes):
            few = hottest_indices(rank[link_class.links], left // (len(classes) - place))
            left -= few.size
            kept.append(few + link_class.links.start)
        chosen: Ids = np.sort(np.concatenate(kept))
        return chosen[rank[chosen] > 0]

    def _faded_by_density(self, batch: CurveBatch, strength: Floats) -> CurveBatch:
        """Return curves thinned by density: the hottest bold, colder ones thinner.

        `strength` is the heat of each, shape ``(n,)``.

        Links that cover the entire picture would be one bright area at any load. So each link shares an ink budget with
        the links at least as hot: equal links all become faint, and a single hot link stands out.
        """
        if batch.straight or self.geometry.layout.solid:
            # Links of a plane lattice do not overlap, and in a solid the cold ones are translucent already.
            return batch
        ink = _length(batch.curves) * batch.width / self._room
        order = np.argsort(-strength, kind="stable")
        falling = -strength[order]
        # Equal links are equally thin: each counts all equal ones.
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
        """Return the length of lines, a pixel wide, that cover the picture."""
        low, high = self.geometry.bounds
        return float(np.prod((high - low)[:2])) * self.camera.step

    def _clarity(self, links: CurveBatch) -> float:
        """Return the least opacity of links of open boxes, higher if they cover less, in steps."""
        a, b = (end[links.index] for end in self.geometry.ends)
        inside = np.unique(a[(a == b) & (a >= 0)])
        if not inside.size:
            return 0.0
        ink = _length(links.curves[a == b]) @ links.width[a == b] / self.camera.step
        covered = ink / float(np.prod(self.geometry.layout.boxes[inside, 2:], axis=1).sum())
        return float(np.round(np.interp(covered, [CLEAR, FULL], [CLEAREST, 0.0]), 2))

    def _magnified(self) -> Floats | float:
        """Return the magnification of nodes and switches that would otherwise vanish."""
        if self.geometry.layout.near or self.geometry.layout.solid:
            return 1.0
        largest = self.geometry.marks.max(axis=1).astype(np.float64)
        return np.asarray(np.maximum(1.0, MIN_CELL_PX / (largest * self.camera.step)), np.float64)

    def _lattice_scale(self, links: CurveBatch, *, full_size: bool) -> Floats:
        # A node whose links are all filtered out is a dot, so that it does not hide others.
        network = self.geometry.network
        sizes = np.full(network.vertices, 1.0 if full_size else DOT)
        sizes[network.src[links.index]] = sizes[network.dst[links.index]] = 1.0
        return sizes

    def _grid_scale(self, links: CurveBatch) -> Floats:
        if not self.opened.size:
            return np.full(self.geometry.network.vertices, CLOSED_CELL)
        # If there are many links, those outside the visible area are missing too.
        return self._lattice_scale(links, full_size=links.count == links.total or links.crowded)

    def _cell_scale(self) -> Floats:
        by_group = np.ones(self.geometry.groups + 1)  # the last entry is for switches in no group, -1
        by_group[self.opened] = _spread(self.geometry, self.camera, self.opened)
        return by_group[self.geometry.network.group_of]
