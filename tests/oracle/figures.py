"""Figures of a mapping, path by path, and the best over all mappings, by trying all of them.

Paths are (share, [link, ...]); flows are (source node, target node, volume).
"""

from collections import defaultdict
from itertools import combinations, permutations

import numpy as np


def hop_bytes(paths, flows):
    """Volume × links crossed."""
    return sum(volume * share * len(links) for u, v, volume in flows for share, links in paths(u, v))


def hops(paths, flows):
    """Messages × links crossed."""
    return hop_bytes(paths, [(u, v, 1.0) for u, v, _ in flows])


def contention(paths, flows):
    """Pairs of messages that share a link, over all links; for split messages the product of their shares."""
    crossing = defaultdict(list)
    for u, v, _ in flows:
        shares = defaultdict(float)
        for share, links in paths(u, v):
            for link in links:
                shares[link] += share
        for link, share in shares.items():
            crossing[link].append(share)
    return sum(a * b for shares in crossing.values() for a, b in combinations(shares, 2))


class Everything:
    """All mappings of a few tasks to a few nodes, and their figures.

    Parameters
    ----------
    paths
        Paths between any two of the nodes.
    flows
        List of (source task, target task, volume), in one phase.
    tasks, nodes
        How many tasks, and the nodes that they may have, one task to each.
    gbs
        Bandwidth of a link.
    """

    def __init__(self, paths, flows, tasks, nodes, gbs):
        number = {}
        for u in nodes:
            for v in nodes:
                for _, links in paths(u, v):
                    for link in links:
                        number.setdefault(link, len(number))
        # The load of every link from a unit sent from node i to node j: a row for each pair.
        unit = np.zeros((len(nodes), len(nodes), len(number)))
        for i, u in enumerate(nodes):
            for j, v in enumerate(nodes):
                for share, links in paths(u, v):
                    np.add.at(unit[i, j], [number[link] for link in links], share)
        self._unit, self._flows, self._nodes = unit.reshape(-1, len(number)), flows, len(nodes)
        self._gbs = np.array([gbs(link) for link in number])
        self._maps = np.array(list(permutations(range(len(nodes)), tasks)))

    def best(self):
        """The minimum time, hop-bytes, hops and contention over all mappings, each separately."""
        least = [np.inf] * 4
        for first in range(0, len(self._maps), 1 << 11):
            figures = self._figures(self._maps[first : first + (1 << 11)])
            least = [min(old, float(new.min())) for old, new in zip(least, figures, strict=True)]
        return dict(zip(("throughput", "hop-bytes", "hops", "contention"), least, strict=True))

    def _figures(self, maps):
        # The volume between each pair of nodes, then the load of links.
        sent, messages = np.zeros((2, len(maps), self._nodes**2))
        each = np.arange(len(maps))
        for src, dst, volume in self._flows:
            pair = maps[:, src] * self._nodes + maps[:, dst]
            sent[each, pair] += volume
            messages[each, pair] += 1
        load, crossing, squares = sent @ self._unit, messages @ self._unit, messages @ self._unit**2
        time, pairs = (load / self._gbs).max(axis=1), ((crossing**2 - squares) / 2).sum(axis=1)
        return time, load.sum(axis=1), crossing.sum(axis=1), pairs


class Traced:
    """Traced flows on a network, path by path: the disconnected volume, the time and the throughput per node.

    Parameters
    ----------
    paths
        Function that returns the remaining paths between two nodes, (share, [link, ...]); none if disconnected.
    flows
        List of (source task, target task, volume), in one phase.
    nodes
        Node of each task.
    slots_per_node
        Slots of a node.
    gbs
        Function or table of the remaining bandwidth of a link.
    """

    def __init__(self, paths, flows, nodes, slots_per_node, gbs):
        loads, self.cut, self.flowing = defaultdict(float), [], 0.0
        for src, dst, volume in flows:
            here, there = nodes[src], nodes[dst]
            ways = paths(here, there) if here != there else [(1.0, [])]
            if not ways:
                self.cut += [volume] if volume > 0 else []
                continue
            self.flowing += volume
            for share, links in ways:
                for link in links:
                    loads[link] += volume * share
        self.time = max((load / gbs(link) for link, load in loads.items()), default=0.0)
        fewest = -(-len(nodes) // slots_per_node)
        self.throughput = self.flowing / fewest / self.time if self.time > 0 else None
