"""Ports of trees with missing cables: the port of d-mod-k, or the next one that leads to the destination."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.network.tree_shape import Tree
from core.routing.flows import Flags, Ints, Nodes

Ports = NDArray[np.int64]


class Detours:
    """For each vertex, the upward ports from which a destination can be reached, downwards without choices.

    Nodes of a leaf group that have lost the same cables have the same paths, and are one group here. Arrays of `Tree`
    number the vertices of each level from 0.

    Parameters
    ----------
    present
        ``(cables,)`` whether each cable of the tree can be used.
    places
        Places of the nodes in the tree.
    """

    def __init__(self, tree: Tree, present: Flags, places: Nodes) -> None:
        self._tree = tree
        shapes = zip(tree.sizes, tree.parallel, tree.up, strict=False)
        parts = np.split(present, tree.first_cable[1:-1])
        self._present = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        self._joined: list[Flags] = [np.asarray(cables.any(axis=1)) for cables in self._present]
        keys = np.column_stack([places // tree.leaves[1], self._joined[0][places]])
        groups, which = np.unique(keys, axis=0, return_inverse=True)
        self._leaf, self._served = groups[:, 0], groups[:, 1:].astype(np.bool_)
        self._group = np.zeros(tree.nodes, np.intp)
        self._group[places] = which.ravel()
        self._reached = self._reachable()
        """For each level of switches, ``(groups, vertices)`` whether a group can be reached from a vertex."""

    @property
    def complete(self) -> bool:
        """Return whether every node reaches every other."""
        group = np.arange(self._leaf.size)
        return all(bool(self._meets(group, np.full_like(group, target)).all()) for target in group)

    def reaches(self, start: Ports, target: Ports) -> Flags:
        """Return whether there is a path between two nodes, given by their places."""
        return np.asarray(self._meets(self._group[start], self._group[target]) | (start == target))

    def upward(self, level: int, below: Ports, target: Ports, rule: Ports) -> Ports:
        """Return the first usable port from `rule` on, -1 if no port is usable."""
        return self._next(rule, self._ports(level), lambda some, port: self._leads(level, below, target, some, port))

    def downward(self, level: int, below: Ports, port: Ports, rule: Ports) -> Ports:
        """Return the first present cable to the parent at `port`, counted from the cable of `rule`."""
        up, present = self._tree.up[level], self._present[level]
        digit = port % up
        cable = self._next(
            rule // up, self._tree.parallel[level], lambda some, cable: present[below[some], cable, digit[some]]
        )
        return digit + up * cable

    def _ports(self, level: int) -> int:
        return self._tree.up[level] * self._tree.parallel[level]

    def _next(self, first: Ports, count: int, usable: Callable[[Ints, Ports], Flags]) -> Ports:
        chosen, left = np.full(first.size, -1, np.int64), np.arange(first.size)
        for step in range(count):
            trial = (first[left] + step) % count
            good = usable(left, trial)
            chosen[left[good]] = trial[good]
            left = left[~good]
            if not left.size:
                break
        return chosen

    def _leads(self, level: int, below: Ports, target: Ports, some: Ints, port: Ports) -> Flags:
        up = self._tree.up[level]
        above = self._tree.parent(level, below[some], port % up)
        present = self._present[level][below[some], port // up, port % up]
        return np.asarray(present & self._reached[level + 1][self._group[target[some]], above])

    def _meets(self, start: Ints, target: Ints) -> Flags:
        width = self._tree.up[0]
        leaf = width * self._leaf[start][:, None] + np.arange(width)
        return np.asarray((self._served[start] & self._reached[1][target[:, None], leaf]).any(axis=1))

    def _below(self, level: int) -> Ints:
        # The subtree of a level with each group.
        return np.asarray(self._leaf // (self._tree.leaves[level] // self._tree.leaves[1]))

    def _reachable(self) -> list[Flags]:
        tree = self._tree
        downward = self._downward()
        reached = [downward[-1]]
        for level in reversed(range(1, tree.height)):
            vertex, some = np.arange(tree.sizes[level]), np.zeros((self._leaf.size, tree.sizes[level]), np.bool_)
            for digit in range(tree.up[level]):
                some |= self._joined[level][:, digit] & reached[0][:, tree.parent(level, vertex, digit)]
            over = np.arange(tree.roots[level]) + tree.roots[level] * self._below(level)[:, None]
            np.put_along_axis(some, over, downward[level - 1], axis=1)
            reached.insert(0, some)
        return [self._served, *reached]

    def _downward(self) -> list[Flags]:
        """Return, for each level of switches, whether a way leads down to each group from the vertices above it."""
        tree, down = self._tree, [self._served]
        for level in range(1, tree.height):
            digit, root = np.divmod(np.arange(tree.roots[level + 1]), tree.roots[level])
            below = root + tree.roots[level] * self._below(level)[:, None]
            down.append(down[-1][:, root] & self._joined[level][below, digit])
        return down
