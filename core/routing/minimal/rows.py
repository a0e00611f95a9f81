"""Shortest paths to destinations as rows of tables, cached.

Threads may share them: a row is computed elsewhere, and appears when it is complete.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from core.network.adjacency import Adjacency
from core.network.network import Network
from core.routing.flows import FixedPoint, Nodes
from core.routing.minimal.kernel import path_scratch

MAX_KEPT = 1 << 24
"""Entries (nodes times vertices) up to which all rows are cached: 0.2 GB."""
ENTRIES_AT_ONCE = 1 << 23
"""Entries computed at once; on larger networks, also entries cached at once."""

Columns = tuple[NDArray[Any], ...]
"""Values of each vertex, arrays of shape ``(rows, vertices)``."""


class FlowPortion(NamedTuple):
    """Some flows with the rows of their destinations."""

    which: NDArray[np.intp]
    """Indices among all flows."""
    row: FixedPoint
    """(flows,) the row of each flow's destination."""
    columns: Columns


class Rows:
    """A row for each destination, computed by a kernel on demand."""

    def __init__(
        self, adjacency: Adjacency, network: Network, kernel: Callable[..., None], kinds: tuple[DTypeLike, ...]
    ) -> None:
        self._adjacency, self._kernel, self._kinds = adjacency, kernel, kinds
        self._network, self._vertices, nodes = network, network.vertices, network.nodes
        self.complete = nodes * self._vertices <= MAX_KEPT
        """Whether all rows are cached once computed."""
        self._at_once = max(ENTRIES_AT_ONCE // self._vertices, 1)
        self._table = self._empty(nodes if self.complete else 0)
        self._computed = np.zeros(nodes, np.bool_)
        self._kept: dict[int, Columns] = {}

    def portions(self, dst: Nodes) -> Iterator[FlowPortion]:
        """Yield flows to `dst` in batches whose rows fit the cache; a single one if there are no flows."""
        if self.complete or not dst.size:
            self._complete_for(dst)
            yield FlowPortion(np.arange(dst.size), dst.astype(np.int64), self._table)
            return
        order = np.argsort(dst, kind="stable")
        targets, first = np.unique(dst[order], return_index=True)
        ends = np.append(first, dst.size)
        for begin in range(0, targets.size, self._at_once):
            some = targets[begin : begin + self._at_once]
            which = order[ends[begin] : ends[begin + some.size]]
            yield FlowPortion(which, np.searchsorted(some, dst[which]).astype(np.int64), self._some(some))

    def fill(self) -> None:
        """Compute all rows, if all are cached."""
        self._complete_for(np.arange(self._computed.size, dtype=np.int32))

    def _empty(self, rows: int) -> Columns:
        return tuple(np.empty((rows, self._vertices), kind) for kind in self._kinds)

    def _find(self, targets: Nodes) -> Columns:
        rows = self._empty(targets.size)
        self._kernel(targets, self._adjacency, path_scratch(self._network), *rows)
        return rows

    def _complete_for(self, dst: Nodes) -> None:
        wanted = np.zeros(self._computed.size, np.bool_)
        wanted[dst] = True
        missing = np.flatnonzero(wanted & ~self._computed).astype(np.int32)
        for begin in range(0, missing.size, self._at_once):
            some = missing[begin : begin + self._at_once]
            for column, computed in zip(self._table, self._find(some), strict=True):
                column[some] = computed
            self._computed[some] = True

    def _some(self, targets: Nodes) -> Columns:
        before = self._kept
        missing = np.array([target for target in targets.tolist() if target not in before], np.int32)
        rows = self._find(missing)
        fresh = {target: tuple(c[k : k + 1].copy() for c in rows) for k, target in enumerate(missing.tolist())}
        both = {**before, **fresh}
        # The latest rows are kept; other readers hold references to theirs.
        self._kept = both if len(both) <= self._at_once else {target: both[target] for target in targets.tolist()}
        return tuple(np.concatenate(parts) for parts in zip(*(both[t] for t in targets.tolist()), strict=True))
