"""A network as groups and the links between them, for `group_minimal.scheme`.

Nodes on single cables are removed (`minimal.trunk`); the remaining vertices are numbered as *places*. Inside a group
failed links may separate places, so groups are split into *zones* whose places all reach each other inside the group.
Without failures a zone is a group.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import components
from core.network.network import LinkClass, Network
from core.routing.flows import FixedPoint, Flags, Ints, Nodes, Volumes
from core.routing.minimal.trunk import Trunk, trunk_of
from core.spec import SpecError

MAX_CELLS = 1 << 27
"""Limit on places times zones, for which tables are made: 1 GB each."""
NONE = -1


class Shares(NamedTuple):
    """Shares of flows at places or on links, as three arrays of one length."""

    flow: NDArray[np.int64]
    at: Nodes
    """A place or a link."""
    share: Volumes


class Fan(NamedTuple):
    """Equal shares for each pair of zones, for pair k at ``start[k]`` to ``start[k + 1]``."""

    start: FixedPoint
    at: Nodes
    share: Volumes

    def of(self, pair: Nodes) -> Shares:
        """Return the shares of flows between these pairs of zones."""
        flow, entry = ranges(self.start, pair)
        return Shares(flow, self.at[entry], self.share[entry])


def ranges(start: FixedPoint, row: Ints) -> tuple[FixedPoint, FixedPoint]:
    """Return the entries of rows, row k from ``start[k]`` to ``start[k + 1]``, and the row of each entry.

    The first array has indices into `row`, the second has entries.
    """
    first, count = start[row], start[row + 1] - start[row]
    entry = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    return np.repeat(np.arange(row.size), count), entry


class GroupWiring:
    """Zones, the links inside them, and the direct links from zone to zone."""

    def __init__(self, network: Network, failed: Flags | None) -> None:
        self.trunk = trunk_in_groups(network, failed)
        every = np.arange(network.vertices, dtype=np.int32)
        at, number = (every, every) if self.trunk is None else (self.trunk.at, self.trunk.number)
        self.place: Nodes = number[at]
        """(vertices,) the place through which the traffic of each vertex passes."""
        self.vertex: Nodes = np.flatnonzero(number >= 0).astype(np.int32)
        """(places,)"""
        kept = (number[network.src] >= 0) & (number[network.dst] >= 0)
        links = np.flatnonzero(kept if failed is None else kept & ~failed).astype(np.int32)
        src, dst, group = number[network.src[links]], number[network.dst[links]], network.group_of[self.vertex]
        inside = group[src] == group[dst]
        self.local_links: Nodes = links[inside]
        """Number in the network of each link of `local`."""
        self.local = _local_network(network, self.vertex.size, src[inside], dst[inside])
        """The places and the links inside groups."""
        self.zone: Nodes = group if failed is None else components(src[inside], dst[inside], self.vertex.size)
        """(places,)"""
        self.zones = int(self.zone.max()) + 1
        if self.vertex.size * self.zones > MAX_CELLS:
            sizes = f"{self.vertex.size:,} vertices in {self.zones:,} groups"
            raise SpecError("routing.type", f"group-minimal needs too large a table for {sizes}; choose minimal")
        self._join(src[~inside], dst[~inside], links[~inside])

    def _join(self, tail: Nodes, head: Nodes, link: Nodes) -> None:
        key = self.zone[tail].astype(np.int64) * self.zones + self.zone[head]
        order = np.lexsort((link, key))
        self.link, self.tail, self.head = link[order], tail[order], head[order]
        """(direct,) the links between zones, sorted by pair of zones, and the places at their ends."""
        keys, first = np.unique(key[order], return_index=True)
        self.start: FixedPoint = np.append(first, link.size).astype(np.int64)
        """(pairs + 1,) start of the links of each pair of zones."""
        self.pair: Nodes = np.full((self.zones, self.zones), NONE, np.int32)
        """(zones, zones) the number of each pair with direct links, `NONE` for other pairs."""
        self.pair.flat[keys] = np.arange(keys.size)

    def fans(self) -> tuple[Fan, Fan, Fan]:
        """Return equal shares of the direct links of each pair of zones: at their tails, on them, at their heads."""
        count = np.diff(self.start)
        share = np.repeat(1.0 / count, count)
        return self._summed(self.tail, count), Fan(self.start, self.link, share), self._summed(self.head, count)

    def _summed(self, end: Nodes, count: FixedPoint) -> Fan:
        # Several links of a pair may begin, or end, at one place.
        key = np.repeat(np.arange(count.size), count) * self.vertex.size + end
        keys, times = np.unique(key, return_counts=True)
        pair, place = np.divmod(keys, self.vertex.size)
        start = np.searchsorted(pair, np.arange(count.size + 1))
        return Fan(start.astype(np.int64), place.astype(np.int32), times / count[pair])


def trunk_in_groups(network: Network, failed: Flags | None) -> Trunk | None:
    """Return the trunk of a network if all nodes outside it are on cables inside their groups, else None."""
    # A router that has lost all its other links may be on a single cable to another group.
    trunk, group = trunk_of(network, failed), network.group_of
    return trunk if trunk is not None and np.array_equal(group[trunk.at], group) else None


def _local_network(network: Network, places: int, src: Nodes, dst: Nodes) -> Network:
    links = LinkClass("local", 1.0, slice(0, src.size))
    return replace(
        network,
        nodes=places,
        vertices=places,
        src=src,
        dst=dst,
        classes=(links,),
        levels=(),
        cuts=(),
        hosts=(),
        switch_group=None,
        symmetry=None,
        find_alike=None,
        find_counts=None,
    )
