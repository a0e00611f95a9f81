"""Trees and fat trees of files: hosts in rows at the bottom, switches in levels above them.

The order within levels follows the mean position of the neighbours, which leaves few crossings (Sugiyama, Tagawa and
Toda, Methods for Visual Understanding of Hierarchical System Structures, 1981). Deterministic.
"""

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import distinct
from core.network.layout import Layout, apart, bowed, centred, in_plane
from core.network.layouts.tree import BOW, CAPTION_GAP, MARK, SWITCH, hung_curves, level_captions
from core.network.network import Ints, Network
from core.network.tree_embedding import tree_of

MAX_LEVELS = 12
"""Levels, including the hosts; a deeper graph is not a hierarchy of switches."""
SWEEPS = 4
"""Passes up and down the levels, each of which orders every level by its neighbours."""
HOSTS_PER_ROW = 6
"""Hosts below a switch that are drawn in one row; more are drawn in several rows."""
BLOCK_GAP = 0.5
"""Distance of the hosts of two switches, in addition to the distance of two hosts, which is 1."""
SWITCH_GAP = 1.25
"""Minimum distance of two switches of a level."""
MIN_RISE = 2.0
"""Minimum distance of two levels."""
ASPECT = 0.62
"""Height of the levels of switches, relative to their width."""
NUMBERS = re.compile(r"(\d+)", re.ASCII)
SIGNIFICANT = 6
"""Decimals of mean positions, relative to the width, below which they count as equal."""

Places = NDArray[np.float64]


class _Pairs(NamedTuple):
    """The distinct pairs of linked vertices, the lower end first."""

    lower: Ints
    upper: Ints


def in_levels(network: Network) -> Layout | None:
    """Place a tree or fat tree in levels; None if the network is neither."""
    pairs = _linked(network)
    level = levels_of(network, pairs)
    if level is None:
        return None
    x, row = _arranged(pairs, level, _name_ranks(network))
    top, width = int(level.max()), float(np.ptp(x))
    rise = max(MIN_RISE, ASPECT * width / top)
    height = np.where(level == 0, -1.0 - row, (level - 1) * rise)
    flat = centred(np.column_stack([x, height]))
    positions, hosts = in_plane(flat), network.nodes

    def _bowed(ids: NDArray[np.intp], src: Ints, dst: Ints) -> NDArray[np.float32]:
        return bowed(positions[src], positions[dst], BOW)

    hung = hung_curves(positions, row[:hosts].astype(np.intp), 1.0, (MARK[0], MARK[0]))
    switched = network.vertices > hosts
    layout = Layout(
        positions,
        (MARK[0], MARK[0]),
        hung if switched else _bowed,
        near=False,
        scattered=True,
        switch=(SWITCH, SWITCH) if switched else None,
    )
    if not switched:
        return layout
    heights = [float(flat[level == each, 1].mean()) for each in range(top + 1)]
    tree = tree_of(network)
    names = () if tree is None or tree.tree.height != top else tree.tree.level_names
    return replace(layout, captions=level_captions(heights, float(flat[:, 0].min()) - CAPTION_GAP, (), levels=names))


def levels_of(network: Network, pairs: _Pairs | None = None) -> Ints | None:
    """Return the level of each vertex, shape ``(vertices,)``, hosts at 0; None if the network is not a hierarchy.

    A tree is one, with each vertex above its highest child. So is a network whose links all join levels next to each
    other, where the level is the number of links to the nearest host.
    """
    pairs = pairs or _linked(network)
    level = _heights(network, pairs)
    if level is None and network.vertices > network.nodes:
        level = _distances(network, pairs)
    return level


def _linked(network: Network) -> _Pairs:
    low, high = np.minimum(network.src, network.dst), np.maximum(network.src, network.dst)
    both = distinct((low.astype(np.int64) * network.vertices + high)[low != high])
    return _Pairs((both // network.vertices).astype(np.int32), (both % network.vertices).astype(np.int32))


def _heights(network: Network, pairs: _Pairs) -> Ints | None:
    """Return the height of each vertex of a forest, from its leaves up; None if the network is not drawn as one.

    In each round all leaves are cut off; the vertex that remains last is the root. Hosts must be leaves where there are
    switches; without any, a mere path is not a tree worth drawing.
    """
    count, hosts = network.vertices, network.nodes
    a, b = pairs
    degree = np.bincount(np.concatenate(pairs), minlength=count)
    if degree[:hosts].max() > 1 if count > hosts else degree.max() < 3:
        return None
    level = (np.arange(count) >= hosts).astype(np.int32)
    for _ in range(MAX_LEVELS):
        leaf = np.bincount(np.concatenate([a, b]), minlength=count) == 1
        cut = leaf[a] | leaf[b]
        # Of two roots the later one is above, unless both are switches of hosts.
        beside = leaf[a] & leaf[b] & (level[a] == level[b]) & (level[a] <= 1)
        child, parent = np.where(leaf[a], (a, b), (b, a))[:, cut & ~beside]
        np.maximum.at(level, parent, level[child] + 1)
        a, b = a[~cut], b[~cut]
        if not a.size:
            break
    joined = (level[pairs.lower] == 0) & (level[pairs.upper] == 0)
    return None if a.size or level.max() < 1 or joined.any() else level


def _distances(network: Network, pairs: _Pairs) -> Ints | None:
    """Return the distance of each vertex from the nearest host; None unless all links join neighbouring levels."""
    count, far = network.vertices, MAX_LEVELS
    level = np.where(np.arange(count) < network.nodes, 0, far).astype(np.int32)
    a, b = np.concatenate([pairs.lower, pairs.upper]), np.concatenate([pairs.upper, pairs.lower])
    for distance in range(1, far):
        reached = b[(level[a] == distance - 1) & (level[b] == far)]
        if not reached.size:
            break
        level[reached] = distance
    alone = np.bincount(a, minlength=count) == 0
    level[alone & (level == far)] = 1
    neighbouring = np.abs(level[pairs.lower] - level[pairs.upper]) == 1
    return level if neighbouring.all() and level.max() < far else None


def _name_ranks(network: Network) -> Ints:
    """Return the rank of each vertex by its name, where numbers in names count as numbers, shape ``(vertices,)``."""
    keys = [NUMBERS.split(network.label(vertex)) for vertex in range(network.vertices)]
    for key in keys:
        key[1::2] = [f"{len(digits):02}{digits}" for digits in (number.lstrip("0") for number in key[1::2])]
    rank = np.empty(network.vertices, np.int32)
    rank[sorted(range(network.vertices), key=keys.__getitem__)] = np.arange(network.vertices)
    return rank


def _arranged(pairs: _Pairs, level: Ints, rank: Ints) -> tuple[Places, Ints]:
    """Return the position along x of each vertex, and the row of each host below its switch, ``(vertices,)`` each."""
    rising = level[pairs.lower] < level[pairs.upper]
    lower, upper = np.where(rising, pairs, pairs[::-1])
    apart = level[lower] != level[upper]
    lower, upper = lower[apart], upper[apart]
    block = _blocks(lower, upper, level)
    pairs, level = _stepped(lower, upper, level)
    added = level.size - rank.size
    arrangement = _Arrangement(pairs, level, np.append(rank, rank.size + np.arange(added)), block)
    best, shortest = arrangement.x.copy(), arrangement.length
    for _ in range(SWEEPS):
        arrangement.sweep()
        if arrangement.length < shortest * (1 - 1e-9):
            best, shortest = arrangement.x.copy(), arrangement.length
    return best[: rank.size], arrangement.row[: rank.size]


def _blocks(lower: Ints, upper: Ints, level: Ints) -> NDArray[np.int64]:
    """Return the block of each vertex: hosts between the same first and last switch stand together."""
    first, last = np.full(level.size, level.size), np.full(level.size, -1)
    np.minimum.at(first, lower, upper)
    np.maximum.at(last, lower, upper)
    return np.asarray(first * (level.size + 1) + last)


def _stepped(lower: Ints, upper: Ints, level: Ints) -> tuple[_Pairs, Ints]:
    """Return pairs of neighbouring levels only, with vertices added where links pass a level: hosts share theirs."""
    while (long := np.flatnonzero(level[upper] > level[lower] + 1)).size:
        hosts = level[lower[long]] == 0
        _, first, passed = np.unique(
            np.where(hosts, upper[long], level.size + long), return_index=True, return_inverse=True
        )
        added, above = level.size + np.arange(first.size), upper[long][first]
        level = np.append(level, level[lower[long]][first] + 1).astype(np.int32)
        upper[long] = added[passed]
        lower, upper = np.append(lower, added).astype(np.int32), np.append(upper, above).astype(np.int32)
    return _Pairs(lower, upper), level


class _Arrangement:
    """Positions of all vertices along x, improved by sweeps."""

    def __init__(self, pairs: _Pairs, level: Ints, rank: Ints, block: NDArray[np.int64]) -> None:
        self._pairs = pairs
        count = level.size
        self._above = np.bincount(pairs.lower, minlength=count)
        self._below = np.bincount(pairs.upper, minlength=count)
        by_name = np.argsort(rank)
        self._vertices = [by_name[level[by_name] == each] for each in range(int(level.max()) + 1)]
        self.x = np.zeros(count)
        self.row = np.zeros(count, np.int32)
        self._block = self._gather(block)
        self._lay_hosts()
        self._rise()

    @property
    def length(self) -> float:
        """Return the total length of links along x."""
        return float(np.abs(self.x[self._pairs.lower] - self.x[self._pairs.upper]).sum())

    def sweep(self) -> None:
        """Order the levels from the top down by the positions above them, then from the bottom up."""
        for place, vertices in reversed(list(enumerate(self._vertices[:-1]))):
            mean = self._mean(vertices, self._pairs.upper, self._pairs.lower, self._above)
            self._order(place, mean)
            if place:
                self.x[self._vertices[place]] = apart(np.sort(mean), SWITCH_GAP)
        self._lay_hosts()
        self._rise()

    def _gather(self, block: NDArray[np.int64]) -> Ints:
        # The blocks in the order of their first hosts; returns the number of each host's.
        hosts = self._vertices[0]
        _, first, block = np.unique(block[hosts], return_index=True, return_inverse=True)
        rank = np.empty(first.size, np.int32)
        rank[np.argsort(first)] = np.arange(first.size)
        self._vertices[0] = hosts[np.argsort(rank[block], kind="stable")]
        return np.sort(rank[block])

    def _lay_hosts(self) -> None:
        # Side by side in the order of the blocks, the hosts of each in rows.
        hosts, block = self._vertices[0], self._block
        start = np.flatnonzero(np.diff(block, prepend=-1))
        size = np.diff(np.append(start, hosts.size))
        columns = np.where(size <= HOSTS_PER_ROW, size, np.ceil(np.sqrt(2 * size))).astype(np.intp)
        number = np.repeat(np.arange(size.size), size)
        place = np.arange(hosts.size) - start[number]
        row = place // columns[number]
        in_row = np.minimum(size[number] - row * columns[number], columns[number])
        width = np.maximum(columns, SWITCH_GAP) + BLOCK_GAP
        middle = np.cumsum(width) - width / 2
        self.x[hosts] = middle[number] + place % columns[number] - (in_row - 1) / 2
        self.row[hosts] = row

    def _rise(self) -> None:
        # Every level over the middle of what hangs below it; vertices over the same range share it evenly.
        for place in range(1, len(self._vertices)):
            mean = self._mean(self._vertices[place], self._pairs.lower, self._pairs.upper, self._below)
            self._order(place, mean)
            vertices = self._vertices[place]
            self.x[vertices] = apart(self._shared(vertices, np.sort(mean)), SWITCH_GAP)

    def _mean(self, vertices: NDArray[np.intp], ends: Ints, at: Ints, count: NDArray[np.intp]) -> Places:
        # The mean position of the neighbours on one side; of a vertex without any, its own.
        total = np.bincount(at, self.x[ends], self.x.size)[vertices]
        return np.where(count[vertices] > 0, total / np.maximum(count[vertices], 1), self.x[vertices])

    def _order(self, place: int, mean: Places) -> None:
        order = np.argsort(self._rounded(mean), kind="stable")
        self._vertices[place] = self._vertices[place][order]
        if not place:
            self._block = np.cumsum(np.diff(self._block[order], prepend=-1) != 0, dtype=np.int32)

    def _rounded(self, mean: Places) -> Places:
        return np.round(mean / max(float(np.ptp(self.x)), 1.0), SIGNIFICANT)

    def _shared(self, vertices: NDArray[np.intp], mean: Places) -> Places:
        # Vertices whose ranges of neighbours below overlap are spread evenly over the union of these ranges.
        low, high = self.x.copy(), self.x.copy()
        low[vertices], high[vertices] = np.inf, -np.inf
        np.minimum.at(low, self._pairs.upper, self.x[self._pairs.lower])
        np.maximum.at(high, self._pairs.upper, self.x[self._pairs.lower])
        low, high = (np.where(np.isfinite(end[vertices]), end[vertices], mean) for end in (low, high))
        reach = np.maximum.accumulate(high)
        begins = np.append(True, low[1:] >= reach[:-1])
        start = np.flatnonzero(begins)
        size = np.diff(np.append(start, vertices.size))
        left, right = np.minimum.reduceat(low, start), np.maximum.reduceat(high, start)
        number = np.repeat(np.arange(start.size), size)
        rank = np.arange(vertices.size) - start[number]
        spread = left[number] + (rank + 0.5) / size[number] * (right - left)[number]
        return np.where(size[number] > 1, spread, mean)
