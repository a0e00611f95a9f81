"""Detours of short-dimension routing: the pairs that take them, their intermediate nodes, and routing in two legs.

Source: Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on torus interconnects", 2010, section 4.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.faulty import FaultyRouter
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.routing.lattice.grid import Grid, Sizes
from core.routing.router import PlanNote, Route, Router
from core.spec import Progress, no_progress

FIRST, SECOND, DIRECT = range(3)
ROLES = ("to the intermediate node", "from the intermediate node", "direct")
NOWHERE = -1


class Shape(NamedTuple):
    """Dimensions of a torus or mesh, as the selection of pairs needs them."""

    grid: Grid
    short: NDArray[np.intp]
    """Dimensions of detours: dimensions at most half as long as the longest, or the shortest one."""
    long: NDArray[np.intp]
    """Dimensions longer than the short ones."""


def shape_of(grid: Grid, only_shortest: bool) -> Shape:
    """Return the shape of a torus or mesh; of equally short dimensions the last counts as shortest."""
    dims = grid.dims
    is_short = 2 * dims <= dims.max()
    short = np.flatnonzero(is_short & (dims > 1))
    if only_shortest and short.size:
        short = short[dims[short] == dims[short].min()][-1:]
    return Shape(grid, short, np.flatnonzero(~is_short))


def rule_of_thumb(shape: Shape) -> float:
    """Return the fraction of pairs with detours: half on a torus twice as long as wide, all from three times on."""
    if not shape.short.size:
        return 0.0
    ratio = float(shape.grid.dims.max() / shape.grid.dims[shape.short].max())
    return min(max((ratio - 1) / 2, 0.0), 1.0)


def opposite(src: Nodes, dst: Nodes, shape: Shape) -> Nodes:
    """Return the intermediate node of each pair: the source, halfway around each short dimension from the target."""
    via, grid = src.astype(np.int64), shape.grid
    for d in shape.short.tolist():
        size = int(grid.dims[d])
        away = (grid.coordinates[dst, d].astype(np.int64) + size // 2) % size
        via += (away - grid.coordinates[src, d]) * grid.strides[d]
    return via.astype(np.int32)


def long_hops(src: Nodes, dst: Nodes, shape: Shape) -> NDArray[np.int64]:
    """Return the distance of each pair along the long dimensions, in hops."""
    grid, long = shape.grid, shape.long
    away = np.abs(grid.coordinates[dst][:, long] - grid.coordinates[src][:, long]).astype(np.int64)
    return np.asarray(np.where(grid.wraps[long], np.minimum(away, grid.dims[long] - away), away).sum(axis=1))


class Choice(NamedTuple):
    """Rules for choosing pairs."""

    alpha: float
    """Fraction of the pairs considered, nearest along the long dimensions first."""
    gamma: int
    """Pairs at fewer hops along the long dimensions go direct."""
    delta: int
    """An intermediate node may be replaced by a node at a smaller distance than this."""
    exclusive: bool
    """Whether a node serves at most one pair."""


def chosen_nodes(src: Nodes, dst: Nodes, shape: Shape, choice: Choice) -> Nodes:
    """Return the intermediate node of each pair of different nodes, or -1 for a direct path."""
    via = np.full(src.size, NOWHERE, np.int32)
    if not shape.short.size:
        return via
    hops = long_hops(src, dst, shape)
    order = np.lexsort((dst, src, hops))[: int(choice.alpha * src.size + 1e-9)]
    order = order[hops[order] >= choice.gamma]
    wanted = opposite(src[order], dst[order], shape)
    order, wanted = order[wanted != src[order]], wanted[wanted != src[order]]
    if choice.exclusive:
        wanted = _shared_out(wanted, src[order], dst[order], *_nearby(shape, choice.delta), shape.short, shape.grid)
    via[order] = wanted
    return via


def _nearby(shape: Shape, delta: int) -> tuple[Sizes, Sizes]:
    # Offsets to nodes at a distance below delta, and these distances, nearest first: along the short dimensions, since
    # intermediate nodes "can be reached by traversing only along the shorter dimensions".
    limits = [min(delta - 1, int(size)) for size in shape.grid.dims[shape.short]]
    reach = [range(-limit, limit + 1) for limit in limits]
    steps = [step for step in product(*reach) if 0 < sum(map(abs, step)) < delta] if delta > 1 else []
    steps.sort(key=lambda step: sum(map(abs, step)))
    offsets = np.array(steps, np.int64).reshape(len(steps), shape.short.size)
    return offsets, np.abs(offsets).sum(axis=1)


@kernel
def _shared_out(
    wanted: Nodes, src: Nodes, dst: Nodes, steps: Sizes, away: Sizes, short: NDArray[np.intp], grid: Grid
) -> Nodes:
    # Each pair in turn takes its node, or the nearest free one (ties: the first).
    taken, given = np.zeros(len(grid.coordinates), np.bool_), np.full(wanted.size, NOWHERE, np.int32)
    for i in range(wanted.size):
        best, distance = wanted[i], 0
        if taken[best]:
            best = NOWHERE
            for k in range(away.size):
                if best != NOWHERE and away[k] > distance:
                    break
                node = _shifted(wanted[i], steps[k], short, grid)
                if node == NOWHERE or taken[node] or node == src[i] or node == dst[i]:
                    continue
                if best == NOWHERE or node < best:
                    best, distance = node, away[k]
        given[i] = best
        if best != NOWHERE:
            taken[best] = True
    return given


@kernel
def _shifted(node: int, step: Sizes, short: NDArray[np.intp], grid: Grid) -> int:
    shifted = node
    for k, d in enumerate(short):
        c = grid.coordinates[node, d] + step[k]
        if grid.wraps[d]:
            c %= grid.dims[d]
        elif c < 0 or c >= grid.dims[d]:
            return NOWHERE
        shifted += (c - grid.coordinates[node, d]) * grid.strides[d]
    return shifted


class DetourRouter(Router):
    """Routes by another router, with an intermediate node for some pairs."""

    roles = ROLES

    def __init__(
        self, network: Network, base: Router, pairs: NDArray[np.int64], via: Nodes, note: PlanNote | None
    ) -> None:
        super().__init__(network)
        self._base, self.note = base, note
        self._pairs, self._via = pairs, via
        """Keys of pairs, ascending (source times nodes plus destination), and their intermediate nodes."""
        self.read_share = base.read_share

    def via(self, src: Nodes, dst: Nodes) -> Nodes:
        """Return the intermediate node of each flow, or -1 for a direct path."""
        via = np.full(src.size, NOWHERE, np.int32)
        if self._pairs.size:
            keys = src.astype(np.int64) * self.network.nodes + dst
            at = np.minimum(np.searchsorted(self._pairs, keys), self._pairs.size - 1)
            listed = self._pairs[at] == keys
            via[listed] = self._via[at[listed]]
        return via

    def _legs(self, flows: Iterable[NodeFlows]) -> Iterator[NodeFlows]:
        for src, dst, volume in flows:
            via = self.via(src, dst)
            apart, straight = np.flatnonzero(via != NOWHERE), np.flatnonzero(via == NOWHERE)
            yield NodeFlows(src[apart], via[apart], volume[apart])
            yield NodeFlows(via[apart], dst[apart], volume[apart])
            yield NodeFlows(src[straight], dst[straight], volume[straight])

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link, both legs together, as if volume were forwarded in very many chunks."""
        return self._base.loads(self._legs(flows), progress)

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair."""
        via = int(self.via(np.array([u], np.int32), np.array([v], np.int32))[0])
        parts = [(DIRECT, u, v)] if via == NOWHERE else [(FIRST, u, via), (SECOND, via, v)]
        routes = [(role, self._base.route(start, end)) for role, start, end in parts]
        return Route(
            np.concatenate([route.links for _, route in routes]),
            np.concatenate([route.shares for _, route in routes]),
            np.repeat([role for role, _ in routes], [route.links.size for _, route in routes]),
        )

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`, by leg."""
        via, shares = self.via(src, dst), np.zeros((len(ROLES), src.size))
        apart, straight = np.flatnonzero(via != NOWHERE), np.flatnonzero(via == NOWHERE)
        for leg, which, start, end in (
            (FIRST, apart, src, via),
            (SECOND, apart, via, dst),
            (DIRECT, straight, src, dst),
        ):
            shares[leg, which] = self._base.crossing(link, start[which], end[which]).sum(axis=0)
        return shares

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the number of links that a unit crosses, on both legs together."""
        via = self.via(src, dst)
        middle = np.where(via == NOWHERE, src, via)
        return self._base.hops(src, middle) + self._base.hops(middle, dst)


def usable(src: Nodes, via: Nodes, dst: Nodes, base: Router) -> Nodes:
    """Return the intermediate nodes, or -1 if failed links leave no path for one of the legs.

    Also -1 if they leave no direct path: disconnected flows stay disconnected, even if a detour exists.
    """
    if not isinstance(base, FaultyRouter):
        return via
    kept, via_left = np.flatnonzero(via != NOWHERE), via.copy()
    u, w, v = src[kept], via[kept], dst[kept]
    lost = base.disconnected(u, w) | base.disconnected(w, v) | base.disconnected(u, v)
    via_left[kept[lost]] = NOWHERE
    return via_left
