"""Adaptive minimal routing around failed links, on lattices.

Uniform: every remaining shortest path carries the same volume. Hop-local: equal shares among the dimensions, and among
the two sides of a tie, over which the destination can still be reached on a shortest path.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.faulty import DISCONNECTED, INTACT, States
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.lattice.adaptive import AdaptiveRouter
from core.routing.lattice.box import carry, carry_all, states_between, states_to
from core.routing.lattice.dimension_order import MINIMAL, TIE
from core.routing.lattice.dimension_order_faults import FaultyLatticeRouter, ordered_state
from core.routing.lattice.grid import Grid, Sizes, both_ways, ties
from core.routing.node_pairs import fits_matrix
from core.spec import Progress, no_progress, subprogress

MAX_DEFERRED = 1 << 20
"""Number of deferred flows from which flows of one pair of nodes are summed."""


class FaultyAdaptiveRouter(FaultyLatticeRouter):
    """The fluid stays on nodes from which its destination can be reached by shortest paths."""

    base: AdaptiveRouter

    def __init__(self, base: AdaptiveRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self._uniform = base.uniform
        self._ahead = _failures_ahead(self.grid, failed, self.network.src)
        self._rows: dict[int, States] = {}
        """The states of the flows from all nodes to a node, by node; cached on small networks."""

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether all of its shortest paths remain, some, or none."""
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
        # For many flows: flows from all nodes to one destination are computed together, and cached.
        everyone, states = np.arange(self.network.nodes, dtype=np.int32), np.empty(src.size, np.int8)
        order = np.argsort(dst, kind="stable")
        targets, first = np.unique(dst[order], return_index=True)
        for target, mine in zip(targets.tolist(), np.split(order, first[1:]), strict=True):
            if target not in self._rows:
                self._rows[target] = states_to(target, everyone, self.grid, self._uniform, self.failed)
            states[mine] = self._rows[target][src[mine]]
        return states

    def disconnected(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow has no path left; for most, a path is known without a search."""
        cut, doubtful = np.zeros(src.size, np.bool_), self._doubtful(src, dst)
        for backwards in (False, True):
            state = ordered_state(src[doubtful], dst[doubtful], self.grid, self.clear, backwards)
            doubtful = doubtful[state == DISCONNECTED]
        cut[doubtful] = self.state(src[doubtful], dst[doubtful]) == DISCONNECTED
        return cut

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops, from the far end of the box of paths inwards."""
        hops = []
        for i, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
            if u != v:
                link, share = carry(v, src[i : i + 1], np.ones(1), self.grid, self._uniform, self.failed)
                # A hop's dimension is given by the table of links that has its link at the hop's tail.
                leaves = self.network.src[link]
                d = (self.grid.table[:, :, leaves] == link).any(axis=1).argmax(axis=0)
                role = np.where(ties(u, v, d, self.grid), TIE, MINIMAL)
                hops.append(Hops(np.full(link.size, i), link, share, role))
        return Hops.joined(hops)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; flows that may meet a failed link are carried separately.

        Raises SpecError: as the base scheme does.
        """
        deferred: list[NodeFlows] = []
        loads = self.base.loads(self._without(flows, deferred), subprogress(progress, 0.0, 0.5))
        start, src, _, volume = self.base.demand_of(deferred)
        for first, last in self.base.destinations(subprogress(progress, 0.5, 1.0)):
            carry_all(start, src, volume, first, last, self.grid, self._uniform, self.failed, loads)
        return loads

    def _without(self, flows: Iterable[NodeFlows], deferred: list[NodeFlows]) -> Iterator[NodeFlows]:
        # Yield flows that meet no failed link, and defer the others.
        count, limit = 0, MAX_DEFERRED
        for block in flows:
            may_fail = _may_fail(block.src, block.dst, self.grid, self._ahead)
            deferred.append(block.some(may_fail))
            count += deferred[-1].src.size
            if count > limit:
                pairs = self.base.demand_of(deferred)
                deferred[:] = [NodeFlows(pairs.src, pairs.dst, pairs.volume)]
                count, limit = pairs.src.size, 2 * pairs.src.size + MAX_DEFERRED
            yield block.some(~may_fail)


@kernel
def _failures_ahead(grid: Grid, failed: Flags, leaves: Nodes) -> Sizes:
    # ahead[d, side, c]: steps from coordinate c (0 included) to the next where some failed link starts.
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
            # From the end; on rings, twice round.
            steps = 2 * longest
            for k in range(2 * size if grid.wraps[d] else size):
                c = (size - 1 - k) % size if side == 0 else k % size
                steps = 0 if starts[d, c] else steps + 1
                ahead[d, side, c] = steps
    return ahead


@kernel
def _may_fail(src: Nodes, dst: Nodes, grid: Grid, ahead: Sizes) -> Flags:
    # Whether in every dimension some failed link starts within the box of a flow's shortest paths.
    may = np.ones(src.size, np.bool_)
    for i in range(src.size):
        if src[i] == dst[i]:
            may[i] = False
            continue
        for d in range(grid.dims.size):
            up, down = both_ways(int(src[i]), int(dst[i]), d, grid)
            start = grid.coordinates[src[i], d]
            if ahead[d, 0, start] > up and ahead[d, 1, start] > down:
                may[i] = False
                break
    return may
