"""PERCS, path by path. A node is (supernode, u), a link is (kind, from, to), a path is (share, [(role, link), ...])."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """A PERCS machine and its routing."""

    supernodes: int
    d_links: int
    indirect: bool = False
    striped: bool = True
    count_middle: bool = True
    drawers: int = 4
    per_drawer: int = 8

    @property
    def size(self):
        """Nodes of a supernode."""
        return self.drawers * self.per_drawer

    def gate(self, bucket, supernode):
        """The node within a supernode whose D-link of a bucket leads to `supernode`."""
        width = self.size // self.d_links
        return bucket * width + supernode % width

    def paths(self, source, target):
        """Every path from one node to another, with its share of the volume."""
        if source == target:
            return []
        if source[0] == target[0]:
            return self._inside(source, target)
        return self._indirect(source, target) if self.indirect else self._direct(source, target)

    def _inside(self, source, target):
        if not self.striped:
            return [(1.0, self._hops(("intra-supernode, first hop", source, target)))]
        a, u = source
        drawer = u // self.per_drawer
        paths = []
        for x in range(drawer * self.per_drawer, (drawer + 1) * self.per_drawer):
            via = (a, x)
            first, second = "intra-supernode, first hop", "intra-supernode, second hop"
            paths.append((1 / self.per_drawer, self._hops((first, source, via), (second, via, target))))
        return paths

    def _direct(self, source, target):
        a, b = source[0], target[0]
        paths = []
        for j in range(self.d_links):
            leave, enter = (a, self.gate(j, b)), (b, self.gate(j, a))
            hops = self._hops(
                ("first L-hop", source, leave), ("first D-hop", leave, enter), ("last L-hop", enter, target)
            )
            paths.append((1 / self.d_links, hops))
        return paths

    def _indirect(self, source, target):
        a, b = source[0], target[0]
        paths = []
        for x in range(self.supernodes):
            for j in range(self.d_links):
                leave, come = (a, self.gate(j, x)), (x, self.gate(j, a))
                go, enter = (x, self.gate(j, b)), (b, self.gate(j, x))
                first_d = ("first D-hop", leave, come) if x != a else None
                middle = ("middle L-hop", come, go) if self.count_middle else None
                second_d = ("second D-hop", go, enter) if x != b else None
                hops = self._hops(
                    ("first L-hop", source, leave), first_d, middle, second_d, ("last L-hop", enter, target)
                )
                paths.append((1 / (self.supernodes * self.d_links), hops))
        return paths

    def links(self):
        """Every directed link of the machine."""
        links = []
        for a in range(self.supernodes):
            nodes = [(a, u) for u in range(self.size)]
            links += [self.link_between(u, v) for u in nodes for v in nodes if u != v]
            for b in range(self.supernodes):
                if a != b:
                    ends = [((a, self.gate(j, b)), (b, self.gate(j, a))) for j in range(self.d_links)]
                    links += [self.link_between(*pair) for pair in ends]
        return links

    def _hops(self, *hops):
        # A hop from a node to itself is free: it uses no link.
        return [(role, self.link_between(start, end)) for role, start, end in filter(None, hops) if start != end]

    def link_between(self, start, end):
        """The link between two nodes: D between supernodes, LL in a drawer, LR otherwise."""
        if start[0] != end[0]:
            return ("D", start, end)
        same_drawer = start[1] // self.per_drawer == end[1] // self.per_drawer
        return ("LL" if same_drawer else "LR", start, end)

    def number(self, node):
        """The number of a node in core."""
        return node[0] * self.size + node[1]

    def node(self, number):
        """The node of a number."""
        return divmod(number, self.size)
