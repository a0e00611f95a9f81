"""Adaptive minimal routing around failed links, on lattices.

Uniform: every shortest path that is left carries the same. Hop-local: equal shares among the dimensions, and among
the two sides of a tie, by which the destination can still be reached on a shortest path.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.faulty import DISCONNECTED, INTACT, Hops, States, some_of
from core.routing.flows import FixedPoint, Flags, NodeFlows, Nodes, Volumes
from core.routing.lattice.adaptive import AdaptiveRouter, Grid
from core.routing.lattice.box import carry, carry_all, states_between, states_to
from core.routing.lattice.dimension_order import MINIMAL, TIE
from core.routing.lattice.dimension_order_faults import FaultyLatticeRouter, ordered_state
from core.routing.lattice.tables import Sizes, both_ways
from core.routing.node_pairs import add_pairs, fits_matrix
from core.spec import Progress, no_progress, subprogress

MANY = 1 << 20
"""Flows beyond which those of one pair of nodes are summed at once."""
REPORTS = 256
"""Steps in which the destinations are worked off: between two of them the work can be stopped."""


class FaultyAdaptiveRouter(FaultyLatticeRouter):
    """The fluid keeps to nodes from which its destination can be reached."""

    def __init__(self, base: AdaptiveRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self._uniform, self._demand_of = base.uniform, base.demand_of
        self._ahead = _failures_ahead(self.grid, failed, self.network.src)
        self._rows: dict[int, States] = {}
        """The states of the flows of all nodes to a node, on networks that are not too large."""

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether all shortest paths are left, some, or none."""
        state, doubtful = np.full(src.size, INTACT, np.int8), self._doubtful(src, dst)
        src, dst = src[doubtful], dst[doubtful]
        if doubtful.size > self.network.nodes and fits_matrix(self.network.nodes):
            state[doubtful] = self._tabled(src, dst)
        else:
            state[doubtful] = states_between(src, dst, self.grid, self._uniform, self.failed)
        return state

    def _doubtful(self, src: Nodes, dst: Nodes) -> NDArray[np.intp]:
        return np.flatnonzero(_may_fail(src, dst, self.grid, self._ahead))

    def _tabled(self, src: Nodes, dst: Nodes) -> States:
        # Many flows: all nodes' to one destination are worked out at once, and kept.
        everyone, found = np.arange(self.network.nodes, dtype=np.int32), np.empty(src.size, np.int8)
        order = np.argsort(dst, kind="stable")
        targets, first = np.unique(dst[order], return_index=True)
        for target, mine in zip(targets.tolist(), np.split(order, first[1:]), strict=True):
            if target not in self._rows:
                self._rows[target] = states_to(target, everyone, self.grid, self._uniform, self.failed)
            found[mine] = self._rows[target][src[mine]]
        return found

    def cut(self, src: Nodes, dst: Nodes) -> Flags:
        """Return which flows have no path left; most are seen to have one without looking at all."""
        cut, doubtful = np.zeros(src.size, np.bool_), self._doubtful(src, dst)
        for backwards in (False, True):
            state = ordered_state(src[doubtful], dst[doubtful], self.grid, self.clear, backwards)
            doubtful = doubtful[state == DISCONNECTED]
        cut[doubtful] = self.state(src[doubtful], dst[doubtful]) == DISCONNECTED
        return cut

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops, from the far end of the box that the paths fill inwards."""
        flows, links, shares = [], [], []
        for i, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
            if u != v:
                one = np.array([u], np.int32), np.ones(1)
                link, share = carry(v, *one, self.grid, self._uniform, self.failed)
                flows.append(np.full(link.size, i))
                links.append(link)
                shares.append(share)
        flow, link = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (flows, links))
        role = _tie_roles(src[flow], dst[flow], link, self.network.src, self.grid)
        return Hops(flow, link, np.concatenate([np.zeros(0), *shares]), role)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; what may meet a failed link is carried by itself.

        Raises SpecError: as the scheme's own does.
        """
        doubtful = DeferredFlows(self.network.nodes)
        loads = self.base.loads(self._without(flows, doubtful), subprogress(progress, 0.0, 0.5))
        start, src, _, volume = self._demand_of(doubtful.blocks())
        step, nodes = -(-self.network.nodes // REPORTS), self.network.nodes
        for first in range(0, nodes, step):
            progress((1 + first / nodes) / 2)
            last = min(first + step, nodes)
            carry_all(start, src, volume, first, last, self.grid, self._uniform, self.failed, loads)
        return loads

    def _without(self, flows: Iterable[NodeFlows], doubtful: "DeferredFlows") -> Iterator[NodeFlows]:
        for block in flows:
            may_fail = _may_fail(block.src, block.dst, self.grid, self._ahead)
            if may_fail.any():
                doubtful.add(some_of(block, may_fail))
                block = some_of(block, ~may_fail)
            yield block


class DeferredFlows:
    """Flows put aside; those of one pair are summed where their number may grow large."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._matrix: Volumes | None = None
        self._kept: list[NodeFlows] = []
        self._count = 0

    def add(self, flows: NodeFlows) -> None:
        """Put flows aside."""
        self._kept.append(flows)
        self._count += flows.src.size
        if fits_matrix(self._nodes) and self._count > max(self._nodes, MANY):
            self._sum()

    def _sum(self) -> None:
        if self._matrix is None:
            self._matrix = np.zeros((self._nodes, self._nodes))
        for flows in self._kept:
            add_pairs(*flows, self._matrix)
        self._kept, self._count = [], 0

    def blocks(self) -> Iterator[NodeFlows]:
        """Yield what was put aside."""
        if self._matrix is not None:
            for v, row in enumerate(self._matrix):
                u = np.flatnonzero(row).astype(np.int32)
                yield NodeFlows(u, np.full(u.size, v, np.int32), row[u])
        yield from self._kept


def _tie_roles(src: Nodes, dst: Nodes, link: FixedPoint, leaves: Nodes, grid: Grid) -> FixedPoint:
    # A hop's dimension is the one in which its link's place in the table of the node that it leaves is.
    dim = (grid.table[:, :, leaves[link]] == link).any(axis=1).argmax(axis=0) if link.size else link
    ahead = (grid.coordinates[dst, dim] - grid.coordinates[src, dim]) % grid.dims[dim]
    return np.where(grid.wraps[dim] & (2 * ahead == grid.dims[dim]), TIE, MINIMAL).astype(np.int64)


@kernel
def _failures_ahead(grid: Grid, failed: Flags, leaves: Nodes) -> Sizes:
    # ahead[d, side, c]: steps from coordinate c to the next, or c itself, at which some failed link starts.
    count, longest = grid.dims.size, grid.dims.max()
    starts = np.zeros((count, longest), np.bool_)
    for link in range(failed.size):
        if failed[link]:
            for d in range(count):
                starts[d, grid.coordinates[leaves[link], d]] = True
    ahead = np.full((count, 2, longest), 2 * longest)
    for d in range(count):
        size = int(grid.dims[d])
        for side in range(2):
            # From the end, twice round if it is a ring.
            steps = 2 * longest
            for k in range(2 * size if grid.wraps[d] else size):
                c = (size - 1 - k) % size if side == 0 else k % size
                steps = 0 if starts[d, c] else steps + 1
                ahead[d, side, c] = steps
    return ahead


@kernel
def _may_fail(src: Nodes, dst: Nodes, grid: Grid, ahead: Sizes) -> Flags:
    # Whether in every dimension some failed link starts within the box of the flow's shortest paths.
    may = np.ones(src.size, np.bool_)
    for i in range(src.size):
        if src[i] == dst[i]:
            may[i] = False
            continue
        for d in range(grid.dims.size):
            start, end = int(grid.coordinates[src[i], d]), int(grid.coordinates[dst[i], d])
            up, down = both_ways(start, end, int(grid.dims[d]), bool(grid.wraps[d]))
            if ahead[d, 0, start] > up and ahead[d, 1, start] > down:
                may[i] = False
                break
    return may
