"""Paths with at most one link between groups, one by one. A link is its number; links have a direction."""

from functools import cache
from itertools import product

from tests.oracle.minimal import Wiring


class Groups:
    """Links as pairs of vertices, the group of each vertex, and the spread of flows: single or equal."""

    def __init__(self, links, nodes, group, spread, failed=()):
        self.nodes, self.group, self.spread = nodes, group, spread
        direct = [link for link, (u, v) in enumerate(links) if group[u] != group[v]]
        self.direct = [(link, *links[link]) for link in direct if link not in failed]
        self.inside = cache(Wiring(links, nodes, len(group), spread, {*failed, *direct}).paths)
        self.remaining = Wiring(links, nodes, len(group), spread, failed)

    def paths(self, source, target):
        """Every path from one vertex to another: its share, and the role and link of each hop."""
        if source == target:
            return []
        if self._joined(source, target):
            return list(self._with_role("inside", self.inside(source, target)))
        paths = []
        links = self._links(source, target)
        for link, tail, head in links:
            before = [*self._with_role("to", self.inside(source, tail))] or [(1.0, [])]
            after = [*self._with_role("from", self.inside(head, target))] or [(1.0, [])]
            for (share, first), (other, last) in product(before, after):
                paths.append((share * other / len(links), [*first, ("across", link), *last]))
        return paths if links else list(self._with_role("around", self.remaining.paths(source, target)))

    def _links(self, source, target):
        # The direct links between two vertices that carry a flow.
        served = [link for link in self.direct if self._joined(source, link[1]) and self._joined(link[2], target)]
        if self.spread == "equal" or not served:
            return served
        return [min(served, key=lambda link: (self._hops(source, link[1]), link[0]))]

    def _hops(self, u, v):
        return len(self.inside(u, v)[0][1]) if u != v else 0

    def _joined(self, u, v):
        # Whether two vertices reach each other inside their group.
        return u == v or bool(self.inside(u, v) and self.inside(v, u))

    def _with_role(self, role, paths):
        return ((share, [(role, link) for _, link in hops]) for share, hops in paths)
