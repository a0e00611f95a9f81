"""PERCS, path by path. A node is (supernode, u), a link is (kind, from, to), a path is (share, [(role, link), ...])."""

from dataclasses import dataclass

NODES = 32
PER_DRAWER = 8


@dataclass(frozen=True)
class Machine:
    """A PERCS machine and the way it routes."""

    supernodes: int
    d_links: int
    indirect: bool = False
    striped: bool = True
    count_middle: bool = True

    def gate(self, bucket, supernode):
        """The node of any supernode from which the D-link of a bucket towards `supernode` leaves."""
        width = NODES // self.d_links
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
            return [(1.0, _hops(("intra-supernode, first hop", source, target)))]
        a, u = source
        drawer = u // PER_DRAWER
        found = []
        for x in range(drawer * PER_DRAWER, (drawer + 1) * PER_DRAWER):
            via = (a, x)
            first, second = "intra-supernode, first hop", "intra-supernode, second hop"
            found.append((1 / 8, _hops((first, source, via), (second, via, target))))
        return found

    def _direct(self, source, target):
        a, b = source[0], target[0]
        found = []
        for j in range(self.d_links):
            leave, enter = (a, self.gate(j, b)), (b, self.gate(j, a))
            hops = _hops(("first L-hop", source, leave), ("first D-hop", leave, enter), ("last L-hop", enter, target))
            found.append((1 / self.d_links, hops))
        return found

    def _indirect(self, source, target):
        a, b = source[0], target[0]
        found = []
        for x in range(self.supernodes):
            for j in range(self.d_links):
                leave, come = (a, self.gate(j, x)), (x, self.gate(j, a))
                go, enter = (x, self.gate(j, b)), (b, self.gate(j, x))
                first_d = ("first D-hop", leave, come) if x != a else None
                middle = ("middle L-hop", come, go) if self.count_middle else None
                second_d = ("second D-hop", go, enter) if x != b else None
                hops = _hops(("first L-hop", source, leave), first_d, middle, second_d, ("last L-hop", enter, target))
                found.append((1 / (self.supernodes * self.d_links), hops))
        return found

    def links(self):
        """Every directed link of the machine."""
        found = []
        for a in range(self.supernodes):
            nodes = [(a, u) for u in range(NODES)]
            found += [link_between(u, v) for u in nodes for v in nodes if u != v]
            for b in range(self.supernodes):
                if a != b:
                    ends = [((a, self.gate(j, b)), (b, self.gate(j, a))) for j in range(self.d_links)]
                    found += [link_between(*pair) for pair in ends]
        return found


def _hops(*hops):
    # A hop from a node to itself is free: it uses no link.
    return [(role, link_between(start, end)) for role, start, end in filter(None, hops) if start != end]


def link_between(start, end):
    """The link between two nodes: D between supernodes, LL in a drawer, LR else."""
    if start[0] != end[0]:
        return ("D", start, end)
    same_drawer = start[1] // PER_DRAWER == end[1] // PER_DRAWER
    return ("LL" if same_drawer else "LR", start, end)


def number(node):
    """The number of a node, as core counts them."""
    return node[0] * NODES + node[1]


def node(number):
    """The node of a number."""
    return divmod(number, NODES)
