"""CLEX and its algorithm A(t), message by message, with the probability of every choice.

Nodes are tuples (v1, ..., vt) of coordinates from 0. Links are (level, start, end).
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product


class Machine:
    """A CLEX network with `levels` levels of k nodes; `relayed` is the share of messages relayed by a third node."""

    def __init__(self, k, levels, fat=False, relayed=0):
        self.k, self.levels, self.fat, self.relayed = k, levels, fat, Fraction(relayed)
        self.nodes = [tuple(reversed(place)) for place in product(range(k), repeat=levels)]
        self._units = {}

    def copy_of(self, node, level):
        """All nodes of the copy of `level` that contains a node."""
        return [low + node[level:] for low in product(range(self.k), repeat=level)]

    def across(self, node, level):
        """The targets of a node's links of a level, 2 or above."""
        low, v, i, high = node[: level - 2], node[level - 2], node[level - 1], node[level:]
        copies = [i] if self.fat else range(self.k)
        return [(*low, j, v, *high) for j in copies]

    def loads(self, flows):
        """Load of each link; flows are (source, destination, volume), and may return to their source."""
        loads = defaultdict(Fraction)
        for source, target, volume in flows:
            for link, load in self._unit(source, target).items():
                loads[link] += load * Fraction(volume)
        return {link: load for link, load in loads.items() if load}

    def _unit(self, source, target):
        # The loads of one message, cached: fractions of small numbers are fast, fractions of volumes are slow.
        if (source, target) not in self._units:
            loads = self._units[source, target] = defaultdict(Fraction)
            self._algorithm(self.levels, {(source, target): Fraction(1)}, loads)
        return self._units[source, target]

    def _algorithm(self, level, wanted, loads):
        if level == 1:
            self._clique(wanted, loads)
            return
        first, last = defaultdict(Fraction), defaultdict(Fraction)
        for (source, target), volume in wanted.items():
            gates = [node for node in self.copy_of(source, level - 1) if node[level - 2] == target[level - 1]]
            for gate in gates:
                first[source, gate] += volume / len(gates)
                ends = self.across(gate, level)
                for end in ends:
                    share = volume / len(gates) / len(ends)
                    assert end in self.copy_of(target, level - 1)
                    loads[level, gate, end] += share
                    last[end, target] += share
        self._algorithm(level - 1, first, loads)
        self._algorithm(level - 1, last, loads)

    def _clique(self, wanted, loads):
        for (source, target), volume in wanted.items():
            if source == target:
                continue
            loads[1, source, target] += volume * (1 - self.relayed)
            others = [node for node in self.copy_of(source, 1) if node not in (source, target)]
            for relay in others if self.relayed else ():
                share = volume * self.relayed / len(others)
                loads[1, source, relay] += share
                loads[1, relay, target] += share
