"""Shortest paths on any graph, one by one. A link is its number; links have a direction."""

from collections import defaultdict
from itertools import pairwise, product

import networkx as nx


class Wiring:
    """Links as pairs of vertices, and the model of the routing: single, equal or valiant."""

    def __init__(self, links, nodes, vertices, model, failed=(), closed=0):
        self.nodes, self.model, self.closed = nodes, model, closed
        self.graph = nx.DiGraph()
        self.graph.add_nodes_from(range(vertices))
        self.between, self._searched, self._distances, self._parts = defaultdict(list), {}, {}, None
        for link, (u, v) in enumerate(links):
            if link not in failed:
                self.between[u, v].append(link)
        self.graph.add_edges_from(self.between)
        self.after = {vertex: list(others) for vertex, others in self.graph.adjacency()}

    def paths(self, source, target):
        """Every path from one node to another: its share, and the role and link of each hop."""
        if source == target:
            return []
        if self.model == "single":
            return self._single(source, target)
        if self.model == "equal":
            return self._equal(source, target)
        return self._valiant(source, target)

    def shortest(self, source, target):
        """Every shortest path as a list of links; parallel links make separate paths."""
        paths = []
        for vertices in self._vertex_paths(source, target):
            paths += [list(links) for links in product(*(self.between[hop] for hop in pairwise(vertices)))]
        return paths

    def _vertex_paths(self, source, target):
        # All shortest paths as lists of vertices.
        if source == target:
            return [[source]]
        return [
            [*path, target]
            for last in self._before(source).get(target, ())
            for path in self._vertex_paths(source, last)
        ]

    def _before(self, source):
        # The predecessors of each vertex on shortest paths from the source, by breadth-first search; cached.
        if source not in self._searched:
            before = self._searched[source] = {source: []}
            level = [source]
            while level:
                predecessors = defaultdict(list)
                for here in level:
                    for there in self.after[here] if here == source or here >= self.closed else ():
                        if there not in before:
                            predecessors[there].append(here)
                before |= predecessors
                level = list(predecessors)
        return self._searched[source]

    def _away(self, target):
        # The hops to the target from each vertex that forwards traffic, by breadth-first search; cached.
        if target not in self._distances:
            away, level, hops = {}, {target}, 0
            while level:
                away |= dict.fromkeys(level, hops)
                before = {there for here in level for there in self.graph.pred[here] if there >= self.closed}
                level, hops = before - away.keys(), hops + 1
            self._distances[target] = away
        return self._distances[target]

    def _equal(self, source, target):
        paths = self.shortest(source, target)
        used = [sum(link in path for path in paths) for path in paths for link in path]
        roles = iter("all" if count == len(paths) else "some" for count in used)
        return [(1 / len(paths), [(next(roles), link) for link in path]) for path in paths]

    def _single(self, source, target):
        away = self._away(target)
        hops, here = [], source
        while here != target:
            least = min((away[there] for there in self.after[here] if there in away), default=None)
            if least is None:
                return []
            nearer = [there for there in self.after[here] if away.get(there) == least]
            ways = [link for there in sorted(nearer) for link in self.between[here, there]]
            hops.append(("forced" if len(ways) == 1 else "chosen", min(self.between[here, min(nearer)])))
            here = min(nearer)
        return [(1.0, hops)]

    def _valiant(self, source, target):
        # Intermediates are the nodes that both can reach in both directions, or the switches of such nodes.
        if self._parts is None:
            self._parts = list(nx.strongly_connected_components(self.graph))
        part = next(part for part in self._parts if source in part)
        if target not in part:
            return []
        drawn = [node for node in part if node < self.nodes]
        paths = []
        for node in drawn:
            turns = self._switches(node, part) or [node]
            for turn in turns:
                for role, pair in (("to", (source, turn)), ("from", (turn, target))):
                    halves = self.shortest(*pair) if pair[0] != pair[1] else []
                    share = 1 / len(drawn) / len(turns) / max(len(halves), 1)
                    paths += [(share, [(role, link) for link in path]) for path in halves]
        return paths

    def _switches(self, node, part):
        # The switches of a node, one entry for each link.
        there = [(v, self.between[node, v]) for v in self.after[node] if v >= self.nodes and v in part]
        return [v for v, links in there for _ in links]
