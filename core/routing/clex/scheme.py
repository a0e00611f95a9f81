"""CLEX's own algorithm A(t) as a fluid, and the paths of its flood.

Source: Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016, sections II-C and II-D; the route
of a unit is described in `core.routing.clex.terms`.

The recursive scheme gives expected loads over all random choices. Uniform traffic of S units per node, those to itself
included, loads every link of level l >= 2 with S 2^(t - l) / k, and of level 1 with S 2^(t - 1) (1 + f) / k, where f is
the relayed share. As in all schemes here, messages of a node to itself stay where they are, so loads are lower by the
share of these S/n units per node.

The ordered scheme routes every unit along the tree by which the flood sends one message to all: at most one link of
each level, in ascending order. The flood sends a message over a link once, for all nodes behind it: k^(l - 1) messages
cross each link of level l when all nodes flood. Units to different nodes are separate: uniform traffic of S units per
node loads every link with S / k.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np

from core.kernels import kernel
from core.network.families.clex import Clex
from core.network.network import Network
from core.routing.clex.folded import FoldedOrdered, FoldedRouter
from core.routing.clex.term_arrays import TermArrays, entries, term_arrays
from core.routing.clex.term_router import TermRouter
from core.routing.clex.terms import AFTER, ANY, BEFORE, TOP, Sums, Term, add_term, ordered_terms, relayed, terms
from core.routing.flows import FixedPoint, Ints, NodeFlows, Nodes, Traced, Volumes
from core.routing.route_tables import ANY as EVERY_PAIR
from core.routing.route_tables import MAX_ENTRIES, RouteTable, RouteTables, concatenated
from core.routing.router import Partition, Router, RoutingSpec
from core.spec import Progress, SpecError, declare, no_progress

MAX_DENOMINATOR = 10**6
"""Relayed shares are rounded to fractions with a denominator up to this."""


class ClexRouting(RoutingSpec, frozen=True, tag="clex"):
    """CLEX's own routing: expected loads of its recursive algorithm, or the paths of its ordered flood."""

    title: ClassVar[str] = "CLEX"

    scheme: Annotated[
        Literal["recursive", "ordered"],
        declare(
            "Scheme", "recursive (random nodes with a link to the next copy) or ordered (one fixed link per level)"
        ),
    ] = "recursive"
    relayed: Annotated[
        float,
        declare("Relayed share", "share of hops in a clique relayed by a third node (recursive only)", ge=0, le=1),
    ] = 0.0

    def router(self, network: Network) -> Router:
        """Return the router."""
        spec = self.check(network)
        k, t = spec.k, spec.levels
        stored = network.aggregation == 1
        if self.scheme == "ordered":
            return OrderedRouter(network, spec) if stored else FoldedOrdered(network, ordered_terms(t), 1)
        if stored:
            return RecursiveRouter(network, spec, self.relayed)
        return FoldedRouter(network, terms(k, t, spec.fat_links), k ** (t - 1), self.relayed)

    def check(self, network: Network) -> Clex:
        """Return the spec of a CLEX network; unsupported combinations are refused, too."""
        spec = self.of_family(network, Clex, "clex")
        if self.scheme == "ordered" and spec.fat_links:
            message = "ordered is not supported with fat links; choose recursive"
            raise SpecError("routing.scheme", message)
        if self.relayed and self.scheme == "ordered":
            raise SpecError("routing.relayed", f"is {self.relayed:g}; must be 0 for ordered")
        if self.relayed and spec.k == 2:
            raise SpecError("routing.relayed", f"is {self.relayed:g}; must be 0 for cliques of two nodes")
        return spec

    def summary(self) -> str:
        """Return the relayed share, or the path length, in words."""
        if self.scheme == "ordered":
            return "at most one link per level, from the lowest"
        return (
            f"expected loads, with {100 * self.relayed:.4g} % of clique hops relayed"
            if self.relayed
            else "expected loads"
        )


class ClexRouter(TermRouter):
    """Common parts of both schemes on networks of single nodes; shares are fractions with a common denominator."""

    def __init__(self, network: Network, spec: Clex, plain: list[Term], unit: int, share: float = 0.0) -> None:
        self.relayed = Fraction(share).limit_denominator(MAX_DENOMINATOR)
        self.fat, self.unit = spec.fat_links, unit
        """`unit`: the denominator of shares without relays."""
        self.finer = self.relayed.denominator * (spec.k - 2) if self.relayed else 1
        self.denominator = unit * self.finer
        """The denominator of shares."""
        self.plain = plain
        """Terms without relays."""
        split = self._split(plain, spec.k)
        super().__init__(network, spec.k, 0, split, [term.parts / self.denominator for term in split])

    def _split(self, plain: list[Term], k: int) -> list[Term]:
        return [term for unrelayed in plain for term in relayed(unrelayed, k, self.relayed)] if self.relayed else plain

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow."""
        apart = src != dst
        start, links, which = entries(src[apart], dst[apart], self.lists)
        return Traced(links, np.repeat(volume[apart] // self.denominator, np.diff(start)) * self.lists.parts[which])

    def _arrays(self, terms: list[Term]) -> TermArrays:
        return term_arrays(terms, self.k, 0, self.first)

    def updates(self, flows: int) -> int:
        """Return the number of links of a pair, including hops from a node to itself."""
        return flows * self.lists.offset.size

    def share_quantum(self, name: str) -> Fraction:
        """Return a number that divides all shares."""
        return Fraction(1, self.denominator)

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the expected hops, loops included; inside a clique only the hops needed."""
        codes, hops = self.codes(src, dst), np.zeros(src.shape)
        for term in self.plain:
            crossings = self._crossings(term)
            if term.level == 1 and ANY not in term.where[:2]:
                hops += crossings * (codes[term.where[0]] != codes[term.where[1]])
            else:
                hops += crossings
        return np.where(src == dst, 0.0, hops)

    def _crossings(self, term: Term) -> float:
        # Hops of a term without relays; for terms that may need no hop, the number if one is needed.
        crossings = term.parts / self.unit * float(self.k ** term.where.count(ANY))
        if term.level > 1:
            return crossings
        return crossings * float(1 + self.relayed) * (1 - 1 / self.k if ANY in term.where[:2] else 1)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the single nodes: each unit that leaves one crosses every level as often as the scheme prescribes."""
        least = {c.name: 0.0 for c in self.network.classes}
        for term in self.plain:
            # Also with a single level: the two coordinates are then the nodes' own places.
            if term.level > 1 or ANY in term.where[:2] or self.levels == 1:
                least[f"level {term.level}"] += self._crossings(term)
        return ((Partition("node", 1, self.network.nodes, least),),)


class RecursiveRouter(ClexRouter):
    """Sums flows by everything that a term depends on; each term then is one operation on arrays."""

    read_share = 0.7

    def __init__(self, network: Network, spec: Clex, share: float) -> None:
        plain = terms(spec.k, spec.levels, spec.fat_links)
        super().__init__(network, spec, plain, int(spec.k ** (spec.levels - 1)), share)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        sums = self._no_sums(np.float64)
        for block in flows:
            _sum(*block, self.network.nodes // self.k, *sums)
        return self._spread(*sums, progress)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow, or the sums of many flows on each link."""
        if src.size * self.lists.offset.size <= self.network.links:
            return super().trace(src, dst, volume)
        sums = self._no_sums(np.int64)
        _sum(src, dst, volume // self.denominator, self.network.nodes // self.k, *sums)
        loads = self._spread(*sums)
        links = np.flatnonzero(loads)
        return Traced(links.astype(np.int32), loads[links])

    def updates(self, flows: int) -> int:
        """Return the number of links of `flows` pairs, at most the number of all links."""
        return min(super().updates(flows), self.network.links)

    def _no_sums(self, kind: type[np.float64 | np.int64]) -> tuple[Sums, Sums]:
        # Sums by source and the destination's copy, and by destination and the source's copy.
        shape = (self.network.nodes, self.k)
        return np.zeros(shape, kind), np.zeros(shape, kind)

    def _spread(self, out: Sums, into: Sums, progress: Progress = no_progress) -> Sums:
        # Loads from sums of flows; integer multiples of `denominator` stay integer.
        t, k, exact = self.levels, self.k, out.dtype == np.int64
        cube = (k,) * (t + 1)
        cubes = [np.zeros(cube[:-1] if self.fat and level > 1 else cube, out.dtype) for level in range(1, t + 1)]
        for done, term in enumerate(self.plain):
            sums, load = (into if term.role == AFTER else out).reshape(cube), cubes[term.level - 1]
            add_term(term, term.parts if exact else term.parts / self.unit, sums, load)
            progress(done / len(self.plain))
        higher = (load.ravel() * self.finer if exact else load.ravel() for load in cubes[1:])
        loads = [self._over_cliques(cubes[0].reshape(-1, k, k)), *higher]
        progress(1.0)
        return np.concatenate(loads)

    def _over_cliques(self, wanted: Sums) -> Sums:
        # Loads of links, given the volume from place to place in every clique, shape (cliques, k, k).
        places = np.eye(self.k, dtype=bool)
        wanted[:, places] = 0
        if self.relayed:
            exact, others = wanted.dtype == np.int64, (~places).astype(wanted.dtype)
            twice = wanted @ others + others @ wanted
            stay, go = self.relayed.denominator - self.relayed.numerator, self.relayed.numerator
            wanted = stay * (self.k - 2) * wanted + go * twice
            wanted = wanted if exact else wanted / self.finer
        return wanted[:, ~places].ravel()

    def route_tables(self) -> RouteTables | None:
        """Return tables for before, over and after the top level; None if too large."""
        nodes, k, fat = self.network.nodes, self.k, self.fat
        rows = {BEFORE: nodes * k, TOP: k * k, AFTER: nodes * (k if fat else 1)}
        parts = {role: self._split([term for term in self.plain if term.role == role], k) for role in rows}
        lists = {role: self._arrays(some) for role, some in parts.items()}
        if sum(rows[role] * lists[role].offset.size for role in rows) > MAX_ENTRIES:
            return None
        node = np.arange(nodes, dtype=np.int32)
        copy, alone, zero = node // np.int32(nodes // k), np.arange(k) * (nodes // k), np.zeros(1, np.int32)
        made = [
            _table(node, copy, (node, alone), lists[BEFORE]),
            _table(copy, copy, (alone, alone), lists[TOP]),
            _table(copy if fat else np.zeros_like(node), node, (alone if fat else zero, node), lists[AFTER]),
        ]
        return concatenated(made, self.denominator, np.zeros(nodes, np.int32))


class OrderedRouter(ClexRouter):
    """One path for each pair, given by one link of each level."""

    def __init__(self, network: Network, spec: Clex) -> None:
        super().__init__(network, spec, ordered_terms(spec.levels), 1)

    def route_tables(self) -> RouteTables | None:
        """Return a table per level: rows by the source from that level on, the destination below it, and wt."""
        nodes, k, t = self.network.nodes, self.k, self.levels
        if t * nodes * k > MAX_ENTRIES:
            return None
        node, top = np.arange(nodes, dtype=np.int64), nodes // k
        made = []
        for level, term in enumerate(self.plain, 1):
            low = k ** (level - 1)
            top_level = level == t
            second = node if top_level else node % low + low * (node // top)
            low_part, copy = np.arange(low), np.arange(k) * top
            targets = node if top_level else (copy[:, None] + low_part).ravel()
            made.append(_table(node // low, second, (np.arange(nodes // low) * low, targets), self._arrays([term])))
        return concatenated(made, self.denominator, np.zeros(nodes, np.int32))


def _table(first: Ints, second: Ints, ends: tuple[Ints, Ints], lists: TermArrays) -> RouteTable:
    # `ends` are sources and destinations, one for each value of `first` and of `second`.
    sources, targets = (end.astype(np.int32) for end in ends)
    src, dst = np.repeat(sources, targets.size), np.tile(targets, sources.size)
    start, links, which = entries(src, dst, lists)
    return RouteTable(EVERY_PAIR, first, second, targets.size, start, links, lists.parts[which])


@kernel
def _sum(src: Nodes, dst: Nodes, volume: Sums, copy: int, out: Sums, into: Sums) -> None:
    for i in range(src.size):
        u, v = src[i], dst[i]
        if u != v:
            out[u, v // copy] += volume[i]
            into[v, u // copy] += volume[i]
