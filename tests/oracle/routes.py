"""Figures of single paths, pair by pair in plain Python. A path is a list of links; a link is its number."""

from collections import Counter, defaultdict
from itertools import permutations
from statistics import fmean


def distances(links, start, closed, failed=()):
    """Hops from a vertex to every vertex that it reaches, by breadth-first search; vertices below `closed` only end."""
    after = defaultdict(set)
    for link, (u, v) in enumerate(links):
        if link not in failed:
            after[u].add(v)
    away, level = {start: 0}, [start]
    while level:
        heads = {v for u in level if u == start or u >= closed for v in after[u]} - away.keys()
        away |= dict.fromkeys(heads, away[level[0]] + 1)
        level = list(heads)
    return away


class AllPairs:
    """The paths of all ordered pairs of nodes, given by a function of the two nodes."""

    def __init__(self, links, nodes, path, closed=0, failed=()):
        self.links, self.nodes = links, nodes
        self.paths = {pair: path(*pair) for pair in permutations(range(nodes), 2)}
        self.unreachable = [pair for pair, links in self.paths.items() if not links]
        self.flows = Counter(link for links in self.paths.values() for link in links)
        self.destinations = Counter(link for link, _ in {(k, v) for (_, v), path in self.paths.items() for k in path})
        away = [distances(links, node, closed, failed) for node in range(nodes)]
        self.detours = sum(len(links) > away[u][v] for (u, v), links in self.paths.items() if links)
        between = [k for k, ends in enumerate(links) if min(ends) >= nodes] or range(len(links))
        self.between = [k for k in between if k not in failed]

    @property
    def hops(self):
        """The number of links of each path."""
        return [len(links) for links in self.paths.values() if links]

    @property
    def hottest(self):
        """The most flows on a link between switches."""
        return max((self.flows[link] for link in self.between), default=0)

    @property
    def unused(self):
        """The links between switches without flows."""
        return [link for link in self.between if not self.flows[link]]

    @property
    def spreads(self):
        """The most destinations of a link to another switch minus the fewest, of each switch with nodes."""
        if min(min(self.links[link]) for link in self.between or [0]) < self.nodes:
            return {}
        leaves = {v for u, v in self.links if u < self.nodes}
        counts = defaultdict(list)
        for link in self.between:
            counts[self.links[link][0]].append(self.destinations[link])
        return {leaf: max(counts[leaf]) - min(counts[leaf]) for leaf in sorted(leaves) if counts[leaf]}

    def share(self, matching):
        """The mean of 1 / (most flows on a link of the path) over the pairs of a matching; 0 without a path."""
        flows = Counter(link for pair in matching for link in self.paths[pair])
        return fmean(1 / max(flows[k] for k in self.paths[p]) if self.paths[p] else 0.0 for p in matching)
