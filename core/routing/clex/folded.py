"""CLEX's own routing where nodes are whole cliques: see `core.network.families.clex`.

Traffic is taken to treat the nodes of a clique alike: what one clique sends another is spread evenly over all pairs of
their nodes, and what it sends itself too, so that one part in k stays on the node it came from. For such traffic the
load of a link is exactly the mean of those of the links that it stands for. If traffic is uniform these are alike but
for what nodes send themselves: some of them lack some n-ths of a unit that others would not have carried anyway.
For other traffic it is what is to be expected if each end of a flow is any node of its clique.

Proof. A link stands for the links that differ in the coordinates left out of its label: v1 and j of level 1, j of
level 2, v1 above. No other coordinate of a link is ever the v1 of a source or a destination, so the label of what a
flow crosses here does not depend on where in their cliques its ends are. A term that puts a share on any value of a
coordinate left out puts it on all the links that one stands for, a term that puts it on one value on the k-th part. Of
the two places that a hop of level 1 leads between at least one is even, so that one hop in k is not needed: all others
are for k (k - 1) links, for each a k-th of a k-th, and those that are relayed count twice. What a node sends itself is
spread as evenly as the rest, so to leave it out is to scale what a clique sends itself.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.clex.terms import AFTER, ANY, FROM_RELAY, NONE, TO_RELAY, Term, add_term
from core.routing.flows import FixedPoint, NodeFlows, Nodes, Volumes
from core.routing.router import Partition, Route, Router
from core.spec import Progress, no_progress

AT_ONCE = 1 << 16
"""Flows looked at in one go, about, where each takes several arrays."""


class Part(NamedTuple):
    """A term, without the coordinates that links do not have here."""

    term: Term
    role: int
    """Of the hop: of a relayed one another than the term's."""
    share: float
    """Of a unit, on each of the links that a link stands for."""


class FoldedRouter(Router):
    """Spreads flows between cliques: what a term looks at is summed, then every term is one addition of arrays."""

    follows = False
    reading = 0.9

    def __init__(
        self, network: Network, roles: tuple[str, ...], plain: list[Term], unit: int, relayed: float = 0.0
    ) -> None:
        super().__init__(network)
        self.roles = roles
        self.k, self.levels = network.aggregation, len(network.classes)
        self.own = 1 - 1 / self.k
        """The part of what a clique sends itself that leaves its node."""
        self.parts_of = [part for term in plain for part in _parts(term, self.k, unit, relayed)]

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link: of each of those that it stands for."""
        k, t = self.k, self.levels
        out, into = (np.zeros((self.network.nodes, k)) for _ in range(2))
        for block in flows:
            _sum(*block, self.network.nodes // k, self.own, out, into)
        # The place in the clique, which is summed over already, is kept as an axis of one.
        cube = ((k,) * (t - 1)) + (1, k)
        loads = np.zeros(self.network.links)
        for done, (term, _, share) in enumerate(self.parts_of):
            found = loads[self.network.classes[term.level - 1].links]
            sums = (into if term.role == AFTER else out).reshape(cube)
            add_term(term, share, sums, found.reshape((k,) * (t + 1 - term.where.count(NONE))))
            progress(done / len(self.parts_of))
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of a pair of cliques, or of one to itself; shares are of each link that one stands for."""
        code = self._codes(np.array([u]), np.array([v]))
        links, shares, roles = [], [], []
        for term, role, share in self.parts_of:
            found = self._labels(term, code)
            links.append(found + self.network.classes[term.level - 1].links.start)
            shares.append(np.full(found.size, share * (self.own if u == v else 1.0)))
            roles.append(np.full(found.size, role))
        key = np.concatenate(roles) * self.network.links + np.concatenate(links)
        names, place = np.unique(key, return_inverse=True)
        summed = np.zeros(names.size)
        np.add.at(summed, place.ravel(), np.concatenate(shares))
        return Route(names % self.network.links, summed, names // self.network.links)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses any one of the links that `link` stands for."""
        level = int(self.network.class_of[link]) + 1
        code, shares = self._codes(src, dst), np.zeros((len(self.roles), src.size))
        for term, role, share in (part for part in self.parts_of if part.term.level == level):
            held, rest = np.full(src.size, share), link - self.network.classes[level - 1].links.start
            for at in (at for at in term.where if at != NONE):
                rest, value = divmod(rest, self.k)
                if at != ANY:
                    held *= code[at] == value
            shares[role] += held
        return np.asarray(shares * np.where(src == dst, self.own, 1.0))

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the hops of a unit to be expected, those to and from relays included: they are always as many."""
        each = sum(self._crossings(part) for part in self.parts_of)
        return np.asarray(np.where(src == dst, self.own, 1.0) * each, np.float64)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the cliques: what goes from one to another crosses every level as often as the scheme says."""
        least = {c.name: 0.0 for c in self.network.classes}
        for part in self.parts_of:
            least[f"level {part.term.level}"] += self._crossings(part)
        return ((Partition("clique", 1, self.network.nodes, least),),)

    def _crossings(self, part: Part) -> float:
        return float(
            part.share * self.network.classes[part.term.level - 1].multiplicity * self.k ** part.term.where.count(ANY)
        )

    def _codes(self, src: Nodes, dst: Nodes) -> list[Nodes]:
        # Coordinates of cliques, by code; there is none for the place in a clique, and nobody asks for it.
        ends = ([end // self.k**place % self.k for place in range(self.levels - 1)] for end in (src, dst))
        none = np.full(src.shape, -1, np.int32)
        return [code for end in ends for code in (none, *end)]

    def _labels(self, term: Term, code: list[Nodes]) -> FixedPoint:
        found = np.zeros(1, np.int64)
        for at in reversed([at for at in term.where if at != NONE]):
            values = np.arange(self.k) if at == ANY else code[at]
            found = (found[:, None] * self.k + values).ravel()
        return found


class FoldedOrdered(FoldedRouter):
    """One link of each level for every pair of cliques, followed link by link: which one, both ends say together."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link: of each of those that it stands for."""
        loads, k, t = np.zeros(self.network.links), self.k, self.levels
        weight = np.zeros((t, 2 * t), np.int64)
        for row, (term, _, _) in zip(weight, self.parts_of, strict=True):
            for place, at in enumerate(at for at in term.where if at != NONE):
                row[at] = k**place
        first = np.array([self.network.classes[term.level - 1].links.start for term, _, _ in self.parts_of])
        share = np.array([share for _, _, share in self.parts_of])
        for block in flows:
            _follow(*block, k, self.own, weight, first, share, loads)
        progress(1.0)
        return loads


def _parts(term: Term, k: int, unit: int, relayed: float) -> list[Part]:
    left_out = {1: (0, 1), 2: (0,)}.get(term.level, (1,))
    where = tuple(NONE if place in left_out else at for place, at in enumerate(term.where))
    share = term.parts / unit / k ** sum(term.where[place] >= 0 for place in left_out)
    kept = term._replace(where=where)
    if term.level > 1 or not relayed:
        return [Part(kept, term.role, share)]
    direct = [Part(kept, term.role, share * (1 - relayed))] if relayed < 1 else []
    return [*direct, *(Part(kept, role, share * relayed) for role in (TO_RELAY, FROM_RELAY))]


@kernel
def _sum(src: Nodes, dst: Nodes, volume: Volumes, copy: int, own: float, out: Volumes, into: Volumes) -> None:
    for i in range(src.size):
        u, v = src[i], dst[i]
        sent = volume[i] * own if u == v else volume[i]
        out[u, v // copy] += sent
        into[v, u // copy] += sent


@kernel
def _follow(
    src: Nodes,
    dst: Nodes,
    volume: Volumes,
    k: int,
    own: float,
    weight: FixedPoint,
    first: FixedPoint,
    share: Volumes,
    loads: Volumes,
) -> None:
    terms, levels = weight.shape[0], weight.shape[1] // 2
    for i in range(src.size):
        sent = volume[i] * own if src[i] == dst[i] else volume[i]
        for term in range(terms):
            link, u, v = first[term], np.int64(src[i]), np.int64(dst[i])
            for place in range(1, levels):
                link += weight[term, place] * (u % k) + weight[term, levels + place] * (v % k)
                u, v = u // k, v // k
            loads[link] += share[term] * sent
