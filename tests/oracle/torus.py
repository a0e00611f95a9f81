"""Shortest paths on tori and meshes, one by one. A link is (dimension, step, node it leaves); nodes are coordinates."""

from collections import Counter
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Lattice:
    """A torus or mesh, with a flag for each dimension that wraps around, and the model of its routing."""

    dims: tuple
    wraps: tuple
    model: str

    def paths(self, source, target):
        """Every path from one node to another, with its share of the volume."""
        if self.model == "uniform":
            return self._uniform(source, target)
        if self.model == "hop-local":
            return self._hop_local(source, target)
        return self._dimension_order(source, target)

    def offsets(self, d, start, end):
        """The shortest signed numbers of hops along one dimension: two for a tie, none if start equals end."""
        if start == end:
            return []
        if not self.wraps[d]:
            return [end - start]
        up = (end - start) % self.dims[d]
        down = self.dims[d] - up
        return [up] if up < down else [-down] if down < up else [up, -down]

    def moved(self, node, d, step):
        """The neighbour of a node."""
        there = (node[d] + step) % self.dims[d]
        return (*node[:d], there, *node[d + 1 :])

    def distance(self, source, target):
        """The number of hops of a shortest path."""
        offsets = [self.offsets(d, s, t) for d, (s, t) in enumerate(zip(source, target, strict=True))]
        return sum(abs(choices[0]) for choices in offsets if choices)

    def _uniform(self, source, target):
        paths = list(self._all_shortest(source, target))
        return [(1 / len(paths), path) for path in paths]

    def _all_shortest(self, source, target):
        if source == target:
            yield []
            return
        for d, step in self._steps(source, target):
            there = self.moved(source, d, step)
            for rest in self._all_shortest(there, target):
                yield [(d, step, source), *rest]

    def _steps(self, node, target):
        # Every first step of a shortest path: both directions of a tie.
        for d in range(len(self.dims)):
            for hops in self.offsets(d, node[d], target[d]):
                yield d, 1 if hops > 0 else -1

    def _hop_local(self, source, target):
        if source == target:
            return [(1.0, [])]
        steps = list(self._steps(source, target))
        sides = Counter(d for d, _ in steps)
        paths = []
        for d, step in steps:
            # Dimensions have equal shares; the two directions of a tie halve the share of their dimension.
            share = 1 / len(sides) / sides[d]
            for rest_share, rest in self._hop_local(self.moved(source, d, step), target):
                paths.append((share * rest_share, [(d, step, source), *rest]))
        return paths

    def _dimension_order(self, source, target):
        choices = [self.offsets(d, s, t) or [0] for d, (s, t) in enumerate(zip(source, target, strict=True))]
        combinations = list(product(*choices))
        paths = []
        for offsets in combinations:
            path, node = [], source
            for d, hops in enumerate(offsets):
                step = 1 if hops > 0 else -1
                for _ in range(abs(hops)):
                    path.append((d, step, node))
                    node = self.moved(node, d, step)
            paths.append((1 / len(combinations), path))
        return paths

    def number(self, node):
        """The number of a node, row-major."""
        number = 0
        for size, coordinate in zip(self.dims, node, strict=True):
            number = number * size + coordinate
        return number

    def node(self, number):
        """The node of a number."""
        coordinates = []
        for size in reversed(self.dims):
            number, coordinate = divmod(number, size)
            coordinates.append(coordinate)
        return tuple(reversed(coordinates))
