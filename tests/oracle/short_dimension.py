"""Short-dimension routing as specified, pair by pair; nodes are coordinates."""


class Selection:
    """The intermediate nodes of pairs on a torus or mesh (`tests.oracle.torus.Lattice`)."""

    def __init__(self, lattice, alpha, gamma, delta, only_shortest=False, exclusive=True):
        self.lattice, self.alpha, self.gamma, self.delta = lattice, alpha, gamma, delta
        self.exclusive = exclusive
        dims = lattice.dims
        self.long = [d for d, size in enumerate(dims) if 2 * size > max(dims)]
        self.short = [d for d, size in enumerate(dims) if 2 * size <= max(dims) and size > 1]
        if only_shortest and self.short:
            self.short = [max(self.short, key=lambda d: (-dims[d], d))]

    def apart(self, d, here, there):
        """The hops between two coordinates."""
        away = abs(here - there)
        return min(away, self.lattice.dims[d] - away) if self.lattice.wraps[d] else away

    def along(self, dims, u, v):
        """The hops between two nodes along some dimensions."""
        return sum(self.apart(d, u[d], v[d]) for d in dims)

    def opposite(self, u, v):
        """The source, with every short coordinate half a ring away from the target's."""
        node = list(u)
        for d in self.short:
            node[d] = (v[d] + self.lattice.dims[d] // 2) % self.lattice.dims[d]
        return tuple(node)

    def chosen(self, pairs):
        """The intermediate node of each pair, in a dict without direct pairs. No node sends to itself."""
        if not self.short:
            return {}
        number = self.lattice.number
        order = sorted(pairs, key=lambda p: (self.along(self.long, *p), number(p[0]), number(p[1])))
        taken, intermediates = set(), {}
        for u, v in order[: int(self.alpha * len(pairs) + 1e-9)]:
            if self.along(self.long, u, v) < self.gamma:
                continue
            via = self.opposite(u, v)
            if via == u:
                continue
            if self.exclusive and via in taken:
                via = self.stand_in(via, u, v, taken)
            if via is not None:
                taken.add(via)
                intermediates[u, v] = via
        return intermediates

    def stand_in(self, via, u, v, taken):
        """The nearest free node that the source reaches along short dimensions only."""
        others = [d for d in range(len(u)) if d not in self.short]
        nodes = (self.lattice.node(i) for i in range(self.lattice.number(tuple(s - 1 for s in self.lattice.dims)) + 1))
        free = [
            node
            for node in nodes
            if all(node[d] == u[d] for d in others)
            and 0 < self.along(self.short, node, via) < self.delta
            and node not in taken
            and node not in (u, v)
        ]
        return min(free, key=lambda node: (self.along(self.short, node, via), self.lattice.number(node)), default=None)

    def paths(self, pairs, u, v):
        """Every path of a pair with its share, both legs one after the other."""
        via = self.chosen(pairs).get((u, v))
        if via is None:
            return self.lattice.paths(u, v)
        legs = [self.lattice.paths(u, via), self.lattice.paths(via, v)]
        return [(a * b, [*first, *second]) for a, first in legs[0] for b, second in legs[1]]
